import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { axeFindings } from './axe-findings.ts';
import {
  type DemoStage,
  desktop,
  followTheGuide,
  guideOf,
  linkAs,
  openCodeForm,
  phone,
  resultOf,
  startDemoStage,
  startMs,
} from './demo-stage.ts';

/** Folder for a picture of each result, for people to look at. */
const pictures = process.env.DEMO_PICTURES;

/** All chips run one after another in one demo, and each starts where the one before ended. */
const waits = { timeout: 100_000 };

const press = (page: Page, name: string | RegExp) =>
  guideOf(page).getByRole('button', { name }).last().click();
/** Waits until the chip is open, because the steps of the previous one are still shown before that. */
async function openChip(page: Page, name: string): Promise<void> {
  await guideOf(page).getByRole('button', { name, exact: true }).click();
  await guideOf(page).getByRole('heading', { name, exact: true }).waitFor();
}
const says = (page: Page, words: string) =>
  expect.poll(() => resultOf(page).textContent(), waits).toContain(words);
const steps = (page: Page) => guideOf(page).locator('.scenario li');
const isDone = (page: Page, index: number) =>
  expect.poll(() => steps(page).nth(index).getAttribute('class'), waits).toBe('done');
const isOpen = async (page: Page, index: number) =>
  expect(await steps(page).nth(index).getAttribute('class')).toBe('open');

async function enterCode(stage: DemoStage): Promise<void> {
  const { code, form, type } = await openCodeForm(stage);
  await type(code);
  await form.waitFor({ state: 'detached' });
}

type Try = { readonly chip: string; readonly walk: (stage: DemoStage) => Promise<unknown> };

const tries: readonly Try[] = [
  {
    chip: 'A burst of 2,000',
    async walk({ page }) {
      await press(page, 'Upload 2,000');
      await says(page, '2,000 posted');
      await says(page, '0 lost');
      expect(await page.getByRole('log').getByRole('listitem').count()).toBeLessThan(12);
    },
  },
  {
    chip: 'A daily digest',
    async walk({ page }) {
      await press(page, /digest daily/);
      await press(page, 'Make changes');
      await says(page, '5 waiting');
      await press(page, 'Skip to 9:00');
      await says(page, '5 posted in 1 message');
      expect(await page.locator('[data-clock]').textContent()).toMatch(/9:0\d AM/);
      // Moving the clock forward does not count as an outage.
      expect(await page.getByRole('log').getByText('While Plancast was down').count()).toBe(0);
      // Deletions come first.
      const digest = page.getByRole('log').getByRole('listitem').last();
      expect(await digest.locator('.blocks .section').nth(1).textContent()).toContain('deleted');
    },
  },
  {
    chip: 'Only one folder',
    async walk({ page }) {
      await press(page, /Level 1/);
      await page.getByRole('log').getByRole('listitem').nth(1).waitFor();
      await press(page, 'Add both');
      await says(page, '1 filtered');
      await press(page, 'Show the events');
      const events = page.getByRole('region', { name: 'Latest events' });
      await events.getByText('filtered: path').first().waitFor();
      await isDone(page, 2);
    },
  },
  {
    chip: 'Threads',
    async walk({ page }) {
      await press(page, /threads on/);
      await page.getByRole('log').getByRole('listitem').nth(1).waitFor();
      await press(page, 'Add and check in');
      // The second version joins the reply about the first.
      await says(page, '3 posted in 2 messages');
      expect(await page.locator('.message.reply').count()).toBe(1);
    },
  },
  {
    chip: 'Undo',
    async walk({ page }) {
      await press(page, /unsubscribe/);
      // Earlier messages keep their buttons.
      const removal = { hasText: 'removed the subscription' };
      const answer = page.getByRole('log').getByRole('listitem').filter(removal).last();
      await answer.getByRole('button', { name: 'Undo' }).click();
      await isDone(page, 2);
    },
  },
  {
    chip: 'Why?',
    async walk({ page }) {
      await press(page, 'Add a file');
      await isDone(page, 1);
      const alone = page.locator('.message.ephemeral');
      const before = await alone.count();
      await press(page, /plancast why/);
      await expect.poll(() => alone.count(), waits).toBeGreaterThan(before);
    },
  },
  {
    chip: 'What did I miss?',
    async walk({ page }) {
      await press(page, 'Make changes');
      await isDone(page, 1);
      const alone = page.locator('.message.ephemeral');
      await press(page, /plancast recap$/);
      await alone.last().getByText('Facade 1–12').waitFor(waits);
      await press(page, /recap A-201/);
      await alone.last().getByText('A-201 Floor plan.pdf').first().waitFor(waits);
    },
  },
  {
    chip: 'A posted link',
    async walk({ page }) {
      await press(page, /Post a link/);
      const preview = page.getByRole('log').getByRole('button', { name: 'Subscribe this channel' });
      await preview.last().click();
      await isDone(page, 1);
      await isOpen(page, 2);
      await page.getByRole('dialog').getByRole('button', { name: 'Subscribe', exact: true }).click();
      await isDone(page, 2);
    },
  },
  {
    chip: 'A typo',
    async walk({ page }) {
      await press(page, /digset/);
      const answer = page.locator('.message.ephemeral').last();
      await answer.getByText('thanks a lot').waitFor(waits);
      await isOpen(page, 1);
      await answer.getByRole('button', { name: 'Run this' }).click();
      await isDone(page, 1);
    },
  },
  {
    chip: 'Two email addresses',
    async walk(stage) {
      await press(stage.page, /subscribe session/);
      await enterCode(stage);
      await isDone(stage.page, 2);
    },
  },
  {
    chip: 'Kill the bot',
    async walk({ page }) {
      await press(page, 'Upload and kill');
      await page.getByText('Bot killed').waitFor();
      await press(page, 'Start it again');
      await says(page, '600 posted');
      await says(page, '0 lost');
    },
  },
  {
    chip: 'Slack says wait',
    async walk({ page }) {
      await press(page, 'Refuse');
      await press(page, 'Make changes');
      await says(page, '8 posted');
      await expect.poll(() => resultOf(page).textContent()).toMatch(/refused [1-9]/);
      await press(page, 'Let it work');
      await isDone(page, 3);
    },
  },
  {
    chip: 'The service is down',
    async walk({ page }) {
      await press(page, 'Take it down');
      await press(page, /538-204-917/);
      await page.locator('.message.ephemeral').last().waitFor(waits);
      await press(page, 'Bring it back');
      await press(page, 'Skip 1 minute');
      await isDone(page, 3);
      await page
        .getByRole('log')
        .getByRole('listitem')
        .filter({ hasText: '538-204-917' })
        .last()
        .waitFor(waits);
    },
  },
  {
    chip: 'Guests and partners',
    async walk({ page }) {
      await guideOf(page)
        .getByRole('button', { name: /subscribe project/ })
        .first()
        .click();
      await page.locator('.message.ephemeral').last().waitFor(waits);
      await press(page, /^\/subscribe project/);
      await page.getByRole('heading', { name: 'with-builders' }).waitFor();
      await page.locator('.message.ephemeral button').first().click();
      await page.getByRole('log').getByRole('listitem').nth(1).waitFor(waits);
      await press(page, 'Add a file');
      await says(page, '1 posted');
      await press(page, /unsubscribe/);
      await page.getByRole('log').getByText('I belong to another organization').last().waitFor(waits);
    },
  },
  {
    chip: 'Who may subscribe',
    async walk(stage) {
      const { page } = stage;
      await press(page, /plancast settings/);
      const form = page.getByRole('dialog');
      await form.getByRole('radio', { name: /admin/i }).first().check();
      await form.locator('button[type=submit]').click();
      await form.waitFor({ state: 'detached' });
      await press(page, /subscribe session/);
      await page.locator('.message.ephemeral').last().waitFor(waits);
      await page.getByRole('log').getByRole('button', { name: /admin/i }).last().click();
      await page.getByText('I asked 1 admin').waitFor(waits);
      await press(page, 'in her messages');
      await page.getByRole('log').getByRole('button', { name: 'Allow' }).last().click();
      await press(page, 'in his messages');
      const tab = await linkAs(stage, 'Sam Okafor');
      await tab.waitForURL(/\/linked$/);
      await tab.close();
      // The last step is gone once Sam is linked.
      await expect.poll(() => steps(page).count(), waits).toBe(4);
      await isDone(page, 3);
    },
  },
];

describe.each([
  { size: 'a desktop', viewport: desktop },
  { size: 'a phone', viewport: phone },
])('on $size', ({ viewport }) => {
  let stage: DemoStage | undefined;
  let missing = '';

  beforeAll(async () => {
    const started = await startDemoStage();
    if ('missing' in started) {
      missing = started.missing;
      return;
    }
    stage = started;
    await stage.page.setViewportSize(viewport);
    await followTheGuide(stage);
  }, startMs + 60_000);
  afterAll(() => stage?.close(), 30_000);

  test.for(tries)('trying "$chip" shows its result', async ({ chip, walk }, { skip }) => {
    skip(stage === undefined, missing);
    if (stage === undefined) return;
    const { page } = stage;
    if (!(await guideOf(page).isVisible())) await page.getByRole('button', { name: /^Slack/ }).click();
    await openChip(page, chip);
    await walk(stage);
    for (const colorScheme of pictures === undefined ? [] : (['dark', 'light'] as const)) {
      await page.emulateMedia({ colorScheme });
      await page.screenshot({ path: `${pictures}/${viewport.width} ${colorScheme} ${chip}.png` });
    }
    expect(await axeFindings(page)).toEqual([]);
    expect(stage.wrong).toEqual([]);
  });

  test('axe finds nothing wrong with the page of all messages', async ({ skip }) => {
    skip(stage === undefined, missing);
    if (stage === undefined) return;
    const { page, demo } = stage;
    await page.goto(`${demo.url}/gallery`);
    await page.getByRole('heading', { name: 'A file added' }).waitFor();
    expect(await axeFindings(page)).toEqual([]);
  }, 120_000);
});
