import { expect, test } from 'vitest';
import { makeClock, startSlack, startStubBot } from './support.ts';

const REDIRECT = 'https://bot.example/slack/oauth_redirect';
const CLIENT = { client_id: 'practice-client-id', client_secret: 'practice-client-secret' };

async function start() {
  const clock = makeClock();
  const started = await startSlack({ now: clock.now });
  const workspace = started.slack.addWorkspace({
    name: 'Fresh',
    botScopes: [],
    tokenRefusal: 'invalid_auth',
  });
  const installer = started.slack.addUser({ teamId: workspace.teamId, realName: 'Ada Admin', isAdmin: true });
  const query = {
    client_id: CLIENT.client_id,
    scope: 'commands,chat:write',
    state: 's1',
    redirect_uri: REDIRECT,
  };
  const url = `${started.slack.authorizeUrl}?${new URLSearchParams(query)}`;
  return { ...started, clock, workspace, installer, url };
}

test('Allow redirects with code and state, and the code gives one token', async () => {
  const { slack, call, workspace, installer, url } = await start();
  const back = new URL(slack.allowInstall(url, { user: installer }));
  expect(back.origin + back.pathname).toBe(REDIRECT);
  expect(back.searchParams.get('state')).toBe('s1');
  const code = back.searchParams.get('code');
  const exchange = () => call('oauth.v2.access', { ...CLIENT, code, redirect_uri: REDIRECT });
  const answer = await exchange();
  expect(answer).toMatchObject({
    ok: true,
    token_type: 'bot',
    scope: 'commands,chat:write',
    bot_user_id: workspace.botUserId,
    team: { id: workspace.teamId, name: 'Fresh' },
    enterprise: null,
    is_enterprise_install: false,
    authed_user: { id: installer.id },
  });
  expect(await call('auth.test', {}, String(answer.access_token))).toMatchObject({
    team_id: workspace.teamId,
  });
  expect(await exchange()).toMatchObject({ error: 'code_already_used' });
  expect(JSON.stringify(slack.calls)).not.toContain('practice-client-secret');
});

test('an organization installs without a team', async () => {
  const { slack, call, workspace, installer, url } = await start();
  Object.assign(workspace, { enterpriseId: 'E1', enterpriseName: 'Org', isEnterpriseInstall: true });
  const code = new URL(slack.allowInstall(url, { user: installer })).searchParams.get('code');
  expect(await call('oauth.v2.access', { ...CLIENT, code, redirect_uri: REDIRECT })).toMatchObject({
    team: null,
    enterprise: { id: 'E1', name: 'Org' },
    is_enterprise_install: true,
  });
});

test.each([
  ['a wrong secret', { client_secret: 'guess' }, 'bad_client_secret'],
  ['a wrong id', { client_id: 'guess' }, 'invalid_client_id'],
  ['a guessed code', { code: 'guess' }, 'invalid_code'],
  ['another redirect URI', { redirect_uri: 'https://evil.example' }, 'bad_redirect_uri'],
])('%s gets nothing', async (_name, wrong, error) => {
  const { slack, call, installer, url } = await start();
  const code = new URL(slack.allowInstall(url, { user: installer })).searchParams.get('code');
  expect(await call('oauth.v2.access', { ...CLIENT, code, redirect_uri: REDIRECT, ...wrong })).toEqual({
    ok: false,
    error,
  });
});

test('a code expires after ten minutes', async () => {
  const { slack, call, clock, installer, url } = await start();
  const code = new URL(slack.allowInstall(url, { user: installer })).searchParams.get('code');
  clock.pass(10 * 60_000 + 1);
  expect(await call('oauth.v2.access', { ...CLIENT, code, redirect_uri: REDIRECT })).toMatchObject({
    error: 'invalid_code',
  });
});

test('optional scopes can be declined, and scopes add up over installs', async () => {
  const { slack, call, workspace, installer, url } = await start();
  const install = async (declined: string[]) => {
    const code = new URL(slack.allowInstall(url, { user: installer, declined })).searchParams.get('code');
    await call('oauth.v2.access', { ...CLIENT, code, redirect_uri: REDIRECT });
    return workspace.botScopes;
  };
  expect(await install(['chat:write'])).toEqual(['commands']);
  expect(await install(['commands'])).toEqual(['commands', 'chat:write']);
});

test('with token rotation a token expires after twelve hours, and a refresh token gives the next pair, once', async () => {
  const { slack, call, clock, workspace, installer, url } = await start();
  slack.app.tokenRotation = true;
  const code = new URL(slack.allowInstall(url, { user: installer })).searchParams.get('code');
  const first = await call('oauth.v2.access', { ...CLIENT, code, redirect_uri: REDIRECT });
  expect(first).toMatchObject({ access_token: workspace.botToken, expires_in: 43_200 });
  const stateOf = async (token: unknown) => (await call('auth.test', {}, String(token))).error ?? 'good';
  const refresh = (token: unknown) =>
    call('oauth.v2.access', { ...CLIENT, grant_type: 'refresh_token', refresh_token: token });

  clock.pass(11 * 3_600_000);
  const second = await refresh(first.refresh_token);
  expect(second).toMatchObject({ ok: true, token_type: 'bot', expires_in: 43_200 });
  // Both tokens are valid for now; the older one expires an hour later.
  expect([await stateOf(first.access_token), await stateOf(second.access_token)]).toEqual(['good', 'good']);
  clock.pass(3_600_000);
  expect([await stateOf(first.access_token), await stateOf(second.access_token)]).toEqual([
    'token_expired',
    'good',
  ]);

  expect(await refresh(first.refresh_token)).toEqual({ ok: false, error: 'invalid_refresh_token' });
  expect(slack.violations.map(({ kind }) => kind)).toContain('refresh-token');
  const third = await refresh(second.refresh_token);
  await refresh(third.refresh_token);
  expect(await stateOf(second.access_token)).toBe('invalid_auth');
  expect(JSON.stringify(slack.calls)).not.toContain(String(first.refresh_token));
});

test('the workspaces of an organization rotate one token', async () => {
  const { slack, call, workspace, installer, url } = await start();
  const org = { enterpriseId: 'E1', isEnterpriseInstall: true };
  Object.assign(workspace, org);
  const sister = slack.addWorkspace({ ...org, name: 'Sister', tokenRefusal: 'invalid_auth' });
  slack.app.tokenRotation = true;
  const code = new URL(slack.allowInstall(url, { user: installer })).searchParams.get('code');
  await call('oauth.v2.access', { ...CLIENT, code, redirect_uri: REDIRECT });
  expect(sister.botToken).toBe(workspace.botToken);
  expect(await call('auth.test', {}, sister.botToken)).toMatchObject({ ok: true });
});

test('Cancel redirects with access_denied', async () => {
  const { slack, url } = await start();
  const back = new URL(slack.denyInstall(url));
  expect(Object.fromEntries(back.searchParams)).toEqual({ error: 'access_denied', state: 's1' });
});

test('a person in a browser is asked, and redirected', async () => {
  const { workspace, url } = await start();
  const page = await fetch(url);
  expect(await page.text()).toContain('Fresh');
  const decide = async (decision: string) => {
    const body = new URLSearchParams({ decision, team: workspace.teamId });
    const response = await fetch(url, { method: 'POST', body, redirect: 'manual' });
    return [response.status, response.headers.get('location')];
  };
  expect(await decide('allow')).toEqual([
    302,
    expect.stringMatching(/^https:\/\/bot\.example\/.*code=.*&state=s1$/),
  ]);
  expect(await decide('deny')).toEqual([302, expect.stringContaining('error=access_denied')]);
});

test('an unregistered app gets nowhere, and a scope cannot inject markup into the page', async () => {
  const { slack } = await start();
  const unknown = await fetch(`${slack.authorizeUrl}?client_id=other&redirect_uri=${REDIRECT}`);
  expect(unknown.status).toBe(400);
  const query = new URLSearchParams({
    client_id: CLIENT.client_id,
    scope: '<script>',
    redirect_uri: REDIRECT,
  });
  const page = await (await fetch(`${slack.authorizeUrl}?${query}`)).text();
  expect(page).not.toContain('<script>');
});

test('an app that revokes its own token or uninstalls itself loses it, and gets the events', async () => {
  const bot = await startStubBot();
  const { slack, seed, call } = await startSlack({ botRequestUrl: bot.url });
  expect(await call('auth.revoke', { test: 1 })).toMatchObject({ revoked: false });
  expect(await call('apps.uninstall', { ...CLIENT, client_secret: 'guess' })).toMatchObject({
    error: 'bad_client_secret',
  });
  expect((await call('auth.test')).ok).toBe(true);
  slack.rateLimit = 'off';
  expect(await call('apps.uninstall', CLIENT)).toMatchObject({ ok: true });
  expect((await call('auth.test')).error).toBe('account_inactive');
  const other = slack.addWorkspace();
  expect(await call('auth.revoke', {}, other.botToken)).toMatchObject({ revoked: true });
  expect((await call('auth.test', {}, other.botToken)).error).toBe('token_revoked');
  await expect.poll(() => bot.received.map(({ fields }) => fields.team_id)).toHaveLength(4);
  expect(new Set(bot.received.map(({ fields }) => fields.team_id))).toEqual(
    new Set([seed.workspace.teamId, other.teamId]),
  );
});
