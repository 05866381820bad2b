import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startSender } from '../../bench/soak/sender.ts';
import type { ChildBot } from '../support/child-bot.ts';
import { checkDelivery, readEvents } from './checker.ts';
import { type KillScene, setKillScene, unfinished } from './support/kill-scene.ts';

const shutdowns = 6;
const exitWithinMs = 25_000;
/** How long requests are served after the signal: a sender needs a moment to see that the process is no longer ready. */
const servedForMs = 1_500;
const notReadyWithinMs = 1_000;

let scene: KillScene;
beforeAll(async () => {
  scene = await setKillScene('shutdown', 10);
}, 60_000);
afterAll(() => scene?.close());

test('a rolling restart under load, three times over both processes: no connection is refused or reset, and nothing is lost or posted twice', async () => {
  const { stage, pool, followed, victim, other } = scene;
  const tooFastBefore = stage.slack.tooFast();
  const publicUrl = victim().publicUrl;
  const bots: ChildBot[] = [victim(), other];
  // A slow load balancer: it keeps sending to a process for more than a second after that process reports that it is not ready.
  const addresses = bots.map((bot) => bot.publicUrl);
  const sender = startSender({
    rate: 40,
    addresses,
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
    addresses.splice(addresses.indexOf(bot.publicUrl), 1);
    const code = await ending;
    seen.push({ code, inTime: Date.now() - began <= exitWithinMs, ...served });
    bots[at] = await stage.startChild({
      port: Number(new URL(bot.publicUrl).port),
      env: { PUBLIC_URL: publicUrl },
    });
    addresses.push(bot.publicUrl);
  }
  await sender.stop();
  await expect
    .poll(() => unfinished(pool), { timeout: 60_000, interval: 200 })
    .toEqual({ events: 0, lanes: 0 });
  const { counts, findings } = checkDelivery({
    sent: sender.sent,
    events: await readEvents(pool),
    messages: stage.slack.allMessages,
    tooFast: stage.slack.tooFast() - tooFastBefore,
  });
  const { refused, unanswered, givenUp } = sender.figures();
  process.stderr.write(
    `${shutdowns} times SIGTERM: ${JSON.stringify({ ...counts, refused, unanswered, givenUp })}\n`,
  );

  expect(findings).toEqual([]);
  const well = { code: 0, inTime: true, notReady: true, alive: true };
  expect(seen).toEqual(Array.from({ length: shutdowns }, () => well));
  expect(Object.keys(refused).filter((status) => status !== '503')).toEqual([]);
  expect(unanswered).toEqual({});
  expect(givenUp).toBe(0);
}, 240_000);

/** Checks that a process that was asked to stop says so at once, and keeps serving for a while. */
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
