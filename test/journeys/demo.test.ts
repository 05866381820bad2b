import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type BrowserContext, chromium, type Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type DemoProcess, startDemoProcess } from '../sandbox/demo/demo-process.ts';
import { chromiumFlags, findChromium } from '../sandbox/demo/find-chromium.ts';

/** For the start, while other tests keep the machine busy. */
const startMs = 90_000;

type Stage = {
  readonly demo: DemoProcess;
  readonly browser: BrowserContext;
  readonly page: Page;
  readonly profile: string;
};

const found = findChromium();
let stage: Stage | undefined;

beforeAll(async () => {
  if ('missing' in found) {
    process.stderr.write(`The journeys through the demo are left out: ${found.missing}.\n`);
    return;
  }
  const demo = await startDemoProcess();
  const profile = await mkdtemp(join(tmpdir(), 'demo-browser-'));
  const browser = await chromium.launchPersistentContext(profile, {
    executablePath: found.path,
    args: chromiumFlags,
    viewport: { width: 1440, height: 900 },
  });
  browser.setDefaultTimeout(20_000);
  const page = browser.pages()[0] ?? (await browser.newPage());
  stage = { demo, browser, page, profile };
  await page.goto(demo.url);
  await page.getByText('Ready', { exact: true }).waitFor({ timeout: startMs });
}, startMs + 30_000);

afterAll(async () => {
  if (stage === undefined) return;
  await stage.browser.close();
  await stage.demo.end('SIGINT');
  await rm(stage.profile, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 });
  await rm(stage.demo.temporary, { recursive: true, force: true });
}, 30_000);

/** What everybody tests on; without a Chromium the test is left out, with the reason. */
function onStage(skip: (condition: boolean, note: string) => void): Stage {
  skip(stage === undefined, 'missing' in found ? found.missing : '');
  if (stage === undefined) throw new Error('There is no stage.');
  return stage;
}

/** Types a command and sends it, with the keyboard alone. */
async function typeCommand(page: Page, line: string): Promise<void> {
  await page.getByRole('combobox', { name: 'Command in #plans' }).focus();
  await page.keyboard.type(line);
  await page.keyboard.press('Enter');
}

/** Presses **Link** below the answer, and goes through the pages that open, up to the last. */
async function link({ browser, page }: Stage, person: string): Promise<Page> {
  const button = page.getByRole('log').getByRole('link', { name: 'Link', exact: true }).last();
  const [tab] = await Promise.all([browser.waitForEvent('page'), button.click()]);
  await tab.getByRole('button', { name: /this is me/ }).click();
  await tab.getByLabel(new RegExp(person)).check();
  await tab.getByRole('button', { name: 'Allow' }).click();
  return tab;
}

/** The latest message in the channel with these words. */
function message(page: Page, words: string | RegExp) {
  return page.getByRole('log').getByRole('listitem').filter({ hasText: words }).last();
}

test('Dana subscribes, links and reads in the channel what becomes of a file', async ({ skip }) => {
  const here = onStage(skip);
  const { page } = here;
  await typeCommand(page, '/subscribe project 412-873-550');
  const tab = await link(here, 'Dana Reyes');
  await tab.getByText('You are connected').first().waitFor();
  await tab.close();
  await message(page, /Dana.* subscribed this channel to project 412-873-550/).waitFor();

  const service = page.getByRole('complementary', { name: 'Practice service' });
  await service.getByRole('button', { name: 'A-101 Floor plan.pdf' }).click();
  await service.getByLabel('New name').fill('A-101 Entrance.pdf');
  await service.getByRole('button', { name: 'Rename' }).click();
  await message(page, 'A-101 Entrance.pdf').waitFor();
  await service.getByLabel('New name').fill('A-101 Lobby.pdf');
  await service.getByRole('button', { name: 'Rename' }).click();
  await message(page, /renamed A-101 Entrance\.pdf to A-101 Lobby\.pdf/).waitFor();

  await typeCommand(page, '/unsubscribe project 412-873-550');
  await message(page, /Dana.* removed this channel’s subscription/).waitFor();
  await service.getByText('0 subscriptions at the service.').waitFor();
}, 90_000);

test('Sam follows a session through the form, which asks for what it needs', async ({ skip }) => {
  const here = onStage(skip);
  const { page } = here;
  await page.getByLabel('You are').selectOption({ label: 'Sam Okafor' });
  await typeCommand(page, '/plancast link');
  const tab = await link(here, 'Sam Okafor');
  await tab.getByText('You are connected').first().waitFor();
  await tab.close();
  await typeCommand(page, '/subscribe');
  const form = page.getByRole('dialog');
  await form.getByLabel('Link or id').fill('12');
  await page.keyboard.press('Enter');
  await form.getByText('is not understood yet').first().waitFor();
  await form.getByRole('button', { name: 'Follow' }).click();
  await form.getByText('I don’t understand').first().waitFor();
  await form.getByLabel('What to follow').selectOption({ label: 'A session' });
  const id = form.getByLabel('Link or id of the session');
  expect(await id.inputValue()).toBe('12');
  await id.fill('845 902 113');
  await page.keyboard.press('Enter');
  await form.waitFor({ state: 'detached' });
  await message(page, /Sam.* subscribed this channel to session 845-902-113/).waitFor();
}, 90_000);

test('Lee, whose addresses differ, types the code that the browser shows', async ({ skip }) => {
  const here = onStage(skip);
  const { page } = here;
  await page.getByLabel('You are').selectOption({ label: 'Lee Park' });
  await page.getByRole('log').getByText('Only visible to you').first().waitFor({ state: 'detached' });
  await typeCommand(page, '/subscribe session 731-450-286');
  const tab = await link(here, 'Lee Park');
  const code = await tab
    .getByText(/^[A-Z2-9]{6}$/)
    .first()
    .textContent();
  await tab.close();

  await page.getByRole('log').getByRole('button', { name: 'Enter code' }).last().click();
  const form = page.getByRole('dialog', { name: 'Enter code' });
  await form.getByRole('textbox', { name: 'Code' }).fill('ZZZZZZ');
  await page.keyboard.press('Enter');
  const field = form.getByRole('textbox', { name: 'Code' });
  await expect.poll(() => field.getAttribute('aria-invalid'), { timeout: 20_000 }).toBe('true');
  await field.fill(code ?? '');
  await page.keyboard.press('Enter');
  await form.waitFor({ state: 'detached' });
  await message(page, /Lee.* subscribed this channel to session 731-450-286/).waitFor();
}, 90_000);

test('what somebody is typing stays while messages come in', async ({ skip }) => {
  const { page } = onStage(skip);
  const line = page.getByRole('combobox', { name: 'Command in #plans' });
  await line.focus();
  await page.keyboard.type('/subs');
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('Enter');
  expect(await line.inputValue()).toBe('/subscribe ');
  await page.keyboard.type('project');

  const service = page.getByRole('complementary', { name: 'Practice service' });
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

test('every message has its picture in the gallery, and nothing comes from elsewhere', async ({ skip }) => {
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
  await gallery.getByLabel('Find').fill('digest');
  await expect.poll(() => gallery.getByRole('heading', { name: 'A file added' }).isVisible()).toBe(false);
  expect(await gallery.getByRole('heading', { name: 'A daily digest' }).isVisible()).toBe(true);
  expect(new Set(asked)).toEqual(new Set([new URL(demo.url).origin]));
  expect(wrong).toEqual([]);
  await gallery.close();
}, 60_000);
