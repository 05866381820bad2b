import { setTimeout } from 'node:timers/promises';
import type { Locator, Page } from 'playwright-core';
import { desktop, guideOf, linkAs, resultOf, startDemoStage, startMs } from './demo-stage.ts';

/**
 * Measures what a new user needs in the demo: seconds, and acts (a press or a typed line), from the open page to the first message, a
 * digest and a burst of 2,000; from an empty channel to the first message by command and by form; and, for somebody who is linked, from a link
 * in the clipboard to the first message in five ways. `npx node test/sandbox/demo/first-minute.ts` prints a row for each; with `PACE=1000`, so
 * many milliseconds pass before each act, as with a person. It is not a test, because the seconds depend on the machine.
 */
const waitMs = 120_000;
const project = '412-873-550';
const started = await startDemoStage();
if ('missing' in started) throw new Error(`there is no Chromium: ${started.missing}`);
const stage = started;
const { page, browser, demo } = stage;
page.setDefaultTimeout(waitMs);
let acts = 0;
let since = 0;

/** In milliseconds. */
const pace = Number(process.env.PACE ?? 0);

async function act(what: Promise<unknown>): Promise<void> {
  acts += 1;
  await what;
  await setTimeout(pace);
}

async function measure(name: string, walk: () => Promise<unknown>): Promise<void> {
  acts = 0;
  since = performance.now();
  await walk();
  const seconds = ((performance.now() - since) / 1000).toFixed(1);
  process.stdout.write(`| ${name} | ${seconds} s, ${acts} acts |\n`);
}

const guideButton = (name: string | RegExp): Locator => guideOf(page).getByRole('button', { name }).last();
const inLog = (words: string | RegExp): Promise<void> =>
  page.getByRole('log').getByRole('listitem').filter({ hasText: words }).last().waitFor();

async function typeLine(line: string): Promise<void> {
  await page.getByRole('combobox', { name: /command in/ }).fill(line);
  await page.keyboard.press('Enter');
}

/** Link, Continue, the person, Allow: four presses. */
async function link(): Promise<void> {
  acts += 4;
  const tab = await linkAs(stage, 'Dana Reyes');
  await tab.waitForURL(/\/linked$/);
  await tab.close();
}

async function resultSays(words: string): Promise<void> {
  await resultOf(page).filter({ hasText: words }).waitFor();
}

/** Adds a file, once everyone is linked, and waits for its message. */
async function addFile(name: string): Promise<void> {
  const body = { as: 'dana@example.com', action: 'create-file', project, parent: 'Details', name };
  await page.request.post(`${demo.url}/service`, { data: body });
  await inLog(name);
}

async function openChannel(name: string): Promise<void> {
  await page
    .getByRole('navigation', { name: 'Practice Slack' })
    .getByRole('link', { name, exact: true })
    .click();
  await page.getByRole('heading', { name, exact: true }).waitFor();
}

const press = (button: string): Promise<void> =>
  act(page.getByRole('log').getByRole('button', { name: button }).last().click());
const submit = (button: string): Promise<void> =>
  act(page.getByRole('dialog').getByRole('button', { name: button, exact: true }).click());

/** What somebody does in a channel that follows nothing, who has copied a link. */
const ways: Readonly<Record<string, (link: string) => Promise<void>>> = {
  command: (link) => act(typeLine(`/subscribe ${link}`)),
  async form(link) {
    await act(typeLine('/subscribe'));
    const form = page.getByRole('dialog');
    await act(form.getByRole('searchbox').fill(link));
    await form.getByRole('option', { name: project }).waitFor({ state: 'attached' });
    await submit('Next');
    await submit('Subscribe');
  },
  async 'posted link'(link) {
    await act(typeLine(link));
    await press('Subscribe this channel');
    await submit('Subscribe');
  },
  async mention(link) {
    await act(typeLine(`@plancast ${link}`));
    await press('Run this');
  },
  // Of a message that somebody else has posted, so its preview is there, too.
  async 'shortcut in the menu of a posted message'(link) {
    await typeLine(link);
    await page.getByRole('log').getByRole('button', { name: 'Subscribe this channel' }).waitFor();
    [acts, since] = [0, performance.now()];
    await press('Follow this link');
    await submit('Subscribe');
  },
};

async function startOver(): Promise<Page> {
  await page.getByRole('button', { name: 'Reset' }).click();
  await page.getByRole('button', { name: 'Start over' }).click();
  await page.getByText('Ready', { exact: true }).waitFor({ state: 'detached' });
  await page.getByText('Ready', { exact: true }).waitFor({ timeout: startMs });
  return page;
}

try {
  await page.setViewportSize(desktop);
  await measure('from the open page to the first message, by the guide', async () => {
    await act(guideButton(/subscribe project/).click());
    await link();
    await act(guideButton(/^Add A-103/).click());
    await inLog('A-103 Door schedule.pdf');
  });
  await measure('then to a burst of 2,000, all posted', async () => {
    await act(guideButton('A burst of 2,000').click());
    await act(guideButton('Upload 2,000').click());
    await resultSays('2,000 posted');
  });
  await measure('then to a digest of the next morning', async () => {
    await act(guideButton('A daily digest').click());
    await act(guideButton(/digest daily/).click());
    await act(guideButton('Make changes').click());
    await resultSays('5 waiting');
    await act(guideButton('Skip to 9:00').click());
    await resultSays('5 posted in 1 message');
  });
  await startOver();
  await measure('from an empty channel to the first message by command, linking included', async () => {
    await act(typeLine(`/subscribe project ${project}`));
    await link();
    await inLog('to this channel');
    await addFile('By command.pdf');
  });
  await openChannel('facade');
  await measure('from an empty channel to the first message by form, linked already', async () => {
    await act(typeLine('/subscribe'));
    const form = page.getByRole('dialog');
    await act(form.getByRole('searchbox').fill(`https://studio.example/projects/${project}`));
    await form.getByRole('option', { name: project }).waitFor({ state: 'attached' });
    await act(form.getByRole('button', { name: 'Next' }).click());
    await act(form.getByRole('button', { name: 'Subscribe' }).click());
    await form.waitFor({ state: 'detached' });
    await inLog('to this channel');
    await addFile('By form.pdf');
  });
  await startOver();
  await typeLine(`/plancast link`);
  await link();
  const channels = ['plans', 'facade', 'morning-digest', 'level-1', 'threads'];
  for (const [index, [way, walk]] of Object.entries(ways).entries()) {
    await openChannel(channels[index] ?? '');
    await measure(`from a copied link to the first message, linked: ${way}`, async () => {
      await walk(`${demo.url}/projects/${project}`);
      await inLog('to this channel');
      await addFile(`By ${way}.pdf`);
    });
  }
} finally {
  await stage.close();
  await browser.close().catch(() => undefined);
}
