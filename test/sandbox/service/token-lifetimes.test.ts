import { expect, test } from 'vitest';
import type { PracticeService } from '../../../sandbox/service/practice-service.ts';
import {
  api,
  DANA,
  DAY,
  link,
  MINUTE,
  MORNING,
  refresh,
  SAM,
  SUBSCRIPTIONS,
  startService,
  tokens,
} from './support.ts';

async function works(service: PracticeService, token: string): Promise<boolean> {
  const { status } = await api(service, SUBSCRIPTIONS, { token });
  if (status !== 200 && status !== 401) throw new Error(`The list answered ${status}.`);
  return status === 200;
}

test('an access token lives 60 minutes', async () => {
  const service = await startService();
  const { access_token: token } = await link(service, DANA);
  service.clock.advance(60 * MINUTE - 1);
  expect(await works(service, token)).toBe(true);
  service.clock.advance(1);
  expect(await works(service, token)).toBe(false);
});

test('a refresh gives a new access token and a new refresh token', async () => {
  const service = await startService();
  const first = await link(service, DANA);
  service.clock.advance(61 * MINUTE);
  const second = await tokens(refresh(service, first.refresh_token));
  expect(second).toMatchObject({
    expires_in: 3600,
    refresh_token_expires_in: 60 * 24 * 3600,
    userName: DANA,
    scope: 'full_user jobs',
    '.issued': 'Wed, 04 Mar 2026 10:16:42 GMT',
  });
  expect(second.refresh_token).not.toBe(first.refresh_token);
  expect(second.access_token).not.toBe(first.access_token);
  expect(await works(service, second.access_token)).toBe(true);
});

test('a refresh token lives 60 days, and each new one 60 more', async () => {
  const service = await startService();
  const first = await link(service, DANA);
  service.clock.advance(60 * DAY - 1);
  const second = await tokens(refresh(service, first.refresh_token));
  service.clock.advance(60 * DAY - 1);
  expect((await refresh(service, second.refresh_token)).status).toBe(200);
});

test('a refresh token no longer works after 60 days', async () => {
  const service = await startService();
  const { refresh_token } = await link(service, DANA);
  service.clock.advance(60 * DAY);
  const answer = await refresh(service, refresh_token);
  expect(answer.status).toBe(400);
  expect(await answer.json()).toMatchObject({ error: 'invalid_grant' });
});

test('an access token is revoked when the refresh token that came with it is used', async () => {
  const service = await startService();
  const first = await link(service, DANA);
  await refresh(service, first.refresh_token);
  expect(await works(service, first.access_token)).toBe(false);
});

test('a refresh token used a second time revokes everything from the same authorization', async () => {
  const service = await startService();
  const first = await link(service, DANA);
  const second = await tokens(refresh(service, first.refresh_token));
  const stolen = await refresh(service, first.refresh_token);
  expect(stolen.status).toBe(400);
  expect(await stolen.json()).toMatchObject({ error: 'invalid_grant' });
  expect((await refresh(service, second.refresh_token)).status).toBe(400);
  expect(await works(service, second.access_token)).toBe(false);
  expect(service.log.of('reuse')).toMatchObject([{ what: 'refresh token', user: DANA, family: 1 }]);
  expect(service.log.of('revocation')).toMatchObject([{ why: 'reuse', user: DANA, family: 1 }]);
});

test("a reuse does not affect the user's other authorizations or other users", async () => {
  const service = await startService();
  const [one, other, sams] = [await link(service, DANA), await link(service, DANA), await link(service, SAM)];
  await refresh(service, one.refresh_token);
  await refresh(service, one.refresh_token);
  expect(await works(service, other.access_token)).toBe(true);
  expect((await refresh(service, other.refresh_token)).status).toBe(200);
  expect((await refresh(service, sams.refresh_token)).status).toBe(200);
});

test('two refreshes at once: one gets tokens, and the family is revoked', async () => {
  const service = await startService();
  const { refresh_token } = await link(service, DANA);
  const answers = await Promise.all([refresh(service, refresh_token), refresh(service, refresh_token)]);
  expect(answers.map(({ status }) => status).sort()).toEqual([200, 400]);
  expect(service.log.of('revocation')).toHaveLength(1);
});

test('a failed refresh (wrong secret) does not use up the token', async () => {
  const service = await startService();
  const { refresh_token } = await link(service, DANA);
  const wrong = await fetch(`${service.authUrl}/auth/token`, {
    method: 'POST',
    body: new URLSearchParams({
      grant_type: 'refresh_token',
      refresh_token,
      client_id: 'x',
      client_secret: 'y',
    }),
  });
  expect(wrong.status).toBe(401);
  expect((await refresh(service, refresh_token)).status).toBe(200);
});

test('a revoked user must authorize again once the access token expires, and not before', async () => {
  const service = await startService();
  const { access_token, refresh_token } = await link(service, DANA);
  service.revoke(DANA);
  expect((await refresh(service, refresh_token)).status).toBe(400);
  expect(await works(service, access_token)).toBe(true);
  service.clock.advance(60 * MINUTE);
  expect(await works(service, access_token)).toBe(false);
  expect(await works(service, (await link(service, DANA)).access_token)).toBe(true);
});

test('the clock follows its source, and can be advanced and set', async () => {
  let real = MORNING.getTime();
  const service = await startService({ now: () => real });
  real += 1_000;
  expect(service.clock.now()).toEqual(new Date(MORNING.getTime() + 1_000));
  service.clock.advance(500);
  expect(service.clock.now()).toEqual(new Date(MORNING.getTime() + 1_500));
  service.clock.set(new Date('2030-01-01T00:00:00Z'));
  real += 1_000;
  expect(service.clock.now()).toEqual(new Date('2030-01-01T00:00:01Z'));
});
