import axe from 'axe-core';
import type { Page } from 'playwright-core';

/** Returns what axe finds wrong with the page as it is, one line per rule; minor findings are not counted. */
export async function axeFindings(page: Page): Promise<string[]> {
  // The page's CSP blocks scripts from elsewhere; an evaluated script is not blocked.
  await page.evaluate(axe.source);
  const { violations } = await page.evaluate(() =>
    (globalThis as unknown as { axe: typeof axe }).axe.run({ resultTypes: ['violations'] }),
  );
  return violations
    .filter(({ impact }) => impact !== 'minor')
    .map(
      ({ id, impact, nodes }) => `${impact} ${id}: ${nodes.map(({ target }) => target.join(' ')).join(', ')}`,
    );
}
