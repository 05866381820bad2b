import { expect, test } from 'vitest';
import { makeClock, startSlack } from './support.ts';

test('the fourth message at once to a channel has to wait a second; one to another channel does not', async () => {
  const clock = makeClock();
  const { slack, seed, send } = await startSlack({ now: clock.now });
  const post = (channel: string) => send('chat.postMessage', { channel, text: 'Hi' });
  const statuses: number[] = [];
  for (let count = 0; count < 4; count += 1) statuses.push((await post(seed.plans.id)).status);
  expect(statuses).toEqual([200, 200, 200, 429]);
  expect(slack.messages(seed.plans)).toHaveLength(3);

  const refused = await post(seed.plans.id);
  expect(refused.headers.get('retry-after')).toBe('1');
  expect(await refused.json()).toEqual({ ok: false, error: 'ratelimited' });
  expect((await post(seed.lobby.id)).status).toBe(200);

  clock.pass(1000);
  expect((await post(seed.plans.id)).status).toBe(200);
  expect((await post(seed.plans.id)).status).toBe(429);
  expect(slack.tooFast()).toBe(3);
  expect(slack.violations).toHaveLength(3);
  expect(slack.violations[0]).toMatchObject({ kind: 'rate', method: 'chat.postMessage' });
});

test('one message a second is never limited', async () => {
  const clock = makeClock();
  const { slack, seed, call } = await startSlack({ now: clock.now });
  for (let count = 0; count < 70; count += 1) {
    expect(await call('chat.postMessage', { channel: seed.plans.id, text: 'Hi' })).toMatchObject({
      ok: true,
    });
    clock.pass(1000);
  }
  expect(slack.tooFast()).toBe(0);
});

test("a user's id and the direct messages with them are one channel", async () => {
  const clock = makeClock();
  const { slack, seed, call } = await startSlack({ now: clock.now });
  const { id } = slack.directChannel(seed.workspace.teamId, seed.dana);
  for (const channel of [id, seed.dana.id, id]) await call('chat.postMessage', { channel, text: 'Hi' });
  expect(await call('chat.postMessage', { channel: seed.dana.id, text: 'Hi' })).toMatchObject({
    error: 'ratelimited',
  });
});

test('the 51st update in a minute has to wait until the first is a minute old', async () => {
  const clock = makeClock();
  const { seed, call, send } = await startSlack({ now: clock.now });
  const channel = seed.plans.id;
  const { ts } = await call('chat.postMessage', { channel, text: 'Hi' });
  const update = () => send('chat.update', { channel, ts, text: 'Hi' });
  for (let count = 0; count < 50; count += 1) expect((await update()).status).toBe(200);
  clock.pass(20_000);
  const refused = await update();
  expect(refused.status).toBe(429);
  expect(refused.headers.get('retry-after')).toBe('40');
  clock.pass(40_000);
  expect((await update()).status).toBe(200);
});

test('a workspace has its own limit', async () => {
  const clock = makeClock();
  const { slack, seed, call } = await startSlack({ now: clock.now, workspacePostsPerMinute: 2 });
  const channels = [seed.plans.id, seed.lobby.id, seed.shared.id];
  const errors: unknown[] = [];
  for (const channel of channels)
    errors.push((await call('chat.postMessage', { channel, text: 'Hi' })).error);
  expect(errors).toEqual([undefined, undefined, 'ratelimited']);
  expect(slack.tooFast()).toBe(1);
});

test('in record mode nothing is refused and everything is recorded; off, it is only counted', async () => {
  const clock = makeClock();
  const { slack, seed, send } = await startSlack({ now: clock.now, rateLimit: 'record' });
  const post = () => send('chat.postMessage', { channel: seed.plans.id, text: 'Hi' });
  for (let count = 0; count < 5; count += 1) expect((await post()).status).toBe(200);
  expect(slack.violations).toHaveLength(2);
  slack.rateLimit = 'off';
  expect((await post()).status).toBe(200);
  expect(slack.violations).toHaveLength(2);
  expect(slack.tooFast()).toBe(3);
  slack.rateLimit = 'strict';
  expect((await post()).status).toBe(429);
});
