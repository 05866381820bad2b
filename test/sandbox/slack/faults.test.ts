import { expect, test } from 'vitest';
import { startSlack, startStubBot } from './support.ts';

const HI = { text: 'Hi' };

test('an error on demand, for the given number of times, in one channel only', async () => {
  const { slack, seed, call } = await startSlack();
  const fault = slack.fault({
    method: 'chat.postMessage',
    channel: seed.plans.id,
    error: 'is_archived',
    times: 2,
  });
  const post = async (channel: string) => (await call('chat.postMessage', { channel, ...HI })).error;
  expect(await post(seed.lobby.id)).toBeUndefined();
  expect(await post(seed.plans.id)).toBe('is_archived');
  expect(await post(seed.plans.id)).toBe('is_archived');
  expect(await post(seed.plans.id)).toBeUndefined();
  expect(fault.hits()).toBe(2);
  expect(slack.messages(seed.plans)).toHaveLength(1);
  expect(slack.calls.map(({ outcome, faulted }) => [outcome, faulted])).toEqual([
    ['ok', false],
    ['is_archived', true],
    ['is_archived', true],
    ['ok', false],
  ]);
});

test('429 with and without Retry-After, and a server error that stored the message anyway', async () => {
  const { slack, seed, send } = await startSlack();
  const post = () => send('chat.postMessage', { channel: seed.plans.id, ...HI });
  slack.fault({ status: 429, retryAfter: 30 });
  const refused = await post();
  expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '30']);
  slack.fault({ status: 429 });
  expect((await post()).headers.get('retry-after')).toBeNull();
  slack.fault({ status: 503 });
  expect((await post()).status).toBe(503);
  expect(slack.messages(seed.plans)).toHaveLength(0);
  slack.fault({ status: 503, stored: true });
  expect((await post()).status).toBe(503);
  expect(slack.messages(seed.plans)).toHaveLength(1);
});

test('a connection reset before the message is stored, and after', async () => {
  const { slack, seed, send } = await startSlack();
  const post = () => send('chat.postMessage', { channel: seed.plans.id, ...HI });
  slack.fault({ reset: true });
  await expect(post()).rejects.toThrow();
  expect(slack.messages(seed.plans)).toHaveLength(0);
  slack.fault({ reset: true, stored: true });
  await expect(post()).rejects.toThrow();
  expect(slack.messages(seed.plans)).toHaveLength(1);
  expect(slack.calls.map(({ outcome }) => outcome)).toEqual(['reset', 'reset']);
});

test('an HTML page, half of the JSON, and ok without ts: all stored', async () => {
  const { slack, seed, send } = await startSlack();
  const post = () => send('chat.postMessage', { channel: seed.plans.id, ...HI });
  slack.fault({ body: 'html' });
  const html = await post();
  expect([html.status, html.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8']);
  slack.fault({ body: 'truncated' });
  const half = await (await post()).text();
  expect(half).toMatch(/^{"ok":true/);
  expect(() => JSON.parse(half) as unknown).toThrow();
  slack.fault({ withoutTs: true });
  const blank = (await (await post()).json()) as object;
  expect(blank).toEqual({ ok: true, channel: seed.plans.id });
  expect(slack.messages(seed.plans)).toHaveLength(3);
});

test('a slow answer: delayed before it is stored, or stored and then delayed', async () => {
  const { slack, seed, send } = await startSlack();
  const post = (signal: AbortSignal) =>
    fetch(`${slack.apiUrl}chat.postMessage`, {
      method: 'POST',
      headers: { authorization: `Bearer ${seed.workspace.botToken}` },
      body: new URLSearchParams({ channel: seed.plans.id, ...HI }),
      signal,
    });
  slack.fault({ delayMs: 60_000, stored: true });
  const waiting = new AbortController();
  const late = post(waiting.signal).catch((error: unknown) => error);
  await slack.waitForMessage(seed.plans, 'Hi');
  waiting.abort();
  expect(await late).toBeInstanceOf(Error);

  const started = performance.now();
  slack.fault({ delayMs: 50 });
  expect((await send('auth.test')).status).toBe(200);
  expect(performance.now() - started).toBeGreaterThanOrEqual(45);
});

test('no answer until the practice Slack closes', async () => {
  const { slack, send } = await startSlack();
  slack.fault({ hang: true });
  const hanging = send('auth.test').then(
    () => 'answered',
    () => 'cut off',
  );
  await slack.waitForCall('auth.test', ({ outcome }) => outcome === 'hang');
  await slack.close();
  expect(await hanging).toBe('cut off');
});

test('one call in three, until it is cleared', async () => {
  const { slack, call } = await startSlack();
  slack.fault({ method: 'auth.test', error: 'fatal_error', everyNth: 3, times: Number.POSITIVE_INFINITY });
  const errors: unknown[] = [];
  for (let count = 0; count < 6; count += 1) errors.push((await call('auth.test')).error);
  expect(errors).toEqual([undefined, undefined, 'fatal_error', undefined, undefined, 'fatal_error']);
  slack.clearFaults();
  for (let count = 0; count < 3; count += 1) expect((await call('auth.test')).ok).toBe(true);
});

test('response URLs can fail too', async () => {
  const bot = await startStubBot();
  const { slack, seed } = await startSlack({ botRequestUrl: bot.url });
  const { responseUrl = '' } = await slack.command({
    user: seed.dana,
    channel: seed.plans,
    command: '/subscribe',
  });
  slack.fault({ method: 'response_url', status: 500 });
  const post = () => fetch(responseUrl, { method: 'POST', body: JSON.stringify(HI) });
  expect((await post()).status).toBe(500);
  expect((await post()).status).toBe(200);
  expect(slack.ephemerals(seed.dana)).toHaveLength(1);
});
