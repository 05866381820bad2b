import { request } from 'node:http';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import {
  type Browser,
  headingOf,
  openBrowser,
  rowsOf,
  type Shown,
  visitInstallPage,
} from '../../support/installing-browser.ts';
import { type Stage, setStage } from '../../support/stage.ts';

let stage: Stage;
let url: string;
let browser: Browser;
let exchangesBefore: number;
const logged: string[] = [];

beforeAll(async () => {
  stage = await setStage({
    name: 'installing',
    env: {
      SLACK_BOT_TOKEN: '',
      SLACK_CLIENT_ID: 'practice-client-id',
      SLACK_CLIENT_SECRET: 'practice-client-secret',
    },
    onLog: (line) => logged.push(line),
  });
  url = stage.bot.publicUrl;
});
beforeEach(() => {
  browser = openBrowser();
  exchangesBefore = stage.slack.callsOf('oauth.v2.access').length;
});
afterEach(() => {
  stage.slack.clearFaults();
  browser.close();
});
afterAll(() => stage.close());

const exchanges = () => stage.slack.callsOf('oauth.v2.access').length - exchangesBefore;
const allow = (page: string) => stage.slack.allowInstall(page, { user: stage.dana });
const approve = async (): Promise<string> => allow(await browser.start(url));

function expectPage(shown: Shown, status: number, heading: string): void {
  expect([shown.status, headingOf(shown)]).toEqual([status, heading]);
  expect(shown.headers['content-type']).toMatch(/^text\/html; charset=utf-8$/);
  expect(shown.headers['content-security-policy']).toContain("default-src 'none'");
  expect(shown.headers['cache-control']).toBe('no-store');
  expect(shown.text.match(/<h1>/g)).toHaveLength(1);
  expect(shown.text).not.toMatch(/<script|\.ts:|practice-client-secret/);
}

/** Expects a page that says what to do next. */
function expectProblem(shown: Shown, status: number, heading: string): void {
  expectPage(shown, status, heading);
  expect(shown.text).toContain(`<a class="button" href="${url}/slack/install">`);
}

test('I install Plancast, see where it now works, open Slack from there, and it answers me', async () => {
  stage.workspace.tokenRefusal = 'account_inactive';
  const shown = await browser.open(await approve());

  expectPage(shown, 200, 'Plancast is installed');
  expect(shown.text).toContain('<strong>Northwind Studio</strong>');
  expect(shown.text).toContain(
    `<a class="button" href="slack://app?team=${stage.teamId}&amp;id=A0PRACTICE">Open Slack</a>`,
  );
  expect(shown.text).toContain(`href="https://app.slack.com/client/${stage.teamId}"`);
  expect(logged.filter((line) => line.includes('"msg":"installed"'))).toHaveLength(1);
  await stage.slack.openHome(stage.sam);
  expect(await stage.slack.waitForHome(stage.sam, () => true)).toMatchObject({ teamId: stage.teamId });
});

test('an organization reads that it has to choose its workspaces', async () => {
  const org = { enterpriseId: 'E0HARBOR01', enterpriseName: 'Harbor <Group>', isEnterpriseInstall: true };
  const { teamId } = stage.slack.addWorkspace({ name: 'Harbor North', ...org });
  const admin = stage.slack.addUser({ teamId, realName: 'Ada Admin' });
  const shown = await browser.open(stage.slack.allowInstall(await browser.start(url), { user: admin }));

  expectPage(shown, 200, 'Plancast is installed');
  expect(shown.text).toContain('<strong>Harbor &lt;Group&gt;</strong>');
  expect(shown.text).toContain(
    'href="https://app.slack.com/manage/E0HARBOR01/integrations/profile/A0PRACTICE/workspaces/add"',
  );
});

test('a hundred GETs of the install page write no row', async () => {
  const before = await rowsOf(stage);
  expect(await visitInstallPage(url, 100)).toEqual({ 302: 100 });
  expect(await rowsOf(stage)).toEqual(before);
});

test.each([
  ['/slack/oauth_redirect', 400],
  ['/oauth/callback', 303],
])(
  '%s with an impossible port is answered with %i like any forged URL, and logs no error',
  async (route, expected) => {
    const before = logged.length;
    const { hostname, port } = new URL(url);
    const status = await new Promise((resolve, reject) => {
      const asked = request({ hostname, port, path: `http://a:99999${route}?code=x&state=made-up` });
      asked.on('response', (answer) => resolve(answer.resume().statusCode));
      asked.on('error', reject).end();
    });
    expect(status).toBe(expected);
    expect(logged.slice(before).filter((line) => line.includes('"level":"error"'))).toEqual([]);
  },
);

test("a link with the state of the attacker's browser installs nothing in mine", async () => {
  const before = await rowsOf(stage);
  const attacker = openBrowser();
  const sent = allow(await attacker.start(url));
  expectProblem(await browser.open(sent), 403, 'This started in another browser');
  // Not even if my browser has a cookie of its own.
  await browser.start(url);
  expectProblem(await browser.open(sent), 403, 'This started in another browser');
  expect(exchanges()).toBe(0);
  expect(await rowsOf(stage)).toEqual(before);
  attacker.close();
});

test('the URL with my state, opened a hundred times at once, is exchanged once', async () => {
  const back = await approve();
  const shown = await Promise.all(Array.from({ length: 100 }, () => browser.open(back)));
  expect(shown.filter(({ status }) => status === 200)).toHaveLength(1);
  for (const page of shown.filter(({ status }) => status !== 200)) {
    expectProblem(page, 410, 'This link was already used');
  }
  expect(exchanges()).toBe(1);
});

test('a used state does not work again with another code', async () => {
  const back = await approve();
  expect((await browser.open(back)).status).toBe(200);
  const again = new URL(allow(await browser.start(url)));
  again.searchParams.set('state', String(new URL(back).searchParams.get('state')));
  expectProblem(await browser.open(again.href), 410, 'This link was already used');
  expect(exchanges()).toBe(1);
});

test('I come back after more than ten minutes, and nothing is installed', async () => {
  const back = await approve();
  stage.advance(601_000);
  expectProblem(await browser.open(back), 410, 'This took too long');
  expect(exchanges()).toBe(0);
});

test('a state that was changed, or signed by someone else, installs nothing', async () => {
  const back = new URL(await approve());
  const state = String(back.searchParams.get('state'));
  const [header = '', payload = '', signature = ''] = state.split('.');
  const claims = JSON.parse(Buffer.from(payload, 'base64url').toString());
  const encode = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');
  const forged = [
    `${header}.${encode({ ...claims, exp: claims.exp + 3_600 })}.${signature}`,
    `${header}.${encode({ ...claims, jti: 'another' })}.${signature}`,
    `${encode({ alg: 'none' })}.${payload}.`,
    `${header}.${payload}.${signature.split('').reverse().join('')}`,
    `${header}.${payload}`,
    'x',
    '%00',
    'x'.repeat(5_000),
  ];
  for (const one of forged) {
    back.searchParams.set('state', one);
    expectProblem(await browser.open(back.href), 400, 'This link isn’t valid');
  }
  expect(exchanges()).toBe(0);
  back.searchParams.set('state', state);
  expect((await browser.open(back.href)).status).toBe(200);
});

test('I press Cancel: that is no error, and I can try again', async () => {
  const shown = await browser.open(stage.slack.denyInstall(await browser.start(url)));
  expectProblem(shown, 200, 'Installation canceled');
  expect((await browser.open(await approve())).status).toBe(200);
});

test.each(['', '?code=', '?code=abc', '?state=abc', '?code=&state='])(
  'the URL that Slack redirects browsers to, opened with "%s", installs nothing',
  async (query) => {
    await browser.start(url);
    expectProblem(
      await browser.open(`${url}/slack/oauth_redirect${query}`),
      400,
      'Nothing was installed yet',
    );
    expect(exchanges()).toBe(0);
  },
);

test('Slack redirects the browser with an error of its own, and the page says that nothing was completed', async () => {
  const shown = await browser.open(`${url}/slack/oauth_redirect?error=invalid_scope&state=x`);
  expectProblem(shown, 400, 'Slack didn’t complete the installation');
});

test('I start in two tabs, and finish both', async () => {
  const first = allow(await browser.start(url));
  const second = allow(await browser.start(url));
  expect((await browser.open(first)).status).toBe(200);
  expect((await browser.open(second)).status).toBe(200);
});

test('a HEAD request, or a form sent to the URL, does not use up my state', async () => {
  const back = await approve();
  for (const method of ['HEAD', 'POST', 'PUT']) expect((await browser.open(back, method)).status).toBe(405);
  expect((await browser.open(`${url}/slack/install`, 'POST')).status).toBe(405);
  expect((await browser.open(back.replace('oauth_redirect', 'oauth_redirect/x'))).status).toBe(404);
  expect((await browser.open(back)).status).toBe(200);
});

test('Slack rejects the code, and the page says that nothing was completed', async () => {
  const back = new URL(await approve());
  back.searchParams.set('code', 'guessed');
  expectProblem(await browser.open(back.href), 400, 'Slack didn’t complete the installation');
});

test('Slack fails while the code is exchanged: the page says what to do next, and no secret is in the log', async () => {
  const back = await approve();
  stage.slack.fault({ method: 'oauth.v2.access', status: 500 });
  expectProblem(await browser.open(back), 424, 'Slack didn’t answer');
  const code = String(new URL(back).searchParams.get('code'));
  for (const secret of ['practice-client-secret', code, [...browser.cookies.values()][0] ?? '']) {
    expect(secret.length).toBeGreaterThan(4);
    expect(logged.join('\n')).not.toContain(secret);
  }
  expect((await browser.open(await approve())).status).toBe(200);
});

const grant = {
  ok: true,
  access_token: 'xoxb-never-to-be-logged',
  bot_user_id: 'U0BOT',
  team: { id: 'T0UNREADABLE', name: 'Unreadable' },
};
test.each<[string, unknown]>([
  ['with an empty page', ''],
  ['with an HTML page', '<html>Sign in to this Wi-Fi</html>'],
  ['that it has a problem of its own', { ok: false, error: 'internal_error' }],
  ['without a workspace', { ...grant, team: null }],
  ['with a workspace of no known form', { ...grant, team: { id: { a: 1 } } }],
  ['with an organization that has no id', { ...grant, is_enterprise_install: true }],
  ['with a token that is a number', { ...grant, access_token: 42 }],
  ['with the token of a person', { ...grant, token_type: 'user' }],
])(
  'Slack answers the code %s: the page says to try again in a minute, and nothing is kept',
  async (_how, answer) => {
    const back = await approve();
    const text = typeof answer === 'string' ? answer : JSON.stringify(answer);
    const before = await rowsOf(stage);
    stage.slack.fault({ method: 'oauth.v2.access', body: { text } });
    stage.slack.fault({ method: 'auth.test', body: { text: JSON.stringify({ ok: true }) } });
    expectProblem(await browser.open(back), 424, 'Slack didn’t answer');
    expect(await rowsOf(stage)).toEqual({
      ...before,
      // The state is used up.
      seen_requests: Number(before.seen_requests) + 1,
    });
    expect(logged.join('\n')).not.toContain(grant.access_token);
  },
);

test.each<[string, object]>([
  ['workspace', { team: { id: 'T0ANOTHER' } }],
  ['organization', { team: null, is_enterprise_install: true, enterprise: { id: 'E0ANOTHER' } }],
])(
  'Slack gives one %s the token of another: nothing is kept, so neither can post with it',
  async (_kind, named) => {
    const org = { enterpriseId: 'E0MINE', isEnterpriseInstall: true };
    const { botToken } = 'enterprise' in named ? stage.slack.addWorkspace(org) : stage.workspace;
    const back = await approve();
    const before = await rowsOf(stage);
    const text = JSON.stringify({ ...grant, access_token: botToken, ...named });
    stage.slack.fault({ method: 'oauth.v2.access', body: { text } });
    expectProblem(await browser.open(back), 424, 'Slack didn’t answer');
    expect(await rowsOf(stage)).toEqual({ ...before, seen_requests: Number(before.seen_requests) + 1 });
  },
);

test('Slack gives my workspace a name that is no text, and I read that Plancast is in my workspace', async () => {
  const back = await approve();
  const team = { id: stage.teamId, name: { text: 'Northwind' } };
  stage.slack.fault({
    method: 'oauth.v2.access',
    body: { text: JSON.stringify({ ...grant, access_token: stage.workspace.botToken, team }) },
  });
  const shown = await browser.open(back);
  expectPage(shown, 200, 'Plancast is installed');
  expect(shown.text).toContain('<strong>your workspace</strong>');
});

test('the database fails while I come back: the page gives a reference, and no internal details', async () => {
  const { pool } = stage.database.connect();
  const back = await approve();
  await pool.query('alter table plancast.seen_requests rename to elsewhere');
  const shown = await browser.open(back);
  await pool.query('alter table plancast.elsewhere rename to seen_requests');
  expectProblem(shown, 503, 'Something went wrong');
  expect(shown.text).toMatch(/Reference for your admin: [0-9a-f]{8}/);
  expect(shown.text).not.toMatch(/relation|plancast\.|select/);
  expect((await browser.open(back)).status).toBe(200);
});
