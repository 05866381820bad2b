import { expect, test } from 'vitest';
import {
  api,
  codeFor,
  DANA,
  DEAD_URI,
  forms,
  link,
  postCreate,
  redeem,
  refresh,
  SAM,
  SUBSCRIPTIONS,
  startService,
} from './support.ts';

test('a fault replaces status, body, content type and Retry-After as often as it says', async () => {
  const service = await startService();
  const token = service.accessToken(DANA);
  const set = service.faults.set({
    endpoint: 'list',
    kind: 'answer',
    status: 429,
    body: '{"wait":true}',
    contentType: 'application/json',
    retryAfter: 7,
    times: 2,
  });
  const answers = [];
  for (let count = 0; count < 3; count += 1) answers.push(await api(service, SUBSCRIPTIONS, { token }));
  expect(answers.map(({ status }) => status)).toEqual([429, 429, 200]);
  expect(answers[0]?.headers.get('retry-after')).toBe('7');
  expect(answers[0]?.headers.get('content-type')).toBe('application/json');
  expect(await answers[0]?.json()).toEqual({ wait: true });
  expect(set.hits()).toBe(2);
});

test('a fault without `times` lasts until it is removed', async () => {
  const service = await startService();
  const token = service.accessToken(DANA);
  const list = async () => (await api(service, SUBSCRIPTIONS, { token })).status;
  const set = service.faults.set({ endpoint: 'every', kind: 'answer', status: 500 });
  expect([await list(), await list()]).toEqual([500, 500]);
  set.remove();
  expect(await list()).toBe(200);
  service.faults.set({ endpoint: 'every', kind: 'answer', status: 500 });
  service.faults.clear();
  expect(await list()).toBe(200);
});

test('a fault can let some requests pass first, or affect only one user', async () => {
  const service = await startService();
  service.faults.set({ endpoint: 'list', kind: 'answer', status: 500, after: 1, user: DANA });
  const list = async (email: string) =>
    (await api(service, SUBSCRIPTIONS, { token: service.accessToken(email) })).status;
  expect([await list(SAM), await list(DANA), await list(SAM), await list(DANA)]).toEqual([
    200, 200, 200, 500,
  ]);
});

test('a fault of one endpoint does not affect the others', async () => {
  const service = await startService();
  service.faults.set({ endpoint: 'create', kind: 'answer', status: 500 });
  const form = forms(service, DEAD_URI).project;
  expect((await postCreate(service, form)).status).toBe(500);
  expect((await postCreate(service, form, { comprehensive: true })).status).toBe(200);
});

test('a fault of token affects both grants, one of token:refresh_token only that grant', async () => {
  const service = await startService();
  service.faults.set({ endpoint: 'token:refresh_token', kind: 'answer', status: 500 });
  const { refresh_token } = await link(service, DANA);
  expect((await refresh(service, refresh_token)).status).toBe(500);
  service.faults.clear();
  service.faults.set({ endpoint: 'token', kind: 'answer', status: 502 });
  expect((await redeem(service, await codeFor(service, DANA))).status).toBe(502);
  expect((await refresh(service, refresh_token)).status).toBe(502);
});

test('a delay holds the request for its time, and then lets it through', async () => {
  const service = await startService();
  service.faults.set({ endpoint: 'list', kind: 'delay', ms: 80 });
  const begun = performance.now();
  const answer = await api(service, SUBSCRIPTIONS, { token: service.accessToken(DANA) });
  expect(answer.status).toBe(200);
  expect(performance.now() - begun).toBeGreaterThan(70);
});

test('a delay and another fault both apply', async () => {
  const service = await startService();
  service.faults.set({ endpoint: 'list', kind: 'delay', ms: 1 });
  service.faults.set({ endpoint: 'list', kind: 'answer', status: 503 });
  const answer = await api(service, SUBSCRIPTIONS, { token: service.accessToken(DANA) });
  expect(answer.status).toBe(503);
  expect(service.log.of('request')).toMatchObject([{ status: 503, faults: ['delay', 'answer'] }]);
});

test('a reset closes the connection before anything is done', async () => {
  const service = await startService();
  service.faults.set({ endpoint: 'create', kind: 'reset', times: 1 });
  await expect(postCreate(service, forms(service, DEAD_URI).project)).rejects.toThrow();
  expect(service.subscriptions.all()).toEqual([]);
  expect(service.log.of('request')).toMatchObject([{ endpoint: 'create', status: null }]);
});

test('after a committed reset the subscription is made, and only the answer is lost', async () => {
  const service = await startService();
  service.faults.set({ endpoint: 'create', kind: 'reset', committed: true, times: 1 });
  await expect(postCreate(service, forms(service, DEAD_URI).project)).rejects.toThrow();
  expect(service.subscriptions.all()).toHaveLength(1);
});

test('after a committed reset of a refresh the token is used up, and a retry revokes the family', async () => {
  const service = await startService();
  const { refresh_token } = await link(service, DANA);
  service.faults.set({ endpoint: 'token:refresh_token', kind: 'reset', committed: true, times: 1 });
  await expect(refresh(service, refresh_token)).rejects.toThrow();
  expect(service.log.of('token').map(({ grant }) => grant)).toEqual(['authorization_code', 'refresh_token']);
  expect((await refresh(service, refresh_token)).status).toBe(400);
  expect(service.log.of('revocation')).toHaveLength(1);
});

test.each([true, false])('an answer can be invalid JSON (committed: %s)', async (committed) => {
  const service = await startService();
  service.faults.set({ endpoint: 'create', kind: 'invalid JSON', committed });
  const answer = await postCreate(service, forms(service, DEAD_URI).project);
  expect(answer.status).toBe(200);
  expect(answer.headers.get('content-type')).toContain('application/json');
  await expect(answer.json()).rejects.toThrow(SyntaxError);
  expect(service.subscriptions.all()).toHaveLength(committed ? 1 : 0);
});

test.each(['authorize page', 'authorize decision'] as const)('the %s can fail too', async (endpoint) => {
  const service = await startService();
  service.faults.set({ endpoint, kind: 'answer', status: 503 });
  await expect(codeFor(service, DANA)).rejects.toThrow('503');
});
