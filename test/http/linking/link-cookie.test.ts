import { afterAll, beforeAll, expect, test } from 'vitest';
import { authorizeAs } from '../../../sandbox/service/authorize-as.ts';

import { headingOf, type Linking, minute, setUpLinking } from '../../support/linking.ts';

let world: Linking;

beforeAll(async () => {
  world = await setUpLinking({ name: 'link cookie', publicUrl: 'https://bot.example' });
});
afterAll(() => world.stage.close());

test('over https the cookie is bound to this host and inaccessible to scripts, and works for 10 minutes after I come back', async () => {
  const browser = world.openBrowser();
  const url = await world.offer(world.dana);
  expect(url).toMatch(/^https:\/\/bot\.example\/link\/[\w-]{22}$/);
  const page = await browser.open(url);
  expect(page.headers['strict-transport-security']).toBe('max-age=63072000');
  const sent = await browser.press(url);
  const given =
    /^__Host-link=[\w-]{43}; Max-Age=600; Path=\/; Expires=[^;]+; HttpOnly; Secure; SameSite=Lax$/;
  expect(sent.headers['set-cookie']).toEqual([expect.stringMatching(given)]);

  const consent = String(sent.headers.location);
  const parameters = new URL(consent).searchParams;
  expect(parameters.get('redirect_uri')).toBe('https://bot.example/oauth/callback');
  expect(parameters.get('code_challenge_method')).toBe('S256');
  expect(consent).not.toContain(url.slice(url.lastIndexOf('/') + 1));

  const back = await browser.ask('GET', await authorizeAs(consent, 'dana@example.com'));
  expect(back.headers.location).toBe('https://bot.example/linked');
  expect(back.headers['set-cookie']).toEqual([expect.stringMatching(given)]);
  world.advance(10 * minute - 1_000);
  expect(headingOf(await browser.open('/linked'))).toBe('You’re linked');
  world.advance(1_000);
  expect(headingOf(await browser.open('/linked'))).toBe('Check in Slack whether you’re linked');
});

test('a cookie without the prefix, as a neighboring host could set it, does not count', async () => {
  const browser = world.openBrowser();
  const callback = await authorizeAs(
    await world.goToService(browser, await world.offer(world.dana)),
    'dana@example.com',
  );
  const value = browser.cookies.get('__Host-link') ?? '';
  browser.cookies.clear();
  browser.cookies.set('link', value);
  expect(headingOf(await browser.open(callback))).toBe('Check in Slack whether you’re linked');
});
