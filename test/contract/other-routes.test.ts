import { createHmac } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { authorizeAs } from '../../sandbox/service/authorize-as.ts';
import type { User } from '../../sandbox/slack/directory.ts';
import { type Stage, setStage } from '../support/stage.ts';
import { deliver, lookFromOutside, notificationFor, type Outside, until } from './outside.ts';

let stage: Stage;
let outside: Outside;
beforeAll(async () => {
  stage = await setStage({ name: 'other routes' });
  outside = lookFromOutside(stage);
});
afterAll(async () => {
  await outside.close();
  await stage.close();
});

const at = (path: string) => `${stage.bot.publicUrl}${path}`;
async function ticketOf(user: User): Promise<string> {
  const offer = await outside.ask(user, '/plancast link');
  return String(stage.slack.button(offer, 'Link').element.url);
}
const submit = (url: string, headers: Record<string, string> = {}) =>
  fetch(url, {
    method: 'POST',
    redirect: 'manual',
    headers: {
      origin: stage.bot.publicUrl,
      'content-type': 'application/x-www-form-urlencoded',
      ...headers,
    },
  });
const cookieOf = (answer: Response) =>
  answer.headers
    .getSetCookie()
    .map((line) => line.split(';')[0])
    .join('; ');
const links = (user: User) => outside.query('select 1 from plancast.links where user_id = $1', [user.id]);

// GET and POST /link/{ticket}

test('GET /link/{ticket} says who is about to be linked to what, and changes nothing however often it is opened', async () => {
  const user = await outside.member({ email: 'dana@example.com', realName: 'Dana Page' });
  const url = await ticketOf(user);
  for (let count = 0; count < 5; count += 1) {
    const page = await fetch(url);
    expect(page.status).toBe(200);
    expect(page.headers.get('content-type')).toMatch(/^text\/html/);
    const text = await page.text();
    expect(text).toContain('Dana Page');
    expect(text).toContain('Northwind Studio');
    expect(text).toContain('Practice');
    expect(page.headers.getSetCookie()).toEqual([]);
  }
  expect((await fetch(url, { method: 'HEAD' })).status).toBe(200);
  expect(await links(user)).toEqual([]);
  expect(await stage.linkInBrowser(url, 'dana@example.com')).toContain('dana@example.com');
  expect(await links(user)).toHaveLength(1);
});

test('other sites cannot frame the pages or see their address, caches do not keep them, and they load nothing from elsewhere', async () => {
  const user = await outside.member({ email: 'dana@example.com', realName: 'Dana Headers' });
  const { headers } = await fetch(await ticketOf(user));
  expect(headers.get('content-security-policy')).toMatch(/default-src 'none'/);
  expect(headers.get('content-security-policy')).toMatch(/frame-ancestors 'none'/);
  expect(headers.get('cache-control')).toMatch(/no-store/);
  expect(headers.get('referrer-policy')).toBe('no-referrer');
  expect(headers.get('x-content-type-options')).toBe('nosniff');
  expect(headers.get('x-powered-by')).toBeNull();
});

test('POST /link/{ticket} redirects with 303 to the authorize page of the service, with the parameters its interface requires', async () => {
  const user = await outside.member({ email: 'dana@example.com' });
  const answer = await submit(await ticketOf(user));
  expect(answer.status).toBe(303);
  const to = new URL(String(answer.headers.get('location')));
  expect(`${to.origin}${to.pathname}`).toBe(`${stage.service.authUrl}/auth/oauth/authorize`);
  expect(to.searchParams.get('response_type')).toBe('code');
  expect(to.searchParams.get('client_id')).toBe('plancast');
  expect(to.searchParams.get('redirect_uri')).toBe(at('/oauth/callback'));
  expect(to.searchParams.get('scope')).toBe('full_user');
  expect(String(to.searchParams.get('state')).length).toBeGreaterThanOrEqual(20);
  expect(to.searchParams.get('client_secret')).toBeNull();
});

test('the first POST uses up a ticket, even among a hundred at once', async () => {
  const user = await outside.member({ email: 'dana@example.com' });
  const url = await ticketOf(user);
  const answers = await Promise.all(Array.from({ length: 30 }, () => submit(url)));
  expect(answers.filter(({ status }) => status === 303)).toHaveLength(1);
});

test('another site cannot post the form', async () => {
  const user = await outside.member({ email: 'dana@example.com' });
  const url = await ticketOf(user);
  expect((await submit(url, { origin: 'https://evil.example' })).status).not.toBe(303);
  expect((await submit(url)).status).toBe(303);
});

test('an unknown ticket gets a page that says so and what to do next', async () => {
  const unknown = await fetch(at('/link/AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA'));
  expect(unknown.status).toBeGreaterThanOrEqual(400);
  expect(unknown.status).toBeLessThan(500);
  expect(await unknown.text()).toMatch(/\/plancast link/);
});

// GET /oauth/callback and GET /linked

/** What the browser shows after the callback. */
async function comeBack(callback: string, sent: Response | null = null): Promise<string> {
  const answer = await fetch(callback, {
    redirect: 'manual',
    headers: sent === null ? {} : { cookie: cookieOf(sent) },
  });
  expect(answer.status).toBe(303);
  expect(answer.headers.get('location')).toBe(at('/linked'));
  const page = await fetch(at('/linked'), { headers: { cookie: cookieOf(answer) } });
  expect(page.status).toBe(200);
  return page.text();
}

test('GET /oauth/callback with a missing, unknown or repeated state says what can go wrong, and links nobody', async () => {
  for (const query of ['', '?code=x', '?code=x&state=y', '?state=a&state=b&code=c', '?error=access_denied']) {
    const page = await comeBack(at(`/oauth/callback${query}`));
    expect(page).toMatch(/\/plancast link/);
    expect(page).toContain('Open Slack');
  }
  expect(await outside.query('select 1 from plancast.links where account is null')).toEqual([]);
});

test('GET /oauth/callback in a browser that did not press the button links nobody', async () => {
  const user = await outside.member({ email: 'dana@example.com', realName: 'Victim' });
  const sent = await submit(await ticketOf(user));
  const back = await authorizeAs(String(sent.headers.get('location')), 'dana@example.com');
  expect(await comeBack(back)).not.toContain('Victim');
  expect(await links(user)).toEqual([]);
});

test('the page after the callback says "linked"; a second callback links nothing more, and the page still says so', async () => {
  const user = await outside.member({ email: 'dana@example.com', realName: 'Dana Back' });
  const sent = await submit(await ticketOf(user));
  const back = await authorizeAs(String(sent.headers.get('location')), 'dana@example.com');
  const page = await comeBack(back, sent);
  expect(page).toContain('Dana Back');
  expect(page).toContain('dana@example.com');
  expect(page).toMatch(/href="slack:\/\/[^"]+">Open Slack</);
  await fetch(back, { redirect: 'manual', headers: { cookie: cookieOf(sent) } });
  const again = await fetch(at('/linked'), { headers: { cookie: cookieOf(sent) } });
  expect(await again.text()).toContain('dana@example.com');
  expect(await links(user)).toHaveLength(1);
});

test('the page after the callback shows a code to type in Slack if the addresses differ, also when I reload it', async () => {
  const user = await outside.member({ email: 'other@elsewhere.example' });
  const sent = await submit(await ticketOf(user));
  const back = await authorizeAs(String(sent.headers.get('location')), 'dana@example.com');
  const code = />[ABCDEFGHJKLMNPQRSTUVWXYZ23456789]{6}</;
  expect(await comeBack(back, sent)).toMatch(code);
  expect(await links(user)).toEqual([]);
  const again = await fetch(at('/linked'), { headers: { cookie: cookieOf(sent) } });
  expect(await again.text()).toMatch(code);
});

test('GET /oauth/callback while the service does not answer says what went wrong and what to do next', async () => {
  const user = await outside.member({ email: 'dana@example.com' });
  const sent = await submit(await ticketOf(user));
  const back = await authorizeAs(String(sent.headers.get('location')), 'dana@example.com');
  const fault = stage.service.faults.set({ kind: 'answer', status: 500, endpoint: 'token' });
  const text = await comeBack(back, sent);
  fault.remove();
  expect(text).toMatch(/\/plancast link|again/);
  expect(text).not.toMatch(/ at .*\.ts:\d+/);
  expect(await links(user)).toEqual([]);
});

test('GET /oauth/callback while the bot starts leads to /linked too, which the browser loads again by itself', async () => {
  const answers: Promise<Response>[] = [];
  await stage.addBot({
    onAddress: (url) => {
      const callback = `${url}/oauth/callback?code=a-code&state=a-state`;
      answers.push(fetch(callback, { redirect: 'manual' }), fetch(`${url}/linked`));
    },
  });
  const [back, page] = await Promise.all(answers);
  expect(back?.status).toBe(303);
  expect(new URL(String(back?.headers.get('location')), back?.url).pathname).toBe('/linked');
  expect([page?.status, page?.headers.get('refresh')]).toEqual([503, '2']);
});

// GET /healthz and /readyz

test('/healthz and /readyz answer 200 and reveal nothing about the bot', async () => {
  for (const path of ['/healthz', '/readyz']) {
    const answer = await fetch(at(path));
    expect(answer.status).toBe(200);
    expect((await answer.text()).length).toBeLessThan(100);
  }
});

test('an unknown path: 404, without a stack trace or a version', async () => {
  for (const path of ['/', '/nothing', '/metrics', '/notifications', '/notifications/', '/.env']) {
    const answer = await fetch(at(path));
    const text = await answer.text();
    expect([path, answer.status]).toEqual([path, 404]);
    expect(text).not.toMatch(/ at .*:\d+|express/i);
    expect(answer.headers.get('x-powered-by')).toBeNull();
  }
});

// POST /slack/events

const form = 'application/x-www-form-urlencoded';
function slackHeaders(body: string, seconds = Math.floor(stage.now().getTime() / 1_000)) {
  const signature = createHmac('sha256', stage.signingSecret).update(`v0:${seconds}:${body}`).digest('hex');
  return {
    'content-type': form,
    'x-slack-request-timestamp': String(seconds),
    'x-slack-signature': `v0=${signature}`,
  };
}
/** Builds a command from a new person, so its effect cannot be confused with any other. */
async function command(): Promise<{ body: string; wasCarriedOut: () => Promise<boolean> }> {
  const user = await outside.member({ email: 'somebody@elsewhere.example' });
  const fields = {
    command: '/plancast',
    text: 'link',
    team_id: stage.teamId,
    user_id: user.id,
    channel_id: stage.plans.id,
    trigger_id: `trigger-of-${user.id}`,
    response_url: `${stage.slack.origin}/nowhere`,
    is_enterprise_install: 'false',
  };
  const attempts = () => outside.query('select 1 from plancast.link_attempts where user_id = $1', [user.id]);
  return {
    body: new URLSearchParams(fields).toString(),
    wasCarriedOut: async () => (await attempts()).length > 0,
  };
}
const send = (body: string, headers: Record<string, string>) =>
  fetch(at('/slack/events'), { method: 'POST', body, headers });
/** Waits until a command that is signed as it should be, and was sent after what came before, has been carried out. */
async function afterAnother(): Promise<void> {
  const { body, wasCarriedOut } = await command();
  expect((await send(body, slackHeaders(body))).status).toBe(200);
  await until(
    async () => (await wasCarriedOut()) || undefined,
    () => 'the signed command did not run',
  );
}
const now = () => Math.floor(stage.now().getTime() / 1_000);

test('POST /slack/events, signed by Slack within 5 minutes: accepted', async () => {
  for (const seconds of [now(), now() - 290, now() + 290]) {
    const { body, wasCarriedOut } = await command();
    expect((await send(body, slackHeaders(body, seconds))).status).toBe(200);
    await until(
      async () => (await wasCarriedOut()) || undefined,
      () => 'the command did not run',
    );
  }
});

test.each<[string, (body: string) => Record<string, string>]>([
  ['unsigned', () => ({ 'content-type': form })],
  ['no timestamp', (body) => ({ ...slackHeaders(body), 'x-slack-request-timestamp': '' })],
  ['more than 5 minutes old', (body) => slackHeaders(body, now() - 310)],
  ['more than 5 minutes in the future', (body) => slackHeaders(body, now() + 310)],
  ['signed for another body', (body) => slackHeaders(`${body}x`)],
  [
    'signed with another secret',
    (body) => ({ ...slackHeaders(body), 'x-slack-signature': `v0=${'0'.repeat(64)}` }),
  ],
  [
    'with a signature of another version',
    (body) => {
      const headers = slackHeaders(body);
      return { ...headers, 'x-slack-signature': headers['x-slack-signature'].replace('v0', 'v1') };
    },
  ],
  [
    'with a timestamp that is not a number',
    (body) => ({ ...slackHeaders(body), 'x-slack-request-timestamp': 'now' }),
  ],
])('POST /slack/events %s: 401, and nothing happens', async (_what, headersFor) => {
  const { body, wasCarriedOut } = await command();
  expect((await send(body, headersFor(body))).status).toBe(401);
  await afterAnother();
  expect(await wasCarriedOut()).toBe(false);
});

test('an unsigned ssl_check with a payload smuggled in runs nothing', async () => {
  const { body, wasCarriedOut } = await command();
  for (const value of ['true', '1']) {
    const answer = await send(`${body}&ssl_check=${value}`, { 'content-type': form });
    expect([200, 401]).toContain(answer.status);
  }
  await afterAnother();
  expect(await wasCarriedOut()).toBe(false);
});

test("Slack's url_verification is answered with its challenge, only if it is signed", async () => {
  const answer = await stage.slack.urlVerification('abc-challenge');
  expect(answer.status).toBe(200);
  expect(answer.json).toEqual({ challenge: 'abc-challenge' });
  expect((await stage.slack.urlVerification('x', { signature: null })).status).toBe(401);
});

test('a command that Slack sends twice runs once', async () => {
  const dana = await outside.member({ account: 'dana@example.com', realName: 'Dana Doubled' });
  const channel = outside.channel();
  const done = await stage.type(dana, '/subscribe project 412-873-550', channel);
  await done.replay();
  await stage.slack.waitForMessage(channel, /Dana Doubled added/);
  // The channel's messages are posted in order, so a second run would be announced before this.
  await outside.announced(dana, '/subscribe session 731-450-286', { channel, wanted: /731-450-286/ });
  const posted = stage.slack.allMessages.filter((message) => message.channelId === channel.id);
  expect(posted).toHaveLength(2);
});

test('an event that Slack retries has one effect', async () => {
  const { channel, up } = await outside.following('/subscribe project 412-873-550');
  const archived = await stage.slack.archive(channel, stage.dana);
  await archived.replay(1);
  await archived.replay(2);
  expect(archived.status).toBe(200);
  await deliver(up.uri, notificationFor(up));
  await outside.rows(channel, ({ state, reason }) => state === 'pending' && reason === 'paused');
});

// GET /slack/install

test('GET /slack/install and /slack/oauth_redirect exist only with a client id and secret', async () => {
  expect((await fetch(at('/slack/install'), { redirect: 'manual' })).status).toBe(404);
  expect((await fetch(at('/slack/oauth_redirect'), { redirect: 'manual' })).status).toBe(404);
  const before = stage.slack.botRequestUrl;
  const open = await stage.addBot({
    env: { SLACK_BOT_TOKEN: '', SLACK_CLIENT_ID: '123.456', SLACK_CLIENT_SECRET: 'slack-client-secret' },
  });
  stage.slack.botRequestUrl = before;
  const install = await fetch(`${open.publicUrl}/slack/install`, { redirect: 'manual' });
  expect([200, 302]).toContain(install.status);
  const text = `${install.headers.get('location')} ${await install.text()}`;
  expect(text).toContain('client_id=123.456');
  expect(text).not.toContain('slack-client-secret');
  const back = await fetch(`${open.publicUrl}/slack/oauth_redirect?code=x&state=y`, { redirect: 'manual' });
  await open.stop();
  expect(back.status).toBeGreaterThanOrEqual(400);
  expect(back.status).toBeLessThan(500);
});

test('a ticket older than ten minutes does not work', async () => {
  const user = await outside.member({ email: 'dana@example.com' });
  const url = await ticketOf(user);
  stage.advance(10 * 60_000 + 1_000);
  expect((await submit(url)).status).not.toBe(303);
  expect(await (await fetch(url)).text()).toMatch(/\/plancast link/);
});

// Without a database. Last, because it cuts every connection.

test('without a database: /readyz 503, /healthz 200, notifications 503, and all is well again once it is back', async () => {
  const { up } = await outside.following('/subscribe session 731-450-286');
  const { default: pg } = await import('pg');
  const url = new URL(stage.database.url);
  const name = url.pathname.slice(1);
  url.pathname = '/postgres';
  const admin = new pg.Client({ connectionString: url.href });
  await admin.connect();
  await outside.close();
  try {
    await admin.query(`alter database ${name} with allow_connections false`);
    await admin.query('select pg_terminate_backend(pid) from pg_stat_activity where datname = $1', [name]);
    await until(
      async () => (await fetch(at('/readyz'))).status === 503 || undefined,
      () => '/readyz keeps saying that all is well',
    );
    expect((await fetch(at('/healthz'))).status).toBe(200);
    const answer = await deliver(up.uri, notificationFor(up));
    expect(answer.status).toBe(503);
    expect(answer.headers.get('retry-after')).toMatch(/^\d+$/);
  } finally {
    await admin.query(`alter database ${name} with allow_connections true`);
    await admin.end();
  }
  await until(
    async () => (await fetch(at('/readyz'))).status === 200 || undefined,
    () => '/readyz does not recover',
    12_000,
  );
  expect((await deliver(up.uri, notificationFor(up))).status).toBe(200);
  outside = lookFromOutside(stage);
});
