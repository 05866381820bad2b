import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { chromium, type Page } from 'playwright-core';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { lookFromOutside, type Outside } from '../contract/outside.ts';
import { chromiumFlags, findChromium } from '../sandbox/demo/find-chromium.ts';
import { exchanges } from '../support/linking.ts';
import { type Stage, setStage } from '../support/stage.ts';

const found = findChromium();
let stage: Stage;
let outside: Outside;
beforeAll(async () => {
  stage = await setStage({ name: 'address bar', bot: false });
  // Another host than the bot's, as in real life, so that the cookie has to survive a redirect from another site.
  await stage.addBot({ serviceAuthUrl: stage.service.authUrl.replace('127.0.0.1', 'localhost') });
  outside = lookFromOutside(stage);
});
afterAll(async () => {
  await outside.close();
  await stage.close();
});

/** Bit of a visit in Chromium's history that ends a chain of redirects; the history shows no other visits. */
const chainEnd = 0x20000000;

/** What a person does on the page of the service, and then. */
type Act = (page: Page) => Promise<void>;

const allow =
  (email: string): Act =>
  async (page) => {
    await page.getByLabel(new RegExp(email)).check();
    await page.getByRole('button', { name: 'Allow' }).click();
    await page.waitForURL('**/linked');
  };
/** Goes back to the page of the service, and agrees once more: the same state comes again. */
const again: Act = async (page) => {
  await page.goBack();
  await allow('dana@example.com')(page);
};

test.for<[after: string, heading: string, acts: readonly Act[]]>([
  ['success', 'You’re linked', [allow('dana@example.com')]],
  ['an account with another address', 'Enter this code in Slack', [allow('lee@example.com')]],
  [
    'refusal',
    'Linking canceled',
    [(page) => page.getByRole('button', { name: 'Deny' }).click(), (page) => page.waitForURL('**/linked')],
  ],
  ['reuse', 'You’re linked', [allow('dana@example.com'), again]],
  [
    'reuse without the cookie',
    'Check in Slack whether you’re linked',
    [allow('dana@example.com'), (page) => page.context().clearCookies(), again],
  ],
  [
    'an outage of the service',
    'The service isn’t available',
    [
      async (page) => {
        const fault = stage.service.faults.set({ kind: 'answer', status: 503, endpoint: 'token' });
        onTestFinished(() => fault.remove());
        await allow('dana@example.com')(page);
      },
    ],
  ],
])(
  'after %s, Chromium has no code and no state in the address bar, the page, its history or a Referer',
  async ([_after, heading, acts], { skip }) => {
    skip('missing' in found, 'missing' in found ? found.missing : '');
    if ('missing' in found) return;
    const profile = await mkdtemp(join(tmpdir(), 'address-bar-'));
    onTestFinished(() => rm(profile, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 }));
    const context = await chromium.launchPersistentContext(profile, {
      executablePath: found.path,
      args: chromiumFlags,
    });
    onTestFinished(() => context.close());
    const page = context.pages()[0] ?? (await context.newPage());
    const callbacks: string[] = [];
    const referers: string[] = [];
    page.on('request', (request) => {
      if (request.url().includes('/oauth/callback')) callbacks.push(request.url());
      referers.push(request.headers().referer ?? '');
    });
    await context.route('https://app.slack.com/**', (route) => route.fulfill({ body: 'Slack' }));

    const nia = await outside.member({ email: 'dana@example.com' });
    const offer = await outside.ask(nia, '/plancast link');
    await page.goto(String(stage.slack.button(offer, 'Link').element.url));
    await page.getByRole('button', { name: /^Continue to/ }).click();
    for (const act of acts) await act(page);

    const secrets = callbacks.flatMap((callback) => {
      const { searchParams } = new URL(callback);
      return ['code', 'state'].flatMap((name) => searchParams.getAll(name));
    });
    expect(secrets.length).toBeGreaterThanOrEqual(heading === 'Linking canceled' ? 1 : 2);
    // The address of the page of the service has the state, which is its own business.
    const consent = `${stage.service.authUrl.replace('127.0.0.1', 'localhost')}/auth/oauth/authorize?`;
    const expectHidden = (seen: readonly string[]) => {
      const ours = seen.filter((text) => !text.startsWith(consent)).join('\n');
      for (const secret of secrets) expect(ours).not.toContain(secret);
    };

    expect(page.url()).toBe(`${stage.bot.publicUrl}/linked`);
    await expect.poll(() => page.locator('h1').textContent()).toBe(heading);
    expectHidden([await page.content(), await page.evaluate<string>('document.referrer + document.cookie')]);
    await page.getByRole('link', { name: 'Open Slack in the browser' }).click();
    await page.waitForURL('https://app.slack.com/**');
    const { entries } = await (await context.newCDPSession(page)).send('Page.getNavigationHistory');
    expect(entries.map(({ url }) => url)).toContain(`${stage.bot.publicUrl}/linked`);
    expectHidden(entries.flatMap(({ url, title, userTypedURL }) => [url, title, userTypedURL]));
    await page.goBack();
    await page.reload();
    expect(page.url()).toBe(`${stage.bot.publicUrl}/linked`);
    expect(await page.locator('h1').textContent()).toBe(heading);
    expectHidden(referers);

    await context.close();
    const visited = historyOf(profile);
    expect(visited).toContain(`${stage.bot.publicUrl}/linked`);
    expectHidden(visited);

    // The file of the history has more than it shows, but that is worthless.
    const redeemed = exchanges(stage.service);
    for (const callback of callbacks) await fetch(callback, { redirect: 'manual' });
    expect(exchanges(stage.service)).toBe(redeemed);
  },
);

/** The addresses that Chromium's history page shows. */
function historyOf(profile: string): string[] {
  const history = new DatabaseSync(join(profile, 'Default', 'History'), { readOnly: true });
  const shown = history
    .prepare('select urls.url from urls join visits on visits.url = urls.id where transition & ? != 0')
    .all(chainEnd);
  history.close();
  return shown.map(({ url }) => String(url));
}
