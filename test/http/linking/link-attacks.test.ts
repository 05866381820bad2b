import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { authorizeAs } from '../../../sandbox/service/authorize-as.ts';
import type { SlackPerson } from '../../../src/core/model/people.ts';
import type { Request } from '../../../src/core/model/request.ts';
import { linkDirectly } from '../../support/link-directly.ts';
import { codeOn, exchanges, headingOf, type Linking, minute, setUpLinking } from '../../support/linking.ts';

const nothing = { links: 0, tokens: 0 };
/** The heading for a browser whose attempt did not come back from the service, and for anyone else's. */
const stray = 'Check in Slack whether you’re linked';

let world: Linking;

beforeAll(async () => {
  world = await setUpLinking({ name: 'link attacks' });
});
beforeEach(() => world.reset());
afterAll(() => world.stage.close());

/** Takes Dana's browser through the service. Returns the callback URL it was redirected to, which is not opened yet. */
async function danaComesBack(account = 'dana@example.com', request: Request | null = null) {
  const browser = world.openBrowser();
  const url = await world.offer(world.dana, request);
  const callback = await authorizeAs(await world.goToService(browser, url), account);
  return { browser, url, callback };
}

function changed(address: string, change: (parameters: URLSearchParams) => void): string {
  const url = new URL(address);
  change(url.searchParams);
  return url.href;
}

test('I send an answer without a state', async () => {
  const { browser, callback } = await danaComesBack();
  const page = await browser.open(changed(callback, (parameters) => parameters.delete('state')));
  expect(headingOf(page)).toBe(stray);
  expect(await world.stored()).toEqual(nothing);
  expect(exchanges(world.service)).toBe(0);
});

test.each([
  ['empty', (parameters: URLSearchParams) => parameters.set('state', '')],
  ['huge', (parameters: URLSearchParams) => parameters.set('state', 'x'.repeat(5_000))],
  ['twice', (parameters: URLSearchParams) => parameters.append('state', 'x')],
  ['with NUL and a lone percent sign', (parameters: URLSearchParams) => parameters.set('state', '\0%')],
  [
    'as an array',
    (parameters: URLSearchParams) => {
      parameters.append('state[]', parameters.get('state') ?? '');
      parameters.delete('state');
    },
  ],
])('I send a malformed state: %s', async (_how, change) => {
  const { browser, callback } = await danaComesBack();
  expect(headingOf(await browser.open(changed(callback, change)))).toBe(stray);
  expect(await world.stored()).toEqual(nothing);
  expect(exchanges(world.service)).toBe(0);
  expect(world.failures()).toEqual([]);
});

test('I change one character of the state', async () => {
  const { browser, callback } = await danaComesBack();
  const page = await browser.open(
    changed(callback, (parameters) => {
      const state = parameters.get('state') ?? '';
      parameters.set('state', (state[0] === 'A' ? 'B' : 'A') + state.slice(1));
    }),
  );
  expect(headingOf(page)).toBe(stray);
  expect(await world.stored()).toEqual(nothing);
  expect(exchanges(world.service)).toBe(0);
});

test('I use a state twice', async () => {
  const { browser, callback } = await danaComesBack('dana@example.com', { act: 'list' });
  expect(headingOf(await browser.open(callback))).toBe('You’re linked');
  expect(headingOf(await browser.open(callback))).toBe('You’re linked');
  expect(headingOf(await world.openBrowser().open(callback))).toBe(stray);
  expect(await world.stored()).toEqual({ links: 1, tokens: 2 });
  expect(exchanges(world.service)).toBe(1);
  expect(world.service.log.of('reuse')).toEqual([]);
  await expect.poll(() => world.lists(world.dana)).toHaveLength(1);
});

test('I send one state a hundred times at once', async () => {
  const { browser, callback } = await danaComesBack('dana@example.com', { act: 'list' });
  const cookie = [...browser.cookies].map(([name, value]) => `${name}=${value}`).join('; ');
  const path = callback.slice(new URL(callback).origin.length);
  const pages = await Promise.all(Array.from({ length: 100 }, () => world.askLocal('GET', path, { cookie })));
  expect(pages.filter(({ status }) => status === 303)).toHaveLength(100);
  expect(pages.filter(({ headers }) => headers['set-cookie'])).toHaveLength(1);
  expect(headingOf(await browser.open('/linked'))).toBe('You’re linked');
  expect(exchanges(world.service)).toBe(1);
  expect(world.service.log.of('request').filter(({ endpoint }) => endpoint.startsWith('token'))).toHaveLength(
    1,
  );
  expect(await world.stored()).toEqual({ links: 1, tokens: 2 });
  await expect.poll(() => world.lists(world.dana)).toHaveLength(1);
});

test('I open the answer in a browser without a cookie', async () => {
  const { browser, callback } = await danaComesBack();
  const page = await world.openBrowser().open(callback);
  expect(headingOf(page)).toBe(stray);
  expect(page.text).not.toContain('dana');
  expect(await world.stored()).toEqual(nothing);
  // A state that was opened in a wrong browser no longer works in the right one either.
  expect(headingOf(await browser.open(callback))).toBe('This sign-in is over');
  expect(exchanges(world.service)).toBe(0);
});

test('I use the cookie of another attempt', async () => {
  const { callback } = await danaComesBack();
  const malloryBrowser = world.openBrowser();
  await world.goToService(malloryBrowser, await world.offer(world.mallory));
  expect(headingOf(await malloryBrowser.open(callback))).toBe(stray);
  expect(await world.stored()).toEqual(nothing);
  expect(exchanges(world.service)).toBe(0);
});

test('I make a victim open my own answer, so that they use my account', async () => {
  const mine = world.openBrowser();
  const callback = await authorizeAs(
    await world.goToService(mine, await world.offer(world.mallory)),
    'noor@example.com',
  );
  const victim = world.openBrowser();
  await world.goToService(victim, await world.offer(world.dana));
  expect(headingOf(await victim.open(callback))).toBe(stray);
  expect(await world.stored()).toEqual(nothing);
  expect(exchanges(world.service)).toBe(0);
});

test('I send my link to a victim, who agrees: without the code that only they see, nothing is linked', async () => {
  const victim = world.openBrowser();
  const url = await world.offer(world.mallory, { act: 'list' });
  const asked = await victim.open(url);
  expect(asked.text).toContain('<strong>@mallory</strong>');
  const callback = await authorizeAs(await world.goToService(victim, url), 'dana@example.com');
  const page = await victim.open(callback);
  const code = codeOn(page);
  expect(page.text).toContain('<strong>@mallory</strong>');
  expect(await world.stored()).toEqual({ links: 0, tokens: 2 });

  // The code is expected from the person who started; entering it as the victim's Slack user does not help.
  expect(await world.linking.enterCode({ person: world.dana, code })).toEqual({ kind: 'none expected' });
  world.advance(5 * minute);
  expect(await world.linking.enterCode({ person: world.mallory, code })).toEqual({ kind: 'expired' });
  await world.linking.cleanAttempts();
  expect(await world.stored()).toEqual(nothing);
  expect(world.slack.directMessages(world.mallory.userId)).toEqual([]);
});

test("I got hold of a victim's link and use it with my account", async () => {
  const mine = world.openBrowser();
  const callback = await authorizeAs(
    await world.goToService(mine, await world.offer(world.dana)),
    'noor@example.com',
  );
  const code = codeOn(await mine.open(callback));
  // I see the code, but only the victim can use it.
  expect(await world.linking.enterCode({ person: world.mallory, code })).toHaveProperty('kind');
  expect((await world.stored()).links).toBe(0);
  world.advance(5 * minute);
  await world.linking.cleanAttempts();
  expect(await world.stored()).toEqual(nothing);
  expect(world.slack.directMessages(world.dana.userId)).toEqual([]);
});

test('I guess the code', async () => {
  const code = codeOn(await world.link(world.mallory, 'dana@example.com'));
  const wrong = code === 'AAAAAA' ? 'BBBBBB' : 'AAAAAA';
  const left: unknown[] = [];
  for (let guess = 0; guess < 5; guess++) {
    left.push(await world.linking.enterCode({ person: world.mallory, code: wrong }));
  }
  expect(left).toEqual([
    ...[4, 3, 2, 1].map((triesLeft) => ({ kind: 'wrong', triesLeft })),
    { kind: 'used up' },
  ]);
  expect(await world.linking.enterCode({ person: world.mallory, code })).toHaveProperty('kind');
  expect(await world.stored()).toEqual(nothing);
});

test('I send a hundred guesses at once, and only five of them are checked', async () => {
  const code = codeOn(await world.link(world.mallory, 'dana@example.com'));
  const guesses = await Promise.all(
    Array.from({ length: 100 }, (_, index) =>
      world.linking.enterCode({ person: world.mallory, code: index < 99 ? 'AAAAA2' : code }),
    ),
  );
  const looked = guesses.filter((guess) => 'kind' in guess && ['wrong', 'used up'].includes(guess.kind));
  expect(looked.length).toBeLessThanOrEqual(5);
  expect(await world.linking.enterCode({ person: world.mallory, code })).toHaveProperty('kind');
});

test('the right code sent three times at once links once', async () => {
  const code = codeOn(await world.link(world.dana, 'sam@example.com', { act: 'list' }));
  const entered = await Promise.all(
    [1, 2, 3].map(() => world.linking.enterCode({ person: world.dana, code })),
  );
  expect(entered.filter((one) => !('kind' in one))).toHaveLength(1);
  await expect.poll(() => world.lists(world.dana)).toHaveLength(1);
  expect(await world.stored()).toEqual({ links: 1, tokens: 2 });
});

test('scanners open the link 50 times before the user does', async () => {
  const url = await world.offer(world.dana);
  const before = await world.dump();
  for (let look = 0; look < 50; look++) {
    const scanner = world.openBrowser();
    const method = look % 2 === 0 ? 'GET' : 'HEAD';
    const answer = await scanner.ask(method, url, look % 5 === 0 ? { 'sec-purpose': 'prefetch' } : {});
    expect(answer.status).toBe(200);
    expect(scanner.cookies.size).toBe(0);
  }
  expect(await world.dump()).toBe(before);
  const browser = world.openBrowser();
  const callback = await authorizeAs(await world.goToService(browser, url), 'dana@example.com');
  expect(headingOf(await browser.open(callback))).toBe('You’re linked');
});

test("I put my own code into the victim's answer: its verifier does not match", async () => {
  const mine = world.openBrowser();
  const myCallback = await authorizeAs(
    await world.goToService(mine, await world.offer(world.mallory)),
    'noor@example.com',
  );
  const { browser, callback } = await danaComesBack();
  const mixed = changed(callback, (parameters) =>
    parameters.set('code', new URL(myCallback).searchParams.get('code') ?? ''),
  );
  expect(headingOf(await browser.open(mixed))).toBe('This sign-in has expired');
  expect(await world.stored()).toEqual(nothing);
  expect(exchanges(world.service)).toBe(0);
});

test('the user declines: a friendly page, and the state is used up', async () => {
  const browser = world.openBrowser();
  const consent = await world.goToService(browser, await world.offer(world.dana));
  const callback = await authorizeAs(consent, 'dana@example.com', 'deny');
  const page = await browser.open(callback);
  expect(headingOf(page)).toBe('Linking canceled');
  expect(page.text).toContain('/plancast link');

  // Agreeing afterwards, with the same state, does not work.
  const late = await authorizeAs(consent, 'dana@example.com');
  expect(headingOf(await browser.open(late))).toBe('Linking canceled');
  expect(await world.stored()).toEqual(nothing);
  expect(exchanges(world.service)).toBe(0);
});

test("an error in the service's own words is quoted, and cannot inject markup into the page", async () => {
  const { browser, callback } = await danaComesBack();
  const page = await browser.open(
    changed(callback, (parameters) => {
      parameters.delete('code');
      parameters.set('error', '<b>odd</b>');
      parameters.set('error_description', '<script>alert(1)</script>');
    }),
  );
  expect(headingOf(page)).toBe('Linking failed');
  expect(page.text).not.toMatch(/<b>|<script/);
  expect(await world.stored()).toEqual(nothing);
});

test('I try to choose where the browser goes, with parameters and headers', async () => {
  const browser = world.openBrowser();
  const url = await world.offer(world.dana);
  const evil = {
    host: 'evil.example',
    'x-forwarded-host': 'evil.example',
    'x-forwarded-proto': 'https',
    forwarded: 'host=evil.example',
  };
  const lure =
    '?redirect_uri=https://evil.example/&next=https://evil.example/&state=x&auth_url=https://evil.example';
  const page = await browser.open(url + lure, evil);
  expect(page.text).not.toContain('evil');
  const sent = await browser.ask('POST', url + lure, { ...evil, 'sec-fetch-site': 'same-origin' });
  expect(sent.status).toBe(303);
  const consent = new URL(String(sent.headers.location));
  expect(consent.origin).toBe(new URL(world.service.authUrl).origin);
  expect(consent.pathname).toBe('/auth/oauth/authorize');
  expect(consent.searchParams.get('redirect_uri')).toBe(`${world.publicUrl}/oauth/callback`);

  const callback = await authorizeAs(consent.href, 'dana@example.com');
  const lured = `${callback}&next=https://evil.example/&redirect_uri=https://evil.example/`;
  const back = await browser.ask('GET', lured, evil);
  expect(back.headers.location).toBe(`${world.publicUrl}/linked`);
  const last = await browser.open('/linked?next=https://evil.example/', evil);
  expect(headingOf(last)).toBe('You’re linked');
  expect(last.text).not.toContain('evil');
});

test('I have the user id of a person in another workspace', async () => {
  const elsewhere: SlackPerson = { ...world.dana, teamId: 'T0OTHER02' };
  await linkDirectly(world.core, world.dana, 'dana@example.com');
  await linkDirectly(world.core, elsewhere, 'lee@example.com');

  expect(await world.stored()).toEqual({ links: 2, tokens: 4 });
  expect(await world.links.of(world.dana)).toMatchObject({ account: 'dana@example.com' });
  expect(await world.links.of(elsewhere)).toMatchObject({ account: 'lee@example.com' });
});

test('a code of one workspace does not work in another, for the same user id', async () => {
  const code = codeOn(await world.link(world.dana, 'sam@example.com'));
  expect(
    await world.linking.enterCode({ person: { ...world.dana, teamId: 'T0OTHER02' }, code }),
  ).toHaveProperty('kind');
  expect((await world.stored()).links).toBe(0);
});

test('in an organization a person has one link for all of its workspaces', async () => {
  const here: SlackPerson = { enterpriseId: 'E0ACME', teamId: 'T0EAST', userId: 'W0LEE' };
  const there: SlackPerson = { ...here, teamId: 'T0WEST' };
  for (const person of [here, there]) {
    await linkDirectly(world.core, person, 'lee@example.com');
  }
  expect(await world.stored()).toEqual({ links: 1, tokens: 2 });
  // A workspace that happens to have the organization's id is a different one.
  expect(await world.links.of({ enterpriseId: null, teamId: 'T0EAST', userId: 'W0LEE' })).toBeNull();
});

test('I sign in to a second account without having asked for that in Slack: nothing is stored, and the page says so', async () => {
  await world.link(world.dana, 'dana@example.com');
  const page = await world.link(world.dana, 'sam@example.com');
  expect(headingOf(page)).toBe('You’re linked to another account');
  expect(page.text).toContain('<kbd>/plancast link</kbd>');
  expect(page.text).not.toContain('dana@example.com');
  expect(await world.links.of(world.dana)).toMatchObject({ account: 'dana@example.com' });
  expect(await world.stored()).toEqual({ links: 1, tokens: 2 });
});

test.each([
  ['another site', { origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' }],
  ['a neighbor on the same site', { origin: 'https://evil.bot.example', 'sec-fetch-site': 'same-site' }],
  ['another site, in an old browser', { origin: 'https://evil.example' }],
  ['a page that hides its origin, in an old browser', { origin: 'null' }],
])("I make a victim's browser send the form from %s", async (_from, headers) => {
  const url = await world.offer(world.mallory);
  const victim = world.openBrowser();
  const answer = await victim.ask('POST', url, headers);
  expect(answer.status).toBe(403);
  expect(answer.headers.location).toBeUndefined();
  expect(victim.cookies.size).toBe(0);
  expect((await victim.open(url)).status).toBe(200);
});

test('I try to unlink another person over the web', async () => {
  await world.link(world.dana, 'dana@example.com');
  const browser = world.openBrowser();
  for (const [method, path, status] of [
    ['GET', '/unlink', 404],
    ['POST', '/unlink', 404],
    ['DELETE', '/link/anything', 405],
    ['PUT', '/link/anything', 405],
    ['POST', '/oauth/callback', 405],
    ['DELETE', '/oauth/callback', 405],
  ] as const) {
    expect((await browser.ask(method, path)).status).toBe(status);
  }
  expect(await world.stored()).toEqual({ links: 1, tokens: 2 });
});

test('the service does not say whose tokens these are: I am asked for the code, and the account has no name', async () => {
  world.service.switches.set({ userName: 'missing' });
  const page = await world.link(world.dana, 'dana@example.com');
  world.service.switches.set({ userName: 'sent' });
  const entered = await world.linking.enterCode({ person: world.dana, code: codeOn(page) });
  expect(entered).toMatchObject({ account: null });
  expect(await world.stored()).toEqual({ links: 1, tokens: 2 });
});

test.each([
  ['a longer one that ends with it', 'evil-dana@example.com'],
  ['a longer one that begins with it', 'dana@example.com.evil.example'],
  ['a shorter one in it', 'ana@example.com'],
  ['one with spaces around it', ' dana@example.com'],
  ['one with a plus address', 'dana+x@example.com'],
  ['none', undefined],
])("my Slack address is only similar to the account's: %s", async (_how, email) => {
  const slack = world.newPerson('similar');
  await world.becomes(slack, { email });
  const page = await world.link(slack, 'dana@example.com');
  expect(codeOn(page)).not.toBe('');
  expect(await world.stored()).toEqual({ links: 0, tokens: 2 });
});

test('neither Slack nor the service says an address: I am asked for the code', async () => {
  world.service.switches.set({ userName: 'missing' });
  await world.becomes(world.dana, { email: undefined });
  expect(codeOn(await world.link(world.dana, 'dana@example.com'))).not.toBe('');
  world.service.switches.set({ userName: 'sent' });
});

test('letter case in an address does not matter', async () => {
  await world.becomes(world.dana, { email: 'Dana@Example.COM' });
  expect(headingOf(await world.link(world.dana, 'dana@example.com'))).toBe('You’re linked');
});
