import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { answerAuthorizePage, authorizeAs } from '../../sandbox/service/authorize-as.ts';
import { day, headingOf, type Linking, minute, setUpLinking } from '../support/linking.ts';
import type { Answer } from '../support/page-browsers.ts';
import { everythingOf, failureOf } from './failure-of.ts';
import { clientId, dana, grantedBy, type Practice, redirectUri, sidesOf, startPractice } from './practice.ts';

async function link({ oauth, authorize }: Practice) {
  return oauth.exchange(grantedBy(await authorize()));
}

/** Returns the refresh token, or fails the test. */
function refreshTokenOf({ refreshToken }: Awaited<ReturnType<typeof link>>): string {
  if (refreshToken === null) throw new Error('there is no refresh token');
  return refreshToken;
}

/** Expects an expiry this many milliseconds from now, give or take a minute. */
function expectExpiry({ service }: Practice, expiresAt: Date | null, lifetime: number): void {
  const left = Number(expiresAt) - service.clock.now().getTime();
  expect(Math.abs(left - lifetime)).toBeLessThan(minute);
}

function tokenForms({ service }: Practice) {
  return service.log
    .of('request')
    .flatMap(({ endpoint, form }) => (endpoint.startsWith('token') ? [form] : []));
}

/** The heading of the page for a browser whose sign-in is not known. */
const stray = 'Check in Slack whether you’re linked';

/** How a person comes back from the service. */
type Way = {
  readonly account?: string;
  readonly decision?: 'deny';
  /** What happens before they come back. */
  readonly before?: () => unknown;
  /** What is changed in the parameters that the service sent. */
  readonly change?: (sent: URLSearchParams) => void;
  readonly browser?: () => ReturnType<Linking['openBrowser']>;
};

/** Comes back from the service, twice, and expects what the service sent in nothing that reaches the person. */
async function expectHidden(world: Linking, way: Way, expectPage: (page: Answer) => void): Promise<void> {
  const browser = world.openBrowser();
  const consent = await world.goToService(browser, await world.offer(world.dana));
  const callback = new URL(await authorizeAs(consent, way.account ?? dana, way.decision));
  way.change?.(callback.searchParams);
  await way.before?.();
  const other = way.browser?.() ?? browser;
  for (const _ of ['first', 'again']) {
    const back = await other.ask('GET', callback.href);
    expect([back.status, back.headers.location]).toEqual([303, `${world.publicUrl}/linked`]);
    const page = await other.open('/linked');
    expectPage(page);
    const seen = JSON.stringify([back, page, await other.open('/linked')]);
    for (const name of ['code', 'state'])
      for (const secret of callback.searchParams.getAll(name)) expect(seen).not.toContain(secret);
  }
}

describe('Authorization request', () => {
  test('response_type: code', async () => {
    const { authorize } = await startPractice();
    expect((await authorize()).url.searchParams.get('response_type')).toBe('code');
  });

  test('client_id: the registered one; the authorize page rejects any other', async () => {
    const { authorize } = await startPractice();
    const { url } = await authorize();
    expect(url.searchParams.get('client_id')).toBe(clientId);
    url.searchParams.set('client_id', 'another');
    expect((await answerAuthorizePage(url.href, dana)).status).toBe(400);
  });

  test('redirect_uri: exactly the registered one', async () => {
    const { authorize } = await startPractice();
    const { url, location } = await authorize();
    expect(url.searchParams.get('redirect_uri')).toBe(redirectUri);
    expect(location.origin + location.pathname).toBe(redirectUri);
  });

  test.each([[['full_user']], [['full_user', 'jobs']]])(
    'scope: %j in one list with spaces',
    async (scopes) => {
      const { authorize } = await startPractice({}, scopes);
      expect((await authorize()).url.searchParams.get('scope')).toBe(scopes.join(' '));
    },
  );

  test('state: random, and compared with what comes back', async () => {
    const { authorize, oauth } = await startPractice();
    const [one, other] = [await authorize(), await authorize()];
    expect(one.url.searchParams.get('state')).toBe(one.state);
    expect(one.state).not.toBe(other.state);
    expect(oauth.readCallback(one.location.searchParams, other.state)).toMatchObject({
      error: 'state_mismatch',
    });
  });
});

describe('Redirect back', () => {
  test('code and state: accepted', async () => {
    const { authorize } = await startPractice();
    const { location, callback } = await authorize();
    expect([...location.searchParams.keys()]).toEqual(['code', 'state']);
    expect(callback.kind).toBe('code');
  });

  test.each([
    ...sidesOf('denyError').flatMap((side) =>
      sidesOf('denyDescription').map((other) => ({ ...side, ...other })),
    ),
  ])('error: put in words, or quoted if RFC 6749 does not define it (%o)', async (side) => {
    const { authorize } = await startPractice(side);
    const { callback } = await authorize(dana, 'deny');
    expect(callback).toMatchObject({ kind: 'error', error: side.denyError });
    expect(callback).toMatchObject({
      description: expect.stringMatching(
        side.denyError === 'user_cancelled' ? /“user_cancelled”/ : /^(?!.*_).*\.$/,
      ),
    });
  });

  test('error: a scope the service does not have', async () => {
    const { authorize } = await startPractice({}, ['full_user', 'no_such_scope']);
    expect((await authorize()).callback).toMatchObject({ kind: 'error', error: 'invalid_scope' });
  });

  describe('at the callback', () => {
    let world: Linking;
    beforeAll(async () => {
      world = await setUpLinking({ name: 'code not visible' });
    });
    beforeEach(() => world.reset());
    afterAll(() => world.stage.close());

    /** Each comes back with what the service sent, and ends on a page with this heading. */
    test.each<[string, string, Way]>([
      ['I agree', 'You’re linked', {}],
      [
        'I agree with an account that has another address',
        'Enter this code in Slack',
        { account: 'sam@example.com' },
      ],
      ['I cancel', 'Linking canceled', { decision: 'deny' }],
      [
        'the service is down',
        'The service isn’t available',
        { before: () => world.service.faults.set({ endpoint: 'token', kind: 'answer', status: 503 }) },
      ],
      ['Slack is down', 'Enter this code in Slack', { before: () => world.slackGoesDown() }],
      ['I took more than 5 minutes', 'This sign-in has expired', { before: () => world.advance(5 * minute) }],
      ['I took more than 10 minutes', stray, { before: () => world.advance(10 * minute) }],
      ['I open it in another browser', stray, { browser: () => world.openBrowser() }],
      ['the state is unknown', stray, { change: (sent) => sent.set('state', 'x'.repeat(43)) }],
      ['there is no state', stray, { change: (sent) => sent.delete('state') }],
      ['there is no code', 'Linking failed', { change: (sent) => sent.delete('code') }],
      ['there are two codes', 'Linking failed', { change: (sent) => sent.append('code', 'another-code') }],
      [
        'an error comes with the code',
        'Linking canceled',
        { change: (sent) => sent.set('error', 'access_denied') },
      ],
    ])('code: is in no address or page that I see, when %s', async (_when, heading, way) => {
      await expectHidden(world, way, (page) => expect(headingOf(page)).toBe(heading));
    });

    test('code: is in no address or page that I see, when the database is away', async () => {
      const rename = (from: string, to: string) =>
        world.query(`alter table plancast.${from} rename to ${to}`);
      const before = () => rename('link_attempts', 'elsewhere');
      await expectHidden(world, { before }, (page) => expect(headingOf(page)).toBe('Something went wrong'));
      await rename('elsewhere', 'link_attempts');
    });

    test('code: is in no address or page that I see, when I sign in over a link to another account', async () => {
      await world.link(world.dana, 'dana@example.com');
      await world.becomes(world.dana, { email: 'sam@example.com' });
      await expectHidden(world, { account: 'sam@example.com' }, (page) =>
        expect(headingOf(page)).toBe('You’re linked to another account'),
      );
    });
  });
});

describe('Token request', () => {
  test('grant_type, client_id, redirect_uri: as registered', async () => {
    const practice = await startPractice();
    await link(practice);
    expect(tokenForms(practice)).toEqual([
      { grant_type: 'authorization_code', client_id: clientId, redirect_uri: redirectUri },
    ]);
  });

  test('code: works once', async () => {
    const practice = await startPractice();
    const granted = grantedBy(await practice.authorize());
    await practice.oauth.exchange(granted);
    expect((await failureOf(practice.oauth.exchange(granted))).kind).toBe('invalid-grant');
  });

  test('client_secret: sent in the form, and the one thing that a service refuses the bot for', async () => {
    const practice = await startPractice();
    practice.service.faults.set({
      endpoint: 'token',
      kind: 'answer',
      status: 401,
      contentType: 'application/json',
      body: '{"error":"invalid_client"}',
      times: 1,
    });
    const granted = grantedBy(await practice.authorize());
    expect((await failureOf(practice.oauth.exchange(granted))).kind).toBe('forbidden');
    // The practice service only accepts the secret from the form.
    expect((await practice.oauth.exchange(granted)).accessToken).not.toBe('');
  });

  test.each(sidesOf('pkce'))('code_verifier: sent along, checked or not (%o)', async (side) => {
    const practice = await startPractice(side);
    const granted = grantedBy(await practice.authorize());
    const stolen = practice.oauth.exchange({ ...granted, codeVerifier: 'x'.repeat(43) });
    if (side.pkce === 'ignored') return void (await stolen);
    expect((await failureOf(stolen)).kind).toBe('invalid-grant');
    expect((await practice.oauth.exchange(granted)).accessToken).not.toBe('');
  });
});

describe('Token response', () => {
  test('access_token: authorizes requests', async () => {
    const practice = await startPractice();
    const { accessToken } = await link(practice);
    expect(await practice.client.listSubscriptions(accessToken)).toEqual([]);
  });

  test.each(sidesOf('expiresIn'))('expires_in: 60 minutes (%o)', async (side) => {
    const practice = await startPractice(side);
    expectExpiry(practice, (await link(practice)).accessExpiresAt, 60 * minute);
  });

  test('refresh_token: gives a new access token', async () => {
    const practice = await startPractice();
    const first = await link(practice);
    const second = await practice.oauth.refresh(refreshTokenOf(first));
    expect(second.accessToken).not.toBe(first.accessToken);
    await practice.client.listSubscriptions(second.accessToken);
  });

  test.each(sidesOf('refreshExpiresIn'))('refresh_token_expires_in: 60 days (%o)', async (side) => {
    const practice = await startPractice(side);
    expectExpiry(practice, (await link(practice)).refreshExpiresAt, 60 * day);
  });

  test.each(sidesOf('tokenType'))('token_type: bearer in any letter case (%o)', async (side) => {
    const practice = await startPractice(side);
    expect((await link(practice)).accessToken).not.toBe('');
  });

  test.each(sidesOf('userName'))('userName: whose account it is, or null (%o)', async (side) => {
    const practice = await startPractice(side);
    expect((await link(practice)).account).toBe(side.userName === 'sent' ? dana : null);
  });

  test.each(sidesOf('scopeField'))('scope: not needed (%o)', async (side) => {
    const practice = await startPractice(side);
    expect((await link(practice)).accessToken).not.toBe('');
  });

  test('.issued and .expires: the lifetime if expires_in is missing, even if the clock of the service is wrong', async () => {
    const practice = await startPractice({ expiresIn: 'missing' });
    practice.service.clock.advance(-10 * 365 * day);
    expectExpiry(practice, (await link(practice)).accessExpiresAt, 60 * minute);
  });

  test.each(sidesOf('unknownFields'))('unknown fields: no fault (%o)', async (side) => {
    const practice = await startPractice(side);
    expect((await link(practice)).account).toBe(dana);
  });
});

describe('Refresh', () => {
  test('a new access token and a new refresh token', async () => {
    const practice = await startPractice({ refreshAnswer: 'new refresh token' });
    const first = await link(practice);
    const second = await practice.oauth.refresh(refreshTokenOf(first));
    await practice.client.listSubscriptions(second.accessToken);
    expect(refreshTokenOf(second)).not.toBe(refreshTokenOf(first));
  });

  test('a new access token alone: the refresh token stays valid', async () => {
    const practice = await startPractice({ refreshAnswer: 'no refresh token' });
    const first = await link(practice);
    const second = await practice.oauth.refresh(refreshTokenOf(first));
    expect(second.refreshToken).toBeNull();
    const third = await practice.oauth.refresh(refreshTokenOf(first));
    await practice.client.listSubscriptions(third.accessToken);
  });

  test('the form: grant_type, refresh_token, client_id, client_secret', async () => {
    const practice = await startPractice();
    await practice.oauth.refresh(refreshTokenOf(await link(practice)));
    expect(tokenForms(practice)[1]).toEqual({ grant_type: 'refresh_token', client_id: clientId });
  });

  test.each(sidesOf('tokenErrorBody'))(
    'single use: a second use is refused with any body (%o)',
    async (side) => {
      const practice = await startPractice(side);
      const used = refreshTokenOf(await link(practice));
      await practice.oauth.refresh(used);
      expect(await failureOf(practice.oauth.refresh(used))).toMatchObject({
        kind: 'invalid-grant',
        status: 400,
      });
    },
  );

  test('expired after 60 days: the person links again', async () => {
    const practice = await startPractice();
    const refreshToken = refreshTokenOf(await link(practice));
    practice.service.clock.advance(60 * day);
    const failure = await failureOf(practice.oauth.refresh(refreshToken));
    expect(failure.kind).toBe('invalid-grant');
    expect(failure.forPerson).toContain('Link again');
  });

  test.each(sidesOf('revocation'))(
    'revoked: no more refresh; the access token may end at once (%o)',
    async (side) => {
      const practice = await startPractice(side);
      const linked = await link(practice);
      const { accessToken } = linked;
      practice.service.revoke(dana);
      expect((await failureOf(practice.oauth.refresh(refreshTokenOf(linked)))).kind).toBe('invalid-grant');
      const asked = practice.client.listSubscriptions(accessToken);
      if (side.revocation === 'refresh tokens only') return void (await asked);
      expect((await failureOf(asked)).kind).toBe('unauthorized');
    },
  );

  test.each(sidesOf('oldAccessToken'))('the old access token after a refresh (%o)', async (side) => {
    const practice = await startPractice(side);
    const first = await link(practice);
    await practice.oauth.refresh(refreshTokenOf(first));
    const asked = practice.client.listSubscriptions(first.accessToken);
    if (side.oldAccessToken === 'lives to its end') return void (await asked);
    expect((await failureOf(asked)).kind).toBe('unauthorized');
  });

  test('an answer that is lost after the token was used: unavailable, and the next attempt is refused', async () => {
    const practice = await startPractice();
    const refreshToken = refreshTokenOf(await link(practice));
    practice.service.faults.set({
      endpoint: 'token:refresh_token',
      kind: 'reset',
      committed: true,
      times: 1,
    });
    expect(await failureOf(practice.oauth.refresh(refreshToken))).toMatchObject({
      kind: 'unavailable',
      status: null,
    });
    expect((await failureOf(practice.oauth.refresh(refreshToken))).kind).toBe('invalid-grant');
  });

  test.each([
    [429, 'rate-limited'],
    [500, 'unavailable'],
    [503, 'unavailable'],
  ])('%d of the token endpoint is %s and uses nothing up', async (status, kind) => {
    const practice = await startPractice();
    const refreshToken = refreshTokenOf(await link(practice));
    practice.service.faults.set({ endpoint: 'token', kind: 'answer', status, retryAfter: 5, times: 1 });
    expect(await failureOf(practice.oauth.refresh(refreshToken))).toMatchObject({
      kind,
      retryAfterSeconds: 5,
    });
    expect((await practice.oauth.refresh(refreshToken)).accessToken).not.toBe('');
  });

  test('half an answer of the token endpoint is unreadable', async () => {
    const practice = await startPractice();
    const refreshToken = refreshTokenOf(await link(practice));
    practice.service.faults.set({ endpoint: 'token', kind: 'invalid JSON' });
    expect((await failureOf(practice.oauth.refresh(refreshToken))).kind).toBe('unreadable');
  });
});

describe('Limits', () => {
  test('Access token lifetime: 60 minutes, no longer', async () => {
    const practice = await startPractice();
    const { accessToken } = await link(practice);
    practice.service.clock.advance(60 * minute - 1000);
    await practice.client.listSubscriptions(accessToken);
    practice.service.clock.advance(1000);
    expect((await failureOf(practice.client.listSubscriptions(accessToken))).kind).toBe('unauthorized');
  });

  test('Refresh token lifetime: 60 days, single use', async () => {
    const practice = await startPractice();
    const refreshToken = refreshTokenOf(await link(practice));
    practice.service.clock.advance(60 * day - minute);
    await practice.oauth.refresh(refreshToken);
    expect((await failureOf(practice.oauth.refresh(refreshToken))).kind).toBe('invalid-grant');
  });

  test('Authorization code lifetime: 5 minutes', async () => {
    const practice = await startPractice();
    const [early, late] = [grantedBy(await practice.authorize()), grantedBy(await practice.authorize())];
    practice.service.clock.advance(4 * minute);
    await practice.oauth.exchange(early);
    practice.service.clock.advance(minute);
    expect((await failureOf(practice.oauth.exchange(late))).kind).toBe('invalid-grant');
  });
});

test('no secret that the service issued appears in any error', async () => {
  const practice = await startPractice({ errorBody: 'text', tokenErrorBody: 'text' });
  const tokens = await link(practice);
  const { key } = await practice.subscribe(practice.targets.project);
  const failures = [
    await failureOf(practice.oauth.refresh(`${tokens.refreshToken}x`)),
    await failureOf(practice.client.getSubscription(tokens.accessToken, '9')),
    await failureOf(practice.client.listSubscriptions(`${tokens.accessToken}x`)),
  ];
  const shown = failures.map(everythingOf).join();
  const secrets = [...practice.service.secrets(), key ?? '', practice.callbackUrl];
  expect(secrets.filter((secret) => shown.includes(secret))).toEqual([]);
});
