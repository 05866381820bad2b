import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Stage, setStage } from '../support/stage.ts';
import { assertClean, checkDelivery, readEvents, type Sent } from './checker.ts';
import { holdCommits } from './support/hold-commits.ts';
import { bodyOf, follow, type KillScene, notify, setKillScene, unfinished } from './support/kill-scene.ts';

const channels = 10;
const pairs = 200;
const skewMs = 10 * 60_000;
const skewedClock = new URL('./support/skewed-clock.ts', import.meta.url).href;

let scene: KillScene;
beforeAll(async () => {
  scene = await setKillScene('processes', channels);
}, 60_000);
afterAll(() => scene?.close());

test('a process that stalled during its posts for longer than its claims neither marks nor posts again', async () => {
  const { stage, victim, pool } = scene;
  const pid = victim().pid;
  const sent = await scene.alone(async () => {
    const slow = stage.slack.fault({
      method: 'chat.postMessage',
      stored: true,
      delayMs: 1_500,
      times: channels,
    });
    const all = await scene.sendToAll(victim().publicUrl);
    await expect.poll(() => slow.hits()).toBe(channels);
    process.kill(pid, 'SIGSTOP');
    return all;
  });
  const ids = sent.map(({ notificationId }) => notificationId);
  await expect
    .poll(() => unfinished(pool), { timeout: 40_000, interval: 200 })
    .toEqual({ events: 0, lanes: 0 });
  const marked = await messagesOf(ids);
  const posted = stage.slack.callsOf('chat.postMessage').length;

  process.kill(pid, 'SIGCONT');
  await expect
    .poll(() => victim().output().split('claimed by another').length - 1, { timeout: 15_000 })
    .toBeGreaterThanOrEqual(channels);

  expect(await messagesOf(ids)).toEqual(marked);
  expect(stage.slack.callsOf('chat.postMessage')).toHaveLength(posted);
  // Slack stored the posts that were in flight when the process stalled, so each is there twice.
  const report = await scene.judge('stopped and continued', { allowedDoubles: channels });
  expect(report.findings).toEqual([]);
  await sendRounds([victim().publicUrl], 1);
  expect((await scene.judge('afterwards')).findings).toEqual([]);
});

test('the same Id sent to two processes at the same instant is one row and is posted once, 200 times', async () => {
  const { victim, other, followed, pool } = scene;
  const [to] = followed;
  if (!to) throw new Error('no channel has a subscription');
  const before = (await readEvents(pool)).length;
  const ids = newIds(100_000);
  const answers = await Promise.all(
    [victim(), other].flatMap(({ publicUrl }) =>
      // Like the service, retry after a 503.
      ids.map(async (one) => {
        const uri = `${publicUrl}${to.path}`;
        const status = await notify(uri, one);
        return status === 503 ? notify(uri, one) : status;
      }),
    ),
  );

  expect(answers.filter((status) => status !== 200)).toEqual([]);
  expect((await readEvents(pool)).length).toBe(before + pairs);
  const report = await scene.judge('the same Id twice');
  expect(report.findings).toEqual([]);
});

test('two processes that get the same Ids at the same instant in opposite orders refuse neither sender', async () => {
  const { victim, other, followed, pool } = scene;
  const [, , to] = followed;
  if (!to) throw new Error('no channel has a subscription');
  const before = (await readEvents(pool)).length;
  const rounds = 10;
  const answers: (number | null)[] = [];
  for (let round = 0; round < rounds; round += 1) {
    const ids = newIds(200_000 + round * pairs);
    const more = await Promise.all([
      notifyAll(`${victim().publicUrl}${to.path}`, ids),
      notifyAll(`${other.publicUrl}${to.path}`, ids.toReversed()),
    ]);
    answers.push(...more);
  }

  expect((await readEvents(pool)).length).toBe(before + rounds * pairs);
  expect((await scene.judge('the same Ids in two orders')).findings).toEqual([]);
  expect(answers.filter((status) => status !== 200)).toEqual([]);
});

test('an event that was accepted first and committed last is posted first', async () => {
  const { stage, victim, other, followed, pool } = scene;
  const [, to] = followed;
  if (!to) throw new Error('no channel has a subscription');
  const slow = randomUUID();
  const late = await holdCommits(stage.database.url, {
    table: 'plancast.events',
    act: 'insert',
    when: `new.notification_id = '${slow}'`,
  });
  const first = scene.sendAs(slow, to, victim().publicUrl);
  await late.reached(1);
  // A later notification is neither answered nor visible before the first one is committed.
  let answered = false;
  const second = scene.send(to, other.publicUrl).finally(() => {
    answered = true;
  });
  await sleep(1_000);
  expect(answered).toBe(false);
  await late.release();
  const taken = [await first, await second];

  const report = await scene.judge('delayed commit');
  const events = (await readEvents(pool)).filter(({ channelId }) => channelId === to.channel).slice(-2);

  expect(taken.map(({ status }) => status)).toEqual([200, 200]);
  expect(report.findings).toEqual([]);
  expect(events.map(({ notificationId }) => notificationId)).toEqual(
    taken.map(({ notificationId }) => notificationId),
  );
});

test('two processes whose clocks are ten minutes fast and slow post everything once, with the right time', async () => {
  const skewed = await setStage({ name: 'skewed clocks', bot: false, rateLimit: 'record' });
  try {
    await postWithSkewedClocks(skewed);
  } finally {
    await skewed.close();
  }
});

async function postWithSkewedClocks(skewed: Stage): Promise<void> {
  const clock = (ms: number) => ({ NODE_OPTIONS: `--import ${skewedClock}`, CLOCK_SKEW_MS: String(ms) });
  const slow = await skewed.startChild({ env: clock(-skewMs) });
  const followed = await follow(skewed, 8);
  const fast = await skewed.startChild({ env: { ...clock(skewMs), PUBLIC_URL: slow.publicUrl } });
  const { pool } = skewed.database.connect();
  const sent: Sent[] = [];
  for (let index = 0; index < 40; index += 1) {
    const to = followed[index % followed.length];
    if (!to) continue;
    const one = { notificationId: randomUUID(), index };
    const address = index % 3 === 0 ? slow.publicUrl : fast.publicUrl;
    const status = await notify(`${address}${to.path}`, one);
    sent.push({ ...one, status, subscription: to.path, channel: to.channel, at: Date.now() });
  }
  await expect.poll(() => unfinished(pool), { timeout: 30_000 }).toEqual({ events: 0, lanes: 0 });
  const events = await readEvents(pool);
  const messages = skewed.slack.allMessages;

  expect(sent.filter(({ status }) => status !== 200)).toEqual([]);
  assertClean(checkDelivery({ sent, events, messages, tooFast: skewed.slack.tooFast() }));
  const off = events.map(({ receivedAt, postedAt }) => [
    Math.abs(receivedAt.getTime() - Date.now()),
    Math.abs((postedAt?.getTime() ?? 0) - Date.now()),
  ]);
  expect(Math.max(...off.flat())).toBeLessThan(60_000);
  expect(messages.filter(({ text }) => text.includes('happened'))).toEqual([]);
  // A process with a fast clock refuses Slack's requests (Bolt checks its clock), and the log says why.
  await skewed.type(skewed.dana, '/plancast help');
  await expect.poll(() => fast.output()).toContain('Timestamp is too old');
}

function newIds(firstIndex: number) {
  return Array.from({ length: pairs }, (_, at) => ({ notificationId: randomUUID(), index: firstIndex + at }));
}

/** Sends many notifications in one request. */
async function notifyAll(
  uri: string,
  ids: readonly { notificationId: string; index: number }[],
): Promise<number | null> {
  const body = JSON.stringify(ids.map(({ notificationId, index }) => bodyOf(notificationId, index)));
  const headers = { 'content-type': 'application/json', connection: 'close' };
  const answer = await fetch(uri, { method: 'POST', headers, body }).catch(() => null);
  await answer?.body?.cancel();
  return answer?.status ?? null;
}

/** Sends one notification per channel and round, each round to the next process. */
async function sendRounds(addresses: readonly string[], rounds: number): Promise<void> {
  for (let round = 0; round < rounds; round += 1) {
    await scene.sendToAll(addresses[round % addresses.length] ?? '');
    await sleep(150);
  }
}

/** Returns the message that each event is marked with. */
async function messagesOf(ids: readonly string[]): Promise<(string | null)[]> {
  const events = new Map((await readEvents(scene.pool)).map((event) => [event.notificationId, event]));
  return ids.map((id) => events.get(id)?.messageTs ?? null);
}
