import { expect, test } from 'vitest';
import { answerAuthorizePage, authorizeAs } from '../../../sandbox/service/authorize-as.ts';
import {
  authorizeUrl,
  CLIENT_ID,
  CLIENT_SECRET,
  challengeOf,
  codeFor,
  DANA,
  link,
  MINUTE,
  postToken,
  REDIRECT_URI,
  redeem,
  SAM,
  startService,
  tokens,
} from './support.ts';

test('the page names the app, the scopes and every user, each with a label', async () => {
  const service = await startService();
  const page = await fetch(authorizeUrl(service));
  const html = await page.text();
  expect(page.status).toBe(200);
  expect(page.headers.get('content-type')).toContain('text/html');
  expect(html).toContain('<html lang="en">');
  expect(html).toContain(CLIENT_ID);
  expect(html).toContain('full_user jobs');
  for (const email of service.data.users.keys()) {
    expect(html).toMatch(
      new RegExp(`<label><input type="radio" name="user" value="${email}"[^>]*>[^<]+</label>`),
    );
  }
  expect(html.match(/<button /g)).toHaveLength(2);
});

test('Allow redirects to the redirect URI with code and state', async () => {
  const service = await startService();
  const location = new URL(await authorizeAs(authorizeUrl(service, { state: 'a b&c' }), DANA));
  expect(location.origin + location.pathname).toBe(REDIRECT_URI);
  expect([...location.searchParams.keys()]).toEqual(['code', 'state']);
  expect(location.searchParams.get('state')).toBe('a b&c');
});

test('Deny redirects with error and state, and no code', async () => {
  const service = await startService();
  const location = new URL(await authorizeAs(authorizeUrl(service), DANA, 'deny'));
  expect(Object.fromEntries(location.searchParams)).toEqual({ error: 'access_denied', state: 'st-1' });
});

test('a redirect URI keeps the query it was registered with', async () => {
  const uri = 'https://bot.example.com/cb?tenant=7';
  const service = await startService({ redirectUris: [uri] });
  const location = new URL(await authorizeAs(authorizeUrl(service, { redirect_uri: uri }), DANA));
  expect(location.searchParams.get('tenant')).toBe('7');
  expect(location.searchParams.get('code')).not.toBeNull();
});

test.each([
  ['another app', { client_id: 'someone-else' }],
  ['a missing app', { client_id: undefined }],
  ['an unregistered redirect URI', { redirect_uri: `${REDIRECT_URI}/more` }],
  ['a missing redirect URI', { redirect_uri: undefined }],
])('%s gets a page that says so, and no redirect', async (_, changed) => {
  const service = await startService();
  const answer = await answerAuthorizePage(authorizeUrl(service, changed), DANA);
  expect(answer.status).toBe(400);
  expect(answer.headers.get('location')).toBeNull();
});

test.each([
  ['unsupported_response_type', { response_type: 'id_token' }],
  ['invalid_request', { scope: undefined }],
  ['invalid_request', { state: undefined }],
  ['invalid_scope', { scope: 'full_user everything' }],
  ['invalid_request', { code_challenge: 'short', code_challenge_method: 'S256' }],
  ['invalid_request', { code_challenge: challengeOf('v'), code_challenge_method: 'plain' }],
])('the app gets %s for %o', async (error, changed) => {
  const service = await startService();
  const location = new URL(await authorizeAs(authorizeUrl(service, changed), DANA));
  expect(location.searchParams.get('error')).toBe(error);
  expect(location.searchParams.has('code')).toBe(false);
});

test('nobody signs in as an unknown user, or without a decision', async () => {
  const service = await startService();
  for (const body of [{ user: 'eve@example.com', decision: 'allow' }, { user: DANA }]) {
    const answer = await fetch(authorizeUrl(service), {
      method: 'POST',
      body: new URLSearchParams(body as Record<string, string>),
      redirect: 'manual',
    });
    expect(answer.status).toBe(400);
  }
  await expect(authorizeAs(authorizeUrl(service), 'eve@example.com')).rejects.toThrow('does not offer');
});

test('text that the app puts into the URL cannot inject markup into the page', async () => {
  const service = await startService();
  const html = await (await fetch(authorizeUrl(service, { client_id: '"><script>' }))).text();
  expect(html).not.toContain('<script>');
});

test('the token response has every field of the table', async () => {
  const service = await startService();
  const answer = await redeem(service, await codeFor(service, SAM));
  expect(answer.status).toBe(200);
  expect(answer.headers.get('cache-control')).toBe('no-store');
  expect(await answer.json()).toEqual({
    access_token: expect.stringMatching(/^[\w-]{20,}$/),
    expires_in: 3600,
    refresh_token: expect.stringMatching(/^[\w-]{20,}$/),
    refresh_token_expires_in: 60 * 24 * 3600,
    token_type: 'bearer',
    userName: SAM,
    scope: 'full_user jobs',
    '.issued': 'Wed, 04 Mar 2026 09:15:42 GMT',
    '.expires': 'Wed, 04 Mar 2026 10:15:42 GMT',
  });
});

test('a code works until 5 minutes have passed', async () => {
  const service = await startService();
  const code = await codeFor(service, DANA);
  service.clock.advance(5 * MINUTE - 1);
  expect((await redeem(service, code)).status).toBe(200);
});

test('a code no longer works after 5 minutes', async () => {
  const service = await startService();
  const code = await codeFor(service, DANA);
  service.clock.advance(5 * MINUTE);
  const answer = await redeem(service, code);
  expect(answer.status).toBe(400);
  expect(await answer.json()).toMatchObject({ error: 'invalid_grant' });
});

test('a code used twice gives nothing, and revokes what it gave before', async () => {
  const service = await startService();
  const code = await codeFor(service, DANA);
  const first = await tokens(redeem(service, code));
  expect((await redeem(service, code)).status).toBe(400);
  const use = await fetch(`${service.baseUrl}/notifications/subscriptions`, {
    headers: { authorization: `Bearer ${first.access_token}` },
  });
  expect(use.status).toBe(401);
  expect(service.log.of('reuse')).toMatchObject([{ what: 'code', user: DANA }]);
});

test.each([
  ['an unknown code', { code: 'nope' }, 400, 'invalid_grant'],
  ['another redirect URI', { redirect_uri: 'https://bot.example.com/other' }, 400, 'invalid_grant'],
  ['a missing redirect URI', { redirect_uri: '' }, 400, 'invalid_request'],
  ['a missing code', { code: '' }, 400, 'invalid_request'],
  ['a wrong client secret', { client_secret: 'guess' }, 401, 'invalid_client'],
  ['a missing client secret', { client_secret: '' }, 401, 'invalid_client'],
  ['another client id', { client_id: 'someone-else' }, 401, 'invalid_client'],
  ['an unknown grant type', { grant_type: 'password' }, 400, 'unsupported_grant_type'],
])('the token endpoint rejects %s', async (_, changed, status, error) => {
  const service = await startService();
  const answer = await redeem(service, await codeFor(service, DANA), changed);
  expect(answer.status).toBe(status);
  expect(await answer.json()).toMatchObject({ error });
  expect(service.log.of('token')).toEqual([]);
});

test('the token endpoint only accepts forms', async () => {
  const service = await startService();
  const answer = await fetch(`${service.authUrl}/auth/token`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ grant_type: 'refresh_token', client_id: CLIENT_ID, client_secret: CLIENT_SECRET }),
  });
  expect(answer.status).toBe(400);
  expect((await fetch(`${service.authUrl}/auth/token`)).status).toBe(405);
});

test('PKCE: the right verifier is required if a challenge was sent', async () => {
  const service = await startService();
  const verifier = 'v'.repeat(43);
  const sent = { code_challenge: challengeOf(verifier), code_challenge_method: 'S256' };
  const wrong = await redeem(service, await codeFor(service, DANA, sent), { code_verifier: 'w'.repeat(43) });
  const missing = await redeem(service, await codeFor(service, DANA, sent));
  const right = await redeem(service, await codeFor(service, DANA, sent), { code_verifier: verifier });
  expect([wrong.status, missing.status, right.status]).toEqual([400, 400, 200]);
});

test('PKCE: a verifier without a challenge is rejected', async () => {
  const service = await startService();
  const answer = await redeem(service, await codeFor(service, DANA), { code_verifier: 'v'.repeat(43) });
  expect(answer.status).toBe(400);
});

test('the log says who authorized and what was issued, and contains no secret', async () => {
  const service = await startService();
  const { access_token, refresh_token } = await link(service, SAM);
  await postToken(service, { grant_type: 'refresh_token', refresh_token });
  expect(service.log.of('authorization')).toMatchObject([
    { user: SAM, decision: 'allow', scope: 'full_user jobs' },
  ]);
  expect(service.log.of('token')).toMatchObject([
    { grant: 'authorization_code', user: SAM, family: 1, withRefreshToken: true },
    { grant: 'refresh_token', user: SAM, family: 1, withRefreshToken: true },
  ]);
  const all = JSON.stringify(service.log.all());
  for (const secret of service.secrets()) expect(all).not.toContain(secret);
  expect(service.secrets()).toEqual(expect.arrayContaining([access_token, refresh_token, CLIENT_SECRET]));
});
