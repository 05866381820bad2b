import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startSender } from '../../soak/sender.ts';
import type { ChildBot } from '../support/child-bot.ts';
import { checkDelivery, readEvents } from './checker.ts';
import { type KillScene, setKillScene, undone } from './support/kill-scene.ts';

const shutdowns = 10;
const exitWithinMs = 25_000;
/** What is still served after the signal: whoever sends here needs a moment to see that it is not ready any more. */
const servedForMs = 1_500;
const notReadyWithinMs = 1_000;

let scene: KillScene;
beforeAll(async () => {
  scene = await setKillScene('shutdown', 10);
}, 60_000);
afterAll(() => scene?.close());

test('of two processes under load one after the other is told to end, ten times: nothing is lost, doubled or refused otherwise', async () => {
  const { stage, pool, followed, victim, other } = scene;
  const tooFastBefore = stage.slack.tooFast();
  const publicUrl = victim().publicUrl;
  const bots: ChildBot[] = [victim(), other];
  const sender = startSender({
    rate: 20,
    addresses: bots.map((bot) => bot.publicUrl),
    callbacks: followed,
    project: '412-873-550',
    emails: ['dana@example.com', 'sam@example.com'],
    random: Math.random,
    now: Date.now,
  });
  const seen = [];
  for (let turn = 0; turn < shutdowns; turn += 1) {
    const at = turn % bots.length;
    const bot = bots[at];
    if (!bot) continue;
    await sleep(500);
    const began = Date.now();
    const ending = bot.end('SIGTERM');
    const served = await watchEnding(bot);
    const code = await ending;
    seen.push({ code, inTime: Date.now() - began <= exitWithinMs, ...served });
    bots[at] = await stage.startChild({
      port: Number(new URL(bot.publicUrl).port),
      env: { PUBLIC_URL: publicUrl },
    });
  }
  await sender.stop();
  await expect.poll(() => undone(pool), { timeout: 60_000, interval: 200 }).toEqual({ events: 0, lanes: 0 });
  const { counts, findings } = checkDelivery({
    sent: sender.sent,
    events: await readEvents(pool),
    messages: stage.slack.allMessages,
    tooFast: stage.slack.tooFast() - tooFastBefore,
  });
  const { refused, unanswered, givenUp } = sender.figures();
  process.stderr.write(`ten times SIGTERM: ${JSON.stringify({ ...counts, refused, unanswered, givenUp })}\n`);

  expect(findings).toEqual([]);
  const well = { code: 0, inTime: true, notReady: true, alive: true };
  expect(seen).toEqual(Array.from({ length: shutdowns }, () => well));
  expect(Object.keys(refused).filter((status) => status !== '503')).toEqual([]);
  // Refused, or closed as the request was on its way into a connection that had been idle: never after it was read.
  const harmless = new Set(['ECONNREFUSED', 'ECONNRESET', 'UND_ERR_SOCKET']);
  expect(Object.keys(unanswered).filter((code) => !harmless.has(code))).toEqual([]);
  expect(givenUp).toBe(0);
}, 240_000);

/** Looks whether a process that was told to end says so at once, and goes on living for a while. */
async function watchEnding({ publicUrl }: ChildBot): Promise<{ notReady: boolean; alive: boolean }> {
  const began = Date.now();
  let notReady = false;
  while (!notReady && Date.now() - began < notReadyWithinMs) {
    notReady = (await statusOf(`${publicUrl}/readyz`)) === 503;
    if (!notReady) await sleep(20);
  }
  await sleep(servedForMs - (Date.now() - began));
  return { notReady, alive: (await statusOf(`${publicUrl}/healthz`)) === 200 };
}

async function statusOf(url: string): Promise<number | null> {
  const answer = await fetch(url, { signal: AbortSignal.timeout(5_000) }).catch(() => null);
  await answer?.body?.cancel();
  return answer?.status ?? null;
}
