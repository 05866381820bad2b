import { afterAll, beforeAll, expect, test } from 'vitest';
import { authorizeAs } from '../../../sandbox/service/authorize-as.ts';
import { dana, headingOf, type LinkWorld, startLinkWorld } from '../../core/linking/link-world.ts';

let world: LinkWorld;

beforeAll(async () => {
  world = await startLinkWorld({ name: 'link cookie', publicUrl: 'https://bot.example' });
});
afterAll(() => world.close());

test('over https the cookie is bound to this host, inaccessible to scripts, and deleted after use', async () => {
  const browser = world.openBrowser();
  const url = await world.offer(dana);
  expect(url).toMatch(/^https:\/\/bot\.example\/link\/[\w-]{22}$/);
  const page = await browser.open(url);
  expect(page.headers['strict-transport-security']).toBe('max-age=63072000');
  const sent = await browser.press(url);
  expect(sent.headers['set-cookie']).toEqual([
    expect.stringMatching(
      /^__Host-link=[\w-]{43}; Max-Age=600; Path=\/; Expires=[^;]+; HttpOnly; Secure; SameSite=Lax$/,
    ),
  ]);

  const consent = String(sent.headers.location);
  const parameters = new URL(consent).searchParams;
  expect(parameters.get('redirect_uri')).toBe('https://bot.example/oauth/callback');
  expect(parameters.get('code_challenge_method')).toBe('S256');
  expect(consent).not.toContain(url.slice(url.lastIndexOf('/') + 1));

  const back = await browser.open(await authorizeAs(consent, 'dana@example.com'));
  expect(headingOf(back)).toBe('You’re linked');
  expect(back.headers['set-cookie']).toEqual([
    expect.stringMatching(
      /^__Host-link=; Path=\/; Expires=Thu, 01 Jan 1970 00:00:00 GMT; HttpOnly; Secure; SameSite=Lax$/,
    ),
  ]);
});

test('a cookie without the prefix, as a neighboring host could set it, does not count', async () => {
  const browser = world.openBrowser();
  const callback = await authorizeAs(
    await world.goToService(browser, await world.offer(dana)),
    'dana@example.com',
  );
  const value = browser.cookies.get('__Host-link') ?? '';
  browser.cookies.clear();
  browser.cookies.set('link', value);
  expect((await browser.open(callback)).status).toBe(403);
});
