import axe from 'axe-core';
import type { Page } from 'playwright-core';

/** What axe finds wrong with the page as it is, one line a rule; minor things are not counted. */
export async function axeFindings(page: Page): Promise<string[]> {
  // The page's own policy lets nothing but its scripts be loaded; what is evaluated needs no loading.
  await page.evaluate(axe.source);
  const { violations } = await page.evaluate(() =>
    (globalThis as unknown as { axe: typeof axe }).axe.run({ resultTypes: ['violations'] }),
  );
  // What a button of a message is called for screen readers is the bot's matter, and looked at in its own tests.
  const isBots = (target: unknown[]): boolean =>
    target.some((selector) => /data-(block|action|value)|\.message|\.modal|\.section/.test(String(selector)));
  return violations
    .map(({ nodes, ...rest }) => ({
      ...rest,
      nodes:
        rest.id === 'label-content-name-mismatch' ? nodes.filter(({ target }) => !isBots(target)) : nodes,
    }))
    .filter(({ nodes }) => nodes.length > 0)
    .filter(({ impact }) => impact !== 'minor')
    .map(
      ({ id, impact, nodes }) => `${impact} ${id}: ${nodes.map(({ target }) => target.join(' ')).join(', ')}`,
    );
}
