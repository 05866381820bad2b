import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { authorizeAs } from '../../../sandbox/service/authorize-as.ts';
import { askPage } from '../../../src/http/pages/link-pages.ts';
import { codeOn, headingOf, type Linking, minute, setUpLinking } from '../../support/linking.ts';

let world: Linking;

beforeAll(async () => {
  world = await setUpLinking({ name: 'link pages' });
});
beforeEach(() => world.reset());
afterAll(() => world.stage.close());

/** Returns the reference under which the bot has logged an error. */
const reference = () =>
  world.logged.map((line) => JSON.parse(line).reference).find((ref) => ref !== undefined);

test('the database fails while it stores my link: nothing is stored, my command does not run, and I can start again', async () => {
  await world.query(`
    create function fail_done() returns trigger language plpgsql as $$ begin raise 'no'; end $$;
    create trigger fail_done before update on plancast.link_attempts
      for each row when (new.step = 'done') execute function fail_done()`);
  const page = await world.link(world.dana, 'dana@example.com', { act: 'list' });
  await world.query('drop function fail_done cascade');

  expect(headingOf(page)).toBe('Something went wrong');
  expect(page.text).toContain(`Reference for your admin: ${reference()}`);
  expect(await world.stored()).toEqual({ links: 0, tokens: 0 });
  expect(world.slack.directMessages(world.dana.userId)).toEqual([]);
  expect(headingOf(await world.link(world.dana, 'dana@example.com'))).toBe('You’re linked');
  await expect.poll(() => world.lists(world.dana)).toHaveLength(1);
});

test('the process dies while another browser of mine finishes a link: my command runs once, also if I link again', async () => {
  await world.goToService(world.openBrowser(), await world.offer(world.dana, { act: 'list' }));
  await world.query(`update plancast.link_attempts set step = 'answered'`);
  await world.link(world.dana, 'dana@example.com', { act: 'list' });
  await expect.poll(() => world.lists(world.dana)).toHaveLength(1);
  world.advance(11 * minute);
  await world.linking.cleanAttempts();
  await world.link(world.dana, 'dana@example.com');
  await world.linking.followUpInterrupted();
  expect(world.lists(world.dana)).toHaveLength(1);
});

test('an older release has run my command and kept it: it does not run again when I link again after the update', async () => {
  await world.link(world.dana, 'dana@example.com');
  await world.query(
    `update plancast.link_attempts set request = '{"act":"list"}', receipt = null, follow_up_at = null`,
  );
  await world.link(world.dana, 'dana@example.com');
  await world.linking.followUpInterrupted();
  expect(world.lists(world.dana)).toEqual([]);
});

test('a scope that Plancast has no words for is shown by its name at the service', () => {
  const asker = { personName: 'dana', workspaceName: 'Acme' };
  const page = askPage({ asker, serviceName: 'Harbour Docs', scopes: ['full_user', 'plans:<read>'] });
  expect(page).toContain('The next page asks you to allow this and the scope plans:&lt;read&gt;.');
});

test('names from Slack cannot inject anything into the page', async () => {
  const url = await world.offer(world.dana);
  const name = `<script>alert("1")</script>'&`;
  await world.becomes(world.dana, { name, realName: name });
  const page = await world.openBrowser().open(url);

  expect(page.text).not.toContain('<script');
  expect(page.text).toContain('&lt;script&gt;alert(&quot;1&quot;)&lt;/script&gt;&#39;&amp;');
});

test('a name in Slack with bidirectional or invisible characters cannot change how the page reads', async () => {
  const url = await world.offer(world.dana);
  const name = 'mal\u202Eyrol\u2066la\u200B\u{E0041}';
  await world.becomes(world.dana, { name, realName: name });
  const page = await world.openBrowser().open(url);

  expect(page.text).toContain(
    'the Slack user <strong>@mal\uFFFDyrol\uFFFDla</strong> in <strong>Acme</strong>.',
  );
});

test('every answer has the strict headers', async () => {
  const browser = world.openBrowser();
  const url = await world.offer(world.dana);
  const consent = await world.goToService(browser, url);
  const callback = await authorizeAs(consent, 'dana@example.com');
  const answers = [
    await browser.ask('GET', callback),
    await browser.open('/linked'),
    await browser.open(await world.offer(world.dana)),
    await browser.press(await world.offer(world.dana)),
    await browser.press(`${url}?new`),
    await browser.ask('PUT', url),
    await browser.open('/link/unknown'),
    await browser.ask('GET', '/oauth/callback'),
    await browser.ask('HEAD', '/oauth/callback'),
    await browser.ask('POST', '/oauth/callback'),
  ];
  const authorizeOrigin = new URL(world.service.authUrl).origin.replaceAll('.', '\\.');
  for (const { headers } of answers) {
    expect(headers['content-security-policy']).toMatch(
      new RegExp(
        `^default-src 'none'; style-src 'sha256-[A-Za-z0-9+/]{43}='; form-action 'self' ${authorizeOrigin}; frame-ancestors 'none'; base-uri 'none'$`,
      ),
    );
    expect(headers['cache-control']).toBe('no-store');
    expect(headers['referrer-policy']).toBe('no-referrer');
    expect(headers['x-content-type-options']).toBe('nosniff');
    // The bot in this test is reached over http.
    expect(headers['strict-transport-security']).toBeUndefined();
  }
  expect(answers.map(({ status }) => status)).toEqual([303, 200, 200, 303, 200, 405, 404, 303, 405, 405]);
});

test('every page is one document in one language, with one heading and nothing from elsewhere', async () => {
  const browser = world.openBrowser();
  const pages = [
    await browser.open(await world.offer(world.dana)),
    await browser.open('/link/unknown'),
    await browser.open('/oauth/callback?state=unknown&code=1'),
    await browser.press(`${await world.offer(world.dana)}?new`),
    await world.link(world.dana, 'dana@example.com'),
    await world.link(world.mallory, 'sam@example.com'),
    await world.link(world.dana, 'lee@example.com'),
  ];
  for (const { text, headers } of pages) {
    expect(headers['content-type']).toMatch(/^text\/html; charset=utf-8$/);
    expect(text).toMatch(/^<!doctype html>\n<html lang="en">/);
    expect(text.match(/<h1>/g)).toHaveLength(1);
    expect(text).toMatch(/<title>[^<]+ · Plancast<\/title>/);
    expect(text).not.toMatch(
      /<script|<img|<link|\ssrc=|\shref=(?!"(slack:|https:\/\/app\.slack\.com\/))|\sstyle=|\son\w+=|@import|url\(/i,
    );
  }
});

test('I unlink: the page of the link that I had left does not send me to a newer one, since there is none', async () => {
  await world.link(world.dana, 'dana@example.com');
  const url = await world.offer(world.dana);
  await world.linking.unlink(world.dana);
  const page = await world.openBrowser().open(url);
  expect(page.status).toBe(410);
  expect(page.text).toContain('There’s a newer one in Slack, or you’ve unlinked since.');
  expect(page.text).toContain('Send me a new link');
});

test('Slack is down when I open the link: there is nothing to agree to, and the link still works afterwards', async () => {
  const url = await world.offer(world.dana);
  const down = await world.slackGoesDown();
  const browser = world.openBrowser();
  const page = await browser.open(url);
  expect(page.status).toBe(503);
  expect(page.text).toContain(`Reference for your admin: ${reference()}`);
  expect(page.text).not.toMatch(/Slack did not say|\.ts|at \w+ \(/);

  down.clear();
  expect((await browser.open(url)).status).toBe(200);
});

test('Slack is down when I come back: the code proves who I am instead of my address', async () => {
  const browser = world.openBrowser();
  const callback = await authorizeAs(
    await world.goToService(browser, await world.offer(world.dana)),
    'dana@example.com',
  );
  const down = await world.slackGoesDown();
  const page = await browser.open(callback);
  down.clear();
  expect(await world.linking.enterCode({ person: world.dana, code: codeOn(page) })).toMatchObject({
    state: 'active',
  });
});

test('a guest reads that linking is for members, and a person who left meanwhile gets no link', async () => {
  const url = await world.offer(world.dana);
  const browser = world.openBrowser();
  const callback = await authorizeAs(await world.goToService(browser, url), 'dana@example.com');
  await world.becomes(world.dana, { deleted: true });
  const page = await browser.open(callback);
  expect(headingOf(page)).toBe('Only for full members');
  expect(await world.stored()).toEqual({ links: 0, tokens: 0 });

  await world.becomes(world.dana, { deleted: false, isRestricted: true });
  expect((await browser.open(await world.offer(world.dana))).status).toBe(403);
});

test('the message in Slack fails: I am linked anyway, my command runs once, and the message comes a minute later, once', async () => {
  const browser = world.openBrowser();
  const callback = await authorizeAs(
    await world.goToService(browser, await world.offer(world.dana, { act: 'list' })),
    'sam@example.com',
  );
  const code = codeOn(await browser.open(callback));
  const down = world.slack.fault({
    method: 'chat.postMessage',
    status: 503,
    times: Number.POSITIVE_INFINITY,
  });
  expect(await world.linking.enterCode({ person: world.dana, code })).toMatchObject({ state: 'active' });
  await expect.poll(() => down.hits()).toBeGreaterThan(0);
  await world.core.bot.later.settled();
  down.clear();
  for (const _ of [1, 2]) {
    world.advance(minute);
    await world.linking.followUpInterrupted();
    expect(await world.messages(world.dana)).toHaveLength(1);
  }
});

test('the bot is stopping when I finish my link: I am linked, and another process sends the message and runs my command, once', async () => {
  const stopping = await world.stage.addCore();
  const code = codeOn(await world.link(world.dana, 'sam@example.com', { act: 'list' }));
  await stopping.bot.later.stop();
  expect(await stopping.linking.enterCode({ person: world.dana, code })).toMatchObject({ state: 'active' });
  expect(world.slack.directMessages(world.dana.userId)).toEqual([]);

  await followUpElsewhere();
});

test('an old or foreign answer that opens in another tab does not end the link I have started', async () => {
  const browser = world.openBrowser();
  const first = await authorizeAs(
    await world.goToService(browser, await world.offer(world.dana)),
    'dana@example.com',
  );
  const foreign = await authorizeAs(
    await world.goToService(world.openBrowser(), await world.offer(world.mallory)),
    'noor@example.com',
  );
  const second = await authorizeAs(
    await world.goToService(browser, await world.offer(world.dana)),
    'dana@example.com',
  );

  const strays = [
    new URL('/oauth/callback', first).href,
    new URL('/oauth/callback?code=c&state=nobody-has-this-state', first).href,
    first,
    foreign,
  ];
  for (const stray of strays)
    expect(headingOf(await browser.open(stray))).toBe('Check in Slack whether you’re linked');

  expect(headingOf(await browser.open(second))).toBe('You’re linked');
});

test("a HEAD request to the callback, or a browser's prefetch, uses nothing up", async () => {
  const browser = world.openBrowser();
  const callback = await authorizeAs(
    await world.goToService(browser, await world.offer(world.dana)),
    'dana@example.com',
  );
  expect((await browser.ask('HEAD', callback)).status).toBe(405);
  for (const prefetch of [
    { 'sec-purpose': 'prefetch;prerender' },
    { purpose: 'prefetch' },
    { 'x-purpose': 'preview' },
    { 'x-moz': 'prefetch' },
  ])
    expect((await browser.open(callback, prefetch)).status).toBe(503);
  expect(headingOf(await browser.open(callback))).toBe('You’re linked');
});

test('no secret of any attempt is in the database in plain text', async () => {
  await world.link(world.dana, 'dana@example.com');
  const page = await world.link(world.mallory, 'sam@example.com');
  const url = await world.offer(world.dana);
  const browser = world.openBrowser();
  const consent = new URL(await world.goToService(browser, url));
  const dump = await world.dump();
  const secrets = [
    ...world.service.secrets(),
    codeOn(page),
    url.slice(url.lastIndexOf('/') + 1),
    consent.searchParams.get('state') ?? '',
    [...browser.cookies.values()][0] ?? '',
  ];
  expect(secrets.length).toBeGreaterThan(8);
  for (const secret of secrets) expect(dump.includes(secret) || secret === '').toBe(false);
});

test('a page that names a command sets it apart from the words around it', async () => {
  const page = await world.openBrowser().open(`/link/${'a'.repeat(22)}`);
  expect(page.text).toContain('Type <kbd>/plancast link</kbd> in Slack to start again.');
});

/** Does in another process, twice, what is left to do a minute after a link: Dana has the message and her list, once each. */
async function followUpElsewhere(): Promise<void> {
  for (const _ of [1, 2]) {
    world.advance(minute);
    await world.linking.followUpInterrupted();
    await expect.poll(() => world.lists(world.dana)).toHaveLength(1);
    expect(await world.messages(world.dana)).toHaveLength(1);
  }
}
