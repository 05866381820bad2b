import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type BrowserContext, chromium, type Page } from 'playwright-core';
import { type DemoProcess, startDemoProcess } from './demo-process.ts';
import { chromiumFlags, findChromium } from './find-chromium.ts';

/** How long a start may take, in milliseconds, while other tests keep the machine busy. */
export const startMs = 90_000;
export const desktop = { width: 1440, height: 900 };
export const phone = { width: 390, height: 844 };

/** A demo, and a browser that shows it. */
export type DemoStage = {
  readonly demo: DemoProcess;
  readonly browser: BrowserContext;
  readonly page: Page;
  /** Script errors of the page so far. */
  readonly wrong: readonly string[];
  readonly close: () => Promise<void>;
};

/** Starts a demo and opens it; without a Chromium, returns the reason. */
export async function startDemoStage(): Promise<DemoStage | { missing: string }> {
  const found = findChromium();
  if ('missing' in found) return found;
  const demo = await startDemoProcess();
  const profile = await mkdtemp(join(tmpdir(), 'demo-browser-'));
  const browser = await chromium.launchPersistentContext(profile, {
    executablePath: found.path,
    args: chromiumFlags,
    viewport: desktop,
  });
  browser.setDefaultTimeout(20_000);
  const page = browser.pages()[0] ?? (await browser.newPage());
  const wrong: string[] = [];
  page.on('pageerror', (error) => wrong.push(error.message));
  await page.goto(demo.url);
  await page.getByText('Ready', { exact: true }).waitFor({ timeout: startMs });
  return {
    demo,
    browser,
    page,
    wrong,
    async close() {
      await browser.close();
      await demo.end('SIGINT');
      await rm(profile, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 });
      await rm(demo.temporary, { recursive: true, force: true });
    },
  };
}

/** Presses **Link** below the latest answer, and goes through the pages that open, up to the last. */
export async function linkAs({ browser, page }: DemoStage, person: string): Promise<Page> {
  const button = page.getByRole('log').getByRole('link', { name: 'Link', exact: true }).last();
  const [tab] = await Promise.all([browser.waitForEvent('page'), button.click()]);
  await tab.getByRole('button', { name: /^Continue to/ }).click();
  await tab.getByLabel(new RegExp(person)).check();
  await tab.getByRole('button', { name: 'Allow' }).click();
  return tab;
}

/** Links as Lee, whose addresses differ, and opens the form for the code that the browser shows. `type` sends a code with it. */
export async function openCodeForm(stage: DemoStage) {
  const { page } = stage;
  const tab = await linkAs(stage, 'Lee Park');
  const code = await tab
    .getByText(/^[A-Z2-9]{6}$/)
    .first()
    .textContent();
  await tab.close();
  await page.getByRole('log').getByRole('button', { name: 'Enter code' }).last().click();
  const form = page.getByRole('dialog', { name: 'Enter code' });
  const field = form.getByRole('textbox', { name: 'Code' });
  const type = async (text: string) => {
    await field.fill(text);
    await page.keyboard.press('Enter');
  };
  return { code: code ?? '', form, field, type };
}

/** Subscribes #plans to the tower as Dana, following the steps of the guide; her account is linked on the way. */
export async function followTheGuide(stage: DemoStage): Promise<void> {
  const { page } = stage;
  const guide = guideOf(page);
  await guide.getByRole('button', { name: /subscribe project/ }).click();
  const tab = await linkAs(stage, 'Dana Reyes');
  // The last page has the service's answer, whatever it is.
  await tab.waitForURL(/\/linked$/);
  await tab.close();
  await guide.getByRole('button', { name: /^Add A-103/ }).click();
  await page.getByRole('log').getByText('A-103 Door schedule.pdf').first().waitFor();
}

export function guideOf(page: Page) {
  return page.locator('#guide');
}

/** Locates the result that the guide shows for the current try. */
export function resultOf(page: Page) {
  return guideOf(page).locator('.result');
}
