import { expect, onTestFinished, test } from 'vitest';
import { axeFindings } from '../sandbox/demo/axe-findings.ts';
import { startDemoStage } from '../sandbox/demo/demo-stage.ts';

test('axe finds nothing wrong with the page in light and dark, with a form open, or with faults and events', async ({
  skip,
}) => {
  const stage = await startDemoStage();
  if ('missing' in stage) return skip(stage.missing);
  onTestFinished(() => stage.close());
  const { page, wrong } = stage;
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme });
    for (const side of ['Service', 'Faults and events']) {
      await page.getByRole('button', { name: side, exact: true }).click();
      await page.getByRole('heading', { name: side === 'Service' ? 'Projects' : 'Latest events' }).waitFor();
      expect(await axeFindings(page)).toEqual([]);
    }
    await page
      .getByRole('button', { name: /Subscribe a channel/ })
      .first()
      .click();
    const form = page.getByRole('dialog');
    await form.waitFor();
    expect(await axeFindings(page)).toEqual([]);
    await page.keyboard.press('Escape');
    await form.waitFor({ state: 'detached' });
  }
  expect(wrong).toEqual([]);
}, 120_000);
