import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { authorizeAs } from '../../../sandbox/service/authorize-as.ts';
import { exchanges, headingOf, type Linking, minute, setUpLinking } from '../../support/linking.ts';
import type { Answer } from '../../support/page-browsers.ts';

let world: Linking;

beforeAll(async () => {
  world = await setUpLinking({ name: 'new link' });
});
beforeEach(() => world.reset());
afterAll(() => world.stage.close());

const button = '<button type="submit">Send me a new link</button>';
const form = /<form method="post" action="(\?new)">/;

/** Presses **Send me a new link** on the page of a link. */
async function pressNew(url: string, browser = world.openBrowser()): Promise<Answer> {
  const page = await browser.open(url);
  return browser.press(new URL(form.exec(page.text)?.[1] ?? 'no form', url).href);
}

/** Returns the URL behind the Link button of the newest message. */
const newestLink = () => world.newestLink(world.dana);

async function link(url: string): Promise<Answer> {
  const browser = world.openBrowser();
  return browser.open(await authorizeAs(await world.goToService(browser, url), 'dana@example.com'));
}

test.each<[string, (url: string) => unknown]>([
  ['expired', () => world.advance(10 * minute)],
  ['used, and I closed the browser', (url) => world.goToService(world.openBrowser(), url)],
  ['replaced by a newer one', () => world.offer(world.dana)],
])(
  'my link is %s: I press the button, the new one is in Slack, and my command runs once',
  async (_how, happens) => {
    const url = await world.offer(world.dana, { act: 'list' });
    await happens(url);
    const old = await world.openBrowser().open(url);
    expect(old.status).toBe(410);
    expect(old.text).toContain(button);

    const sent = await pressNew(url);
    expect(sent.status).toBe(200);
    expect(headingOf(sent)).toBe('Your new link is in Slack');
    expect(sent.text).toContain('Open Slack');
    expect(sent.text).not.toMatch(/dana|Acme|T0|C0|\/link\/[\w-]{22}/i);
    expect(sent.headers['set-cookie']).toBeUndefined();
    const [message, ...more] = await world.messages(world.dana);
    expect(more).toEqual([]);
    expect(message).toContain('`/subscriptions`');
    expect(message).toContain('Not you? Ignore this message.');

    expect(headingOf(await link(newestLink()))).toBe('You’re linked');
    await expect.poll(() => world.lists(world.dana)).toHaveLength(1);
  },
);

test('my link was used and I am linked: the new one says so, and my command does not run again', async () => {
  const url = await world.offer(world.dana, { act: 'list' });
  await link(url);
  await expect.poll(() => world.lists(world.dana)).toHaveLength(1);
  const before = (await world.messages(world.dana)).length;
  expect((await pressNew(url)).status).toBe(200);
  const [message] = (await world.messages(world.dana)).slice(before);
  expect(message).toContain('as dana@example.com');
  expect(message).not.toContain('/subscriptions');
  expect(headingOf(await link(newestLink()))).toBe('You’re linked');
  expect(world.lists(world.dana)).toHaveLength(1);
});

test('I hold a victim’s old link and press its button a hundred times: they get 5 links in 10 minutes at most, and I learn nothing', async () => {
  const url = await world.offer(world.dana);
  await world.offer(world.dana);
  const pages = await Promise.all(Array.from({ length: 100 }, () => world.openBrowser().press(`${url}?new`)));
  expect(pages.filter(({ status }) => status === 200)).toHaveLength(3);
  expect(pages.filter(({ status }) => status === 429)).toHaveLength(97);
  expect(await world.messages(world.dana)).toHaveLength(3);
  for (const { text } of pages) expect(text).not.toMatch(/dana|Acme|\/link\/[\w-]{22}/i);
  expect(world.lists(world.dana)).toEqual([]);
  expect(await world.stored()).toEqual({ links: 0, tokens: 0 });

  world.advance(10 * minute);
  expect((await pressNew(url)).status).toBe(200);
  expect(exchanges(world.service)).toBe(0);
});

test('I make a victim’s browser send the form from another site: nothing is sent', async () => {
  const url = await world.offer(world.dana);
  world.advance(10 * minute);
  const headers = { origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' };
  expect((await world.openBrowser().ask('POST', `${url}?new`, headers)).status).toBe(403);
  expect(world.slack.directMessages(world.dana.userId)).toEqual([]);
});

test('scanners open an old link 50 times: nothing is sent', async () => {
  const url = await world.offer(world.dana);
  world.advance(10 * minute);
  const before = await world.dump();
  for (let look = 0; look < 50; look++) {
    const method = look % 2 === 0 ? 'GET' : 'HEAD';
    const answer = await world.openBrowser().ask(method, look % 3 === 0 ? `${url}?new` : url);
    expect(answer.status).toBe(410);
  }
  expect(await world.dump()).toBe(before);
  expect(world.slack.directMessages(world.dana.userId)).toEqual([]);
});

test('an hour after it expired, my old link is answered like any address that was never a link', async () => {
  const url = await world.offer(world.dana);
  world.advance(69 * minute);
  await world.stage.bot.runChore('sweep');
  expect((await world.openBrowser().open(url)).status).toBe(410);
  world.advance(minute);
  for (const address of [
    url,
    `/link/${'a'.repeat(22)}`,
    '/link/x',
    '/link/%00',
    `/link/${'a'.repeat(5_000)}`,
  ]) {
    const browser = world.openBrowser();
    for (const answer of [await browser.open(address), await browser.press(`${address}?new`)]) {
      expect([answer.status, headingOf(answer)]).toEqual([404, 'This link isn’t valid']);
      expect(answer.text).not.toContain(button);
    }
  }
  expect(world.slack.directMessages(world.dana.userId)).toEqual([]);
});

test('I was made a guest since: no new link', async () => {
  const url = await world.offer(world.mallory);
  world.advance(10 * minute);
  await world.becomes(world.mallory, { isRestricted: true });
  const page = await pressNew(url);
  expect(page.status).toBe(403);
  expect(page.text).not.toContain('mallory');
  expect(world.slack.directMessages(world.mallory.userId)).toEqual([]);
});

test('Slack is down when I press the button: the page says that something went wrong, not that the link is in Slack', async () => {
  const url = await world.offer(world.dana);
  world.advance(10 * minute);
  const down = await world.slackGoesDown();
  const page = await pressNew(url);
  expect([page.status, headingOf(page)]).toEqual([503, 'Something went wrong']);
  down.clear();
  expect(headingOf(await pressNew(url))).toBe('Your new link is in Slack');
});
