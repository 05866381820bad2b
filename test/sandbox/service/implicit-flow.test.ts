import { expect, test } from 'vitest';
import { answerAuthorizePage } from '../../../sandbox/service/authorize-as.ts';
import { api, authorizeUrl, DANA, MINUTE, SUBSCRIPTIONS, startService } from './support.ts';

test('Allow answers JSON with access_token, expires_in and state, and no refresh token', async () => {
  const service = await startService();
  const answer = await answerAuthorizePage(authorizeUrl(service, { response_type: 'token' }), DANA);
  expect(answer.status).toBe(200);
  expect(answer.headers.get('location')).toBeNull();
  expect(await answer.json()).toEqual({
    access_token: expect.stringMatching(/^[\w-]{20,}$/),
    expires_in: 3600,
    state: 'st-1',
  });
});

test('the token works for 60 minutes', async () => {
  const service = await startService();
  const answer = await answerAuthorizePage(authorizeUrl(service, { response_type: 'token' }), DANA);
  const { access_token: token } = (await answer.json()) as { access_token: string };
  expect((await api(service, SUBSCRIPTIONS, { token })).status).toBe(200);
  service.clock.advance(60 * MINUTE);
  expect((await api(service, SUBSCRIPTIONS, { token })).status).toBe(401);
});

test('Deny redirects to the redirect URI with error', async () => {
  const service = await startService();
  const answer = await answerAuthorizePage(authorizeUrl(service, { response_type: 'token' }), DANA, 'deny');
  expect(answer.status).toBe(302);
  expect(new URL(answer.headers.get('location') ?? '').searchParams.get('error')).toBe('access_denied');
});
