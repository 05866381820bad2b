import { expect, test } from 'vitest';
import { makeServiceOAuth, type ServiceOAuthDeps } from '../../src/service/oauth.ts';
import { failureOf } from './failure-of.ts';
import { type StubAnswer, type StubRequest, startStub } from './stub-server.ts';

const secret = 'client-secret-that-must-not-be-shown';
const code = 'code-that-must-not-be-shown';
const refreshToken = 'refresh-token-that-must-not-be-shown';
const redirectUri = 'https://bot.example/oauth/callback';
const start = new Date('2026-11-20T12:00:00Z');
const minute = 60;
const day = 24 * 60 * minute;

const answered = {
  access_token: 'access-1',
  expires_in: 3600,
  refresh_token: 'refresh-1',
  refresh_token_expires_in: 60 * day,
  token_type: 'bearer',
  userName: ' dana@example.com ',
  scope: 'full_user jobs',
  '.issued': 'Fri, 20 Nov 2026 12:00:00 GMT',
  '.expires': 'Fri, 20 Nov 2026 13:00:00 GMT',
};

function oauthAt(authUrl: string, deps: Partial<ServiceOAuthDeps> = {}) {
  return makeServiceOAuth({
    authUrl,
    clientId: 'plancast',
    clientSecret: secret,
    scopes: ['full_user', 'jobs'],
    redirectUri,
    now: () => start,
    timeoutMs: 2_000,
    ...deps,
  });
}

async function oauthOf(
  answer: (request: StubRequest, nth: number) => StubAnswer,
  deps?: Partial<ServiceOAuthDeps>,
) {
  const { url, requests } = await startStub(answer);
  return { oauth: oauthAt(url, deps), requests };
}

const oauth = oauthAt('https://auth.example', { serviceName: 'PlanHouse' });
const state = 'the-state';

function callback(parameters: Record<string, string> | string) {
  return oauth.readCallback(new URLSearchParams(parameters), state);
}

/** Returns a granted code, as the redirect through the browser brings it. */
function granted(at: typeof oauth, codeVerifier = 'v'.repeat(43)) {
  const read = at.readCallback(new URLSearchParams({ code, state }), state);
  if (read.kind !== 'code') throw new Error(read.error);
  return { callbackParameters: read.callbackParameters, codeVerifier };
}

test('an auth URL with a path keeps it', async () => {
  const url = await oauthAt('https://service.example/eu').authorizationUrl({
    state,
    codeVerifier: 'v'.repeat(43),
  });
  expect(url.pathname).toBe('/eu/auth/oauth/authorize');
});

test('states and verifiers of 1,000 attempts are all different and long', () => {
  const made = Array.from({ length: 1_000 }, () => oauth.newAttempt()).flatMap((one) => [
    one.state,
    one.codeVerifier,
  ]);
  expect(new Set(made).size).toBe(2_000);
  expect(made.filter((text) => !/^[\w-]{43}$/.test(text))).toEqual([]);
});

test.each([
  ['no state', { code }],
  ['an empty state', { code, state: '' }],
  ['another state', { code, state: 'the-statE' }],
  ['the state given twice', 'code=c&state=the-state&state=the-state'],
  ['an error but no state', { error: 'access_denied' }],
])('a callback with %s is refused as not ours', (_, parameters) => {
  expect(callback(parameters)).toMatchObject({ kind: 'error', error: 'state_mismatch' });
});

test.each([
  ['no code', { state }],
  ['an empty code', { state, code: '' }],
  ['the code given twice', `state=${state}&code=a&code=b`],
  ['a token instead of a code', { state, token: 'x' }],
  ['a packed response', { state, response: 'x.y.z', code }],
  ['an issuer of another server', { state, code, iss: 'https://evil.example/' }],
  ['an issuer that is not a URL', { state, code, iss: 'evil' }],
])('a callback with %s cannot be used', (_, parameters) => {
  const read = callback(parameters);
  expect(read).toMatchObject({ kind: 'error', error: 'unreadable_callback' });
});

test.each(['https://auth.example', 'https://auth.example/auth', 'https://api.example/v1'])(
  'an issuer %s on a host of the service is accepted with any path',
  (iss) => {
    const here = oauthAt('https://auth.example', { baseUrl: 'https://api.example/v1' });
    expect(here.readCallback(new URLSearchParams({ code, state, iss }), state).kind).toBe('code');
  },
);

test('an unknown error is quoted, and cannot carry markup', () => {
  expect(callback({ error: 'user_cancelled', state })).toMatchObject({
    error: 'user_cancelled',
    description: 'Your account couldn’t be linked: the answer from PlanHouse was “user_cancelled”.',
  });
  const evil = callback({ error: `<!channel>\n\u202e${'x'.repeat(500)}`, state }) as { description: string };
  expect(evil.description).toMatch(/“!channelx{52}”/);
});

async function refreshed(changes: Record<string, unknown>) {
  const { oauth: at } = await oauthOf(() => ({ json: { ...answered, ...changes } }));
  return at.refresh(refreshToken);
}

const after = (seconds: number) => new Date(start.getTime() + seconds * 1000);
const noTimes = { '.issued': undefined, '.expires': undefined };

test.each([
  [3600, 3600],
  [90, 90],
  ['90', 90],
  [' 90 ', 90],
  [90.5, 90.5],
  [undefined, 3600],
  [null, 3600],
  [-1, 3600],
  [0, 3600],
  [1e300, 3600],
  ['99999999999999999999', 3600],
  ['', 3600],
  ['an hour', 3600],
  ['Infinity', 3600],
  [{}, 3600],
  [[], 3600],
  [true, 3600],
])('expires_in of %j loses no token and counts as %d seconds', async (sent, lifetime) => {
  const tokens = await refreshed({ expires_in: sent, ...noTimes });
  expect(tokens.refreshToken).toBe('refresh-1');
  expect(tokens.accessExpiresAt).toEqual(after(lifetime));
});

test.each([
  [86_400, 86_400],
  ['86400', 86_400],
  [undefined, 60 * day],
  [-5, 60 * day],
  [1e300, 60 * day],
  ['soon', 60 * day],
])('refresh_token_expires_in of %j counts as %d seconds', async (sent, lifetime) => {
  expect((await refreshed({ refresh_token_expires_in: sent })).refreshExpiresAt).toEqual(after(lifetime));
});

test('without expires_in the time between .issued and .expires counts, even if the clock of the service is wrong', async () => {
  const times = { '.issued': '1999-01-01T00:00:00Z', '.expires': '1999-01-01T00:10:00Z' };
  expect((await refreshed({ expires_in: undefined, ...times })).accessExpiresAt).toEqual(after(600));
  const turned = { '.issued': times['.expires'], '.expires': times['.issued'] };
  expect((await refreshed({ expires_in: undefined, ...turned })).accessExpiresAt).toEqual(after(3600));
});

test.each([undefined, null, '', 5, {}])(
  'an answer with a refresh_token of %j keeps the old one',
  async (sent) => {
    const tokens = await refreshed({ refresh_token: sent });
    expect(tokens).toMatchObject({ accessToken: 'access-1', refreshToken: null, refreshExpiresAt: null });
  },
);

test.each(['Bearer', 'BEARER', ' bearer ', undefined, null, 7])(
  'a token_type of %j is a bearer token',
  async (sent) => {
    expect((await refreshed({ token_type: sent })).accessToken).toBe('access-1');
  },
);

test.each([
  ['scope', 7],
  ['scope', ['full_user']],
  ['id_token', 'x.y.z'],
  ['error', 'stray'],
  ['unknown', { deep: [1] }],
])('a %s of %j beside the tokens is no fault', async (field, value) => {
  expect((await refreshed({ [field]: value })).refreshToken).toBe('refresh-1');
});

test.each([200, 201, 203])('tokens answered %d are tokens', async (status) => {
  const { oauth: at } = await oauthOf(() => ({ status, json: answered }));
  expect((await at.refresh(refreshToken)).accessToken).toBe('access-1');
});

test('tokens are read whatever their content type says', async () => {
  const { oauth: at } = await oauthOf(() => ({
    headers: { 'content-type': 'text/plain' },
    body: JSON.stringify(answered),
  }));
  expect((await at.refresh(refreshToken)).accessToken).toBe('access-1');
});

test.each([
  ['nothing', {}],
  ['HTML', { body: '<html>' }],
  ['an array', { json: [answered] }],
  ['no access token', { json: { ...answered, access_token: undefined } }],
  ['an empty access token', { json: { ...answered, access_token: '' } }],
  ['an access token that is not a string', { json: { ...answered, access_token: 5 } }],
  ['a token of another type', { json: { ...answered, token_type: 'mac' } }],
])('200 with %s is unreadable', async (_, answer) => {
  const { oauth: at } = await oauthOf(() => answer);
  expect(await failureOf(at.refresh(refreshToken))).toMatchObject({ kind: 'unreadable', status: 200 });
});

test.each([
  [400, 'invalid_grant', 'invalid-grant'],
  [401, 'invalid_grant', 'invalid-grant'],
  [401, 'invalid_client', 'forbidden'],
  [400, 'unauthorized_client', 'forbidden'],
  [400, 'invalid_scope', 'forbidden'],
  [400, 'invalid_request', 'invalid'],
  [400, 'unsupported_grant_type', 'invalid'],
  [400, 'access_denied', 'denied'],
  [400, 'temporarily_unavailable', 'unavailable'],
  [400, 'something_new', 'invalid'],
  [200, 'invalid_grant', 'invalid-grant'],
])('a rejection %d of %s is %s', async (status, error, kind) => {
  const { oauth: at } = await oauthOf(
    () => ({
      status,
      headers: { 'www-authenticate': 'Bearer realm="x"' },
      json: { error, error_description: `about ${refreshToken}` },
    }),
    { serviceName: 'PlanHouse' },
  );
  const failure = await failureOf(at.refresh(refreshToken));
  expect(failure).toMatchObject({ kind, status });
  expect(failure.forPerson).toMatch(/^[A-Z].*PlanHouse.*\.$/);
  expect(failure.forLog).toContain(error);
});

test.each([
  [429, 'rate-limited'],
  [408, 'unavailable'],
  [500, 'unavailable'],
])('%d is temporary, even with the error of a dead grant in it', async (status, kind) => {
  const { oauth: at } = await oauthOf(() => ({ status, json: { error: 'invalid_grant' } }));
  expect(await failureOf(at.refresh(refreshToken))).toMatchObject({ kind, status });
});

test('an error that repeats what was sent is reported without it', async () => {
  const { oauth: at } = await oauthOf(() => ({ status: 400, json: { error: `no_such_${refreshToken}` } }));
  expect((await failureOf(at.refresh(refreshToken))).forLog).toMatch(/: unknown$/);
});

test('an error that is no word is not repeated in the log', async () => {
  const { oauth: at } = await oauthOf(() => ({ status: 400, json: { error: 'no dana@example.com here' } }));
  expect((await failureOf(at.refresh(refreshToken))).forLog).toMatch(/: another error$/);
});

test.each([
  [400, '', 'invalid-grant'],
  [400, 'The refresh token was used before.', 'invalid-grant'],
  [401, '', 'forbidden'],
  [403, '', 'forbidden'],
  [404, '', 'invalid'],
  [405, '', 'invalid'],
  [429, '', 'rate-limited'],
  [500, '{"error":"invalid_grant"}', 'unavailable'],
  [503, '', 'unavailable'],
  [302, '', 'unreadable'],
])('a rejection %d without a readable error (%j) is %s', async (status, body, kind) => {
  const { oauth: at } = await oauthOf(() => ({ status, body, headers: { 'retry-after': '7' } }));
  const failure = await failureOf(at.refresh(refreshToken));
  expect(failure).toMatchObject({ kind, status, retryAfterSeconds: 7 });
  expect(failure.forPerson).not.toMatch(/check the id|read permission/);
});

test('a redirect of the token endpoint is not followed, so the secret goes nowhere else', async () => {
  const elsewhere = await startStub(() => ({ json: answered }));
  const { oauth: at, requests } = await oauthOf(() => ({
    status: 307,
    headers: { location: elsewhere.url },
  }));
  expect((await failureOf(at.refresh(refreshToken))).kind).toBe('unreadable');
  expect(requests).toHaveLength(1);
  expect(elsewhere.requests).toEqual([]);
});

test.each(['never', 'stall', 'reset'] as const)(
  'a token endpoint that answers with %s is asked only once',
  async (answer) => {
    const { oauth: at, requests } = await oauthOf(() => answer, { timeoutMs: 500 });
    expect(await failureOf(at.refresh(refreshToken))).toMatchObject({ kind: 'unavailable', status: null });
    expect(requests).toHaveLength(1);
  },
);

test('a browser waits for the exchange of a code less long than a renewal of tokens may take', async () => {
  const { oauth: at } = await oauthOf(() => 'never', { timeoutMs: 200, refreshTimeoutMs: 2_000 });
  const since = performance.now();
  expect(await failureOf(at.exchange(granted(at)))).toMatchObject({ kind: 'unavailable' });
  expect(performance.now() - since).toBeLessThan(1_000);
});

test('an exchange with a callback that was not verified here is refused before anything is sent', async () => {
  const { oauth: at, requests } = await oauthOf(() => ({ json: answered }));
  const forged = { callbackParameters: new URLSearchParams({ code, state }), codeVerifier: 'v'.repeat(43) };
  await failureOf(at.exchange(forged));
  expect(requests).toEqual([]);
});
