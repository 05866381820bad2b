import type { Locator, Page, Request } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  type DemoStage,
  desktop,
  guideOf,
  linkAs,
  openCodeForm,
  phone,
  resultOf,
  startDemoStage,
  startMs,
} from '../sandbox/demo/demo-stage.ts';

let stage: DemoStage | undefined;
let missing = '';

beforeAll(async () => {
  const started = await startDemoStage();
  if ('missing' in started) {
    missing = started.missing;
    process.stderr.write(`The journeys through the demo are skipped: ${missing}.\n`);
    return;
  }
  stage = started;
}, startMs + 30_000);

afterAll(() => stage?.close(), 30_000);

/** Returns the stage of all tests; without a Chromium the test is skipped, with the reason. */
function onStage(skip: (condition: boolean, note: string) => void): DemoStage {
  skip(stage === undefined, missing);
  if (stage === undefined) throw new Error('there is no stage');
  return stage;
}

/** Types a command and sends it, using only the keyboard. */
async function typeCommand(page: Page, line: string): Promise<void> {
  await page.getByRole('combobox', { name: 'Message or command in #plans' }).focus();
  await page.keyboard.type(line);
  await page.keyboard.press('Enter');
}

/** Returns the latest message in the channel that contains these words. */
function message(page: Page, words: string | RegExp) {
  return page.getByRole('log').getByRole('listitem').filter({ hasText: words }).last();
}

test('Dana subscribes, links and reads in the channel what happens to a file', async ({ skip }) => {
  const here = onStage(skip);
  const { page } = here;
  await typeCommand(page, '/subscribe project 412-873-550');
  const tab = await linkAs(here, 'Dana Reyes');
  await tab.getByText('You’re linked').first().waitFor();
  await tab.close();
  await message(page, /Dana.* added project 412-873-550 to this channel/).waitFor();

  const service = page.getByRole('region', { name: 'Practice service' });
  await service.getByRole('button', { name: 'A-101 Floor plan.pdf' }).click();
  await service.getByLabel('New name').fill('A-101 Entrance.pdf');
  await service.getByRole('button', { name: 'Rename' }).click();
  await message(page, 'A-101 Entrance.pdf').waitFor();
  await service.getByLabel('New name').fill('A-101 Lobby.pdf');
  await service.getByRole('button', { name: 'Rename' }).click();
  await message(page, /renamed A-101 Entrance\.pdf → A-101 Lobby\.pdf/).waitFor();

  await typeCommand(page, '/unsubscribe project 412-873-550');
  await message(page, /Dana.* removed the subscription/).waitFor();
  await service.getByText('0 subscriptions at the service.').waitFor();
}, 90_000);

test('Sam subscribes to a session through the form, which asks for what it needs', async ({ skip }) => {
  const here = onStage(skip);
  const { page } = here;
  await page.getByLabel('You are').selectOption({ label: 'Sam Okafor' });
  await typeCommand(page, '/plancast link');
  const tab = await linkAs(here, 'Sam Okafor');
  await tab.getByText('You’re linked').first().waitFor();
  // Open Slack leads to the practice Slack, as the same person.
  await tab.getByRole('link', { name: 'Open Slack', exact: true }).click();
  await tab.getByRole('heading', { name: 'plans' }).waitFor();
  await expect
    .poll(() => tab.getByLabel('You are').locator('option:checked').textContent())
    .toBe('Sam Okafor');
  await tab.close();
  await typeCommand(page, '/subscribe');
  const form = page.getByRole('dialog');
  const search = form.getByRole('searchbox');
  await search.fill('Boathouse');
  await form.getByRole('option', { name: 'Search for “Boathouse”' }).waitFor({ state: 'attached' });
  await form.getByRole('button', { name: 'Next' }).click();
  await form.getByText('I couldn’t find “Boathouse”').first().waitFor();
  expect(await search.inputValue()).toBe('Boathouse');
  await search.fill('845 902 113');
  const session = { label: 'Session 845-902-113' };
  await form.getByRole('option', { name: session.label }).waitFor({ state: 'attached' });
  await form.getByLabel('Project, session or link', { exact: true }).selectOption(session);
  await form.getByRole('button', { name: 'Next' }).click();
  // What is wrong far down in the form comes into view.
  await form.getByRole('button', { name: /^More options/ }).click();
  const patterns = form.getByRole('textbox', { name: 'Folder patterns' });
  await patterns.fill('*/'.repeat(11));
  await form
    .getByText(/^Session 845-902-113/)
    .first()
    .scrollIntoViewIfNeeded();
  await form.getByRole('button', { name: 'Subscribe' }).click();
  const fault = form.getByText('Enter a path with at most 10 wildcards');
  await fault.waitFor();
  const topOf = async (part: Locator) => (await part.boundingBox())?.y ?? Number.NaN;
  const footer = form.getByRole('button', { name: 'Subscribe' });
  await expect.poll(async () => (await topOf(fault)) < (await topOf(footer))).toBe(true);
  expect(await patterns.getAttribute('aria-invalid')).toBe('true');
  await patterns.fill('');
  await form.getByRole('button', { name: 'Subscribe' }).click();
  await form.waitFor({ state: 'detached' });
  await message(page, /Sam.* added session 845-902-113/).waitFor();
}, 90_000);

test('Lee, whose addresses differ, types the code that the browser shows', async ({ skip }) => {
  const here = onStage(skip);
  const { page } = here;
  await page.getByLabel('You are').selectOption({ label: 'Lee Park (other email)' });
  await page.getByRole('log').getByText('Only visible to you').first().waitFor({ state: 'detached' });
  await typeCommand(page, '/subscribe session 731-450-286');
  const { code, form, field, type } = await openCodeForm(here);
  await type('ZZZZZZ');
  await expect.poll(() => field.getAttribute('aria-invalid'), { timeout: 20_000 }).toBe('true');
  await type(code);
  await form.waitFor({ state: 'detached' });
  await message(page, /Lee.* added session 731-450-286/).waitFor();
}, 90_000);

test('a half-typed command stays while messages arrive', async ({ skip }) => {
  const { page } = onStage(skip);
  const line = page.getByRole('combobox', { name: 'Message or command in #plans' });
  await line.focus();
  await page.keyboard.type('/subs');
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('Enter');
  expect(await line.inputValue()).toBe('/subscribe ');
  await page.keyboard.type('project');

  const service = page.getByRole('region', { name: 'Practice service' });
  const before = await service.getByText('Drawing 1.pdf').count();
  await fetch(`${new URL(page.url()).origin}/service`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({
      as: 'dana@example.com',
      action: 'create-file',
      project: '412-873-550',
      name: 'Drawing 1.pdf',
    }),
  });
  await expect
    .poll(() => service.getByText('Drawing 1.pdf').count(), { timeout: 20_000 })
    .toBeGreaterThan(before);
  expect(await line.inputValue()).toBe('/subscribe project');
  expect(await page.locator(':focus').getAttribute('id')).toBe(await line.getAttribute('id'));
}, 60_000);

test('every message has its picture in the gallery, and nothing is loaded from elsewhere', async ({
  skip,
}) => {
  const { browser, demo } = onStage(skip);
  const gallery = await browser.newPage();
  const asked: string[] = [];
  const wrong: string[] = [];
  gallery.on('request', (request) => asked.push(new URL(request.url()).origin));
  gallery.on('pageerror', (error) => wrong.push(error.message));
  gallery.on('console', (line) => {
    if (line.type() === 'error') wrong.push(line.text());
  });
  await gallery.goto(`${demo.url}/gallery`);
  await gallery.getByRole('heading', { name: 'A file added' }).waitFor();
  await gallery.getByRole('searchbox', { name: 'Find' }).fill('digest');
  await expect.poll(() => gallery.getByRole('heading', { name: 'A file added' }).isVisible()).toBe(false);
  expect(await gallery.getByRole('heading', { name: 'A daily digest', exact: true }).isVisible()).toBe(true);
  await gallery.getByRole('searchbox', { name: 'Find' }).fill('no such message');
  await gallery.getByText('Nothing found for “no such message”.').waitFor();
  expect(new Set(asked)).toEqual(new Set([new URL(demo.url).origin]));
  expect(wrong).toEqual([]);
  await gallery.close();
}, 60_000);

test('the table of events gives the reason why an event was filtered', async ({ skip }) => {
  const { page } = onStage(skip);
  const guide = guideOf(page);
  await guide.getByRole('button', { name: 'Only one folder' }).click();
  await guide.getByRole('button', { name: /Level 1/ }).click();
  await page.getByRole('log').getByRole('listitem').nth(1).waitFor();
  await guide.getByRole('button', { name: 'Add both' }).click();
  await expect.poll(() => resultOf(page).textContent(), { timeout: 20_000 }).toContain('1 filtered');
  expect(await resultOf(page).textContent()).toContain('0 lost');
  await guide.getByRole('button', { name: 'Show the events' }).click();
  await page.getByRole('region', { name: 'Latest events' }).getByText('filtered: path').first().waitFor();
  await page.getByRole('button', { name: 'Service', exact: true }).click();
}, 60_000);

test('I can sort the table of events by any column, also with the keyboard', async ({ skip }) => {
  const { page } = onStage(skip);
  await page.getByRole('button', { name: 'Faults and events', exact: true }).click();
  const table = page.getByRole('region', { name: 'Latest events' });
  const states = () => table.locator('tbody .state').allTextContents();
  const head = (name: string) => table.getByRole('columnheader', { name });
  expect(await head('Received').getAttribute('aria-sort')).toBe('descending');
  await head('State').getByRole('button').click();
  await expect.poll(() => head('State').getAttribute('aria-sort')).toBe('ascending');
  const upwards = await states();
  expect(new Set(upwards).size).toBeGreaterThan(1);
  expect(upwards).toEqual(upwards.toSorted((one, other) => one.localeCompare(other)));
  await head('State').getByRole('button').focus();
  await page.keyboard.press('Enter');
  await expect.poll(() => head('State').getAttribute('aria-sort')).toBe('descending');
  expect(await states()).toEqual(upwards.toSorted((one, other) => other.localeCompare(one)));
  expect(await page.locator(':focus').textContent()).toContain('State');
  await page.getByRole('button', { name: 'Service', exact: true }).click();
}, 60_000);

test('a tab in the background closes its connection, and is up to date when I return to it', async ({
  skip,
}) => {
  const { browser, demo } = onStage(skip);
  const tab = await browser.newPage();
  const streams = new Set<Request>();
  const isStream = (request: Request) => new URL(request.url()).pathname === '/changes';
  tab.on('request', (request) => {
    if (isStream(request)) streams.add(request);
  });
  tab.on('requestfailed', (request) => streams.delete(request));
  await tab.goto(demo.url);
  await expect.poll(() => streams.size).toBe(1);
  // A browser without windows reports all its tabs as visible.
  const setHidden = (hidden: boolean) =>
    tab.evaluate(`Object.defineProperty(document, 'hidden', { configurable: true, value: ${hidden} });
      document.dispatchEvent(new Event('visibilitychange'));`);
  await setHidden(true);
  await expect.poll(() => streams.size).toBe(0);
  const drawn = tab.waitForResponse((response) => new URL(response.url()).pathname === '/screen');
  await setHidden(false);
  await drawn;
  expect(streams.size).toBe(1);
  await tab.close();
}, 60_000);

test('Stan from another organization sees only the shared channel, and reads why he cannot subscribe it', async ({
  skip,
}) => {
  const { page } = onStage(skip);
  await page.getByLabel('You are').selectOption({ label: 'Stan Ito (partner)' });
  await page.getByRole('heading', { name: 'with-builders' }).waitFor();
  const channels = page.getByRole('navigation', { name: 'Practice Slack' }).getByRole('link');
  expect(await channels.allTextContents()).toEqual(['with-builders']);
  await page
    .getByRole('combobox', { name: 'Message or command in #with-builders' })
    .fill('/subscribe session 845-902-113');
  await page.keyboard.press('Enter');
  await message(page, 'Only its members can use me').waitFor();
  await page.getByLabel('You are').selectOption({ label: 'Dana Reyes' });
  await page
    .getByRole('navigation', { name: 'Practice Slack' })
    .getByRole('link', { name: 'level-1' })
    .click();
  await page.getByRole('heading', { name: 'level-1' }).waitFor();
}, 60_000);

test('on a phone one half of the page is shown, and a badge counts what is new in the other', async ({
  skip,
}) => {
  const { page } = onStage(skip);
  await page.setViewportSize(phone);
  const service = page.getByRole('region', { name: 'Practice service' });
  const tabs = page.getByRole('navigation', { name: 'Slack and service' });
  await tabs.getByRole('button', { name: /Slack/ }).click();
  await page.getByRole('log').waitFor();
  expect(await service.isVisible()).toBe(false);
  await tabs.getByRole('button', { name: 'Service' }).click();
  await service.waitFor();
  expect(await page.getByRole('log').isVisible()).toBe(false);
  // There and back within a moment is not a double press.
  await tabs.getByRole('button', { name: /Slack/ }).click();
  await page.getByRole('log').waitFor();
  await tabs.getByRole('button', { name: 'Service' }).click();
  await service.waitFor();
  const countOfNew = async () =>
    Number(
      /(\d+) new/.exec((await tabs.getByRole('button', { name: /Slack/ }).textContent()) ?? '')?.[1] ?? 0,
    );
  // A direct message may be unread already.
  const before = await countOfNew();
  await service.getByRole('button', { name: 'A-102 Ceiling plan.pdf' }).click();
  // Updates could join the last message.
  await service.getByRole('button', { name: 'Delete' }).click();
  await expect.poll(countOfNew, { timeout: 20_000 }).toBeGreaterThan(before);
  await tabs.getByRole('button', { name: /Slack/ }).click();
  await page.getByRole('log').getByText('A-102 Ceiling plan.pdf').last().waitFor();
  // Nothing is wider than the screen.
  expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(phone.width);
  await page.setViewportSize(desktop);
}, 60_000);

test('with only the keyboard I skip to the messages, walk through lists and close menus', async ({
  skip,
}) => {
  const { page } = onStage(skip);
  const focus = page.locator(':focus');
  const focused = async () => (await focus.textContent()) ?? '';
  await page.reload();
  await page.keyboard.press('Tab');
  expect(await focused()).toBe('Skip to the messages');
  await page.keyboard.press('Enter');
  await expect.poll(() => focus.getAttribute('id')).toBe('log');
  await page
    .getByRole('navigation', { name: 'Practice Slack' })
    .getByRole('link', { name: 'plans' })
    .first()
    .focus();
  await page.keyboard.press('ArrowDown');
  expect(await focused()).toContain('facade');
  const menu = page.locator('details.menu');
  await menu.locator('summary').focus();
  await page.keyboard.press('Enter');
  await menu.getByRole('button', { name: 'Skip to 9:00' }).waitFor();
  await page.keyboard.press('Tab');
  await page.keyboard.press('ArrowDown');
  expect(await focused()).toBe('Skip 1 hour');
  await page.keyboard.press('Escape');
  expect(await menu.getAttribute('open')).toBeNull();
  expect(await focused()).toMatch(/AM|PM/);
}, 60_000);

test('starting over brings back the first visit', async ({ skip }) => {
  const { page } = onStage(skip);
  await guideOf(page).getByRole('button', { name: 'Close the guide' }).click();
  await guideOf(page).getByRole('heading').first().waitFor({ state: 'detached' });
  await page.getByRole('button', { name: 'Guide', exact: true }).click();
  await guideOf(page).getByRole('heading').first().waitFor();
  await page.getByRole('button', { name: 'Reset' }).click();
  await page.getByRole('button', { name: 'Start over' }).click();
  await page
    .getByRole('heading', { name: 'Three steps to see what Plancast does' })
    .waitFor({ timeout: startMs });
  await page.getByText('Ready', { exact: true }).waitFor({ timeout: startMs });
  expect(await page.getByRole('log').getByRole('listitem').count()).toBe(0);
  await page.getByText('0 subscriptions at the service.').waitFor();
}, 200_000);
