import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { chromium, type Page } from 'playwright-core';
import { startDemoProcess } from './demo-process.ts';
import { chromiumFlags, findChromium } from './find-chromium.ts';

/**
 * Renews the picture in the README from the demo itself: `npx node test/sandbox/demo/take-picture.ts`. It is no test, since
 * no two machines draw letters alike.
 */
const picture = fileURLToPath(new URL('../../../docs/channel.png', import.meta.url));
const dana = 'dana@example.com';
const sam = 'sam@example.com';
const project = '412-873-550';
const doors = { project, item: 'Plans/Level 1/A-103 Doors and frames.pdf' };

/** What happens in the picture. */
const happenings = [
  // From this the bot knows what the project is called.
  { as: dana, action: 'rename-project', project, name: 'Harbour Tower' },
  { as: dana, action: 'create-file', project, parent: 'Plans/Level 1', name: 'A-103 Door schedule.pdf' },
  {
    as: sam,
    action: 'rename-item',
    project,
    item: 'Plans/Level 1/A-103 Door schedule.pdf',
    name: 'A-103 Doors and frames.pdf',
  },
  { as: dana, action: 'check-in', ...doors },
  { as: sam, action: 'move-item', ...doors, to: 'Details' },
  { as: dana, action: 'delete-item', project, item: 'Details/D-01 Stair.pdf' },
];
/** The picture begins with the first message that tells this. */
const beginning = 'added';
const size = { width: 1260, height: 640 };

async function linkDana(page: Page): Promise<void> {
  await page.getByRole('combobox', { name: 'Command' }).fill(`/subscribe project ${project}`);
  await page.keyboard.press('Enter');
  const button = page.getByRole('log').getByRole('link', { name: 'Link', exact: true });
  const [tab] = await Promise.all([page.context().waitForEvent('page'), button.click()]);
  await tab.getByRole('button').click();
  await tab.getByRole('button', { name: 'Allow' }).click();
  await tab.getByText('You’re linked').first().waitFor();
  await tab.close();
  await page.getByRole('log').getByText('subscribed this channel').waitFor();
}

/** Makes the window so high that the picture begins with a whole message. */
async function fitWindow(page: Page): Promise<void> {
  const messages = page.getByRole('log').getByRole('listitem');
  const first = await messages.filter({ hasText: beginning }).first().boundingBox();
  const last = await messages.last().boundingBox();
  const log = await page.locator('#log').boundingBox();
  if (first === null || last === null || log === null) throw new Error('There are no messages.');
  // Below the last message is some room.
  const wanted = last.y + last.height + 8 - first.y;
  await page.setViewportSize({ ...size, height: Math.round(size.height + wanted - log.height) });
  await messages.last().scrollIntoViewIfNeeded();
}

async function takePicture(page: Page, url: string): Promise<void> {
  await page.goto(url);
  await page.getByText('Ready', { exact: true }).waitFor({ timeout: 90_000 });
  await page.getByRole('button', { name: 'Close the guide' }).click();
  await linkDana(page);
  let count = await page.getByRole('log').getByRole('listitem').count();
  for (const happening of happenings) {
    await page.request.post(`${url}/service`, { data: happening });
    await page.getByRole('log').getByRole('listitem').nth(count).waitFor();
    count += 1;
    // A busy channel would tell of several things in one message.
    await page.waitForTimeout(2_000);
  }
  await page.mouse.move(0, 0);
  await fitWindow(page);
  await page.locator('.channel').screenshot({ path: picture });
}

const found = findChromium();
if ('missing' in found) throw new Error(`There is no Chromium: ${found.missing}.`);
const profile = await mkdtemp(join(tmpdir(), 'demo-browser-'));
const demo = await startDemoProcess();
const browser = await chromium.launchPersistentContext(profile, {
  executablePath: found.path,
  args: chromiumFlags,
  viewport: size,
  deviceScaleFactor: 1.4,
});
try {
  await takePicture(browser.pages()[0] ?? (await browser.newPage()), demo.url);
} finally {
  await browser.close();
  await demo.end('SIGINT');
  await rm(profile, { recursive: true, force: true });
  await rm(demo.temporary, { recursive: true, force: true });
}
