import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { notify } from '../support/notify.ts';
import { type KillScene, setKillScene, unfinished } from './support/kill-scene.ts';

const deletions = 20;
/** After these deletions the process that posts is killed. */
const killedAfter = [0, 6, 13];

let scene: KillScene;
beforeAll(async () => {
  scene = await setKillScene('kill pinged', 1);
}, 60_000);
afterAll(() => scene?.close());

test('20 deletions while one of two processes is killed three times: Sam is mentioned once, and once more a kill at most', async () => {
  const { stage, pool, followed, other } = scene;
  const [to] = followed;
  const channel = stage.slack.channels.get(to?.channel ?? '');
  if (!to || !channel) throw new Error('nothing is followed');
  const line = { command: '/subscribe', text: `project 412-873-550 ping <@${stage.sam.id}|sam>` };
  await stage.slack.command({ user: stage.dana, channel, ...line });
  await stage.slack.waitForMessage(channel, 'mentioning', 20_000);
  const before = stage.slack.messages(channel).length;
  for (let count = 0; count < deletions; count += 1) {
    const one = { item: `item ${count}`, name: `${count}.pdf`, eventType: 'Delete' } as const;
    expect(await notify(`${other.publicUrl}${to.path}`, one)).toBe(200);
    if (killedAfter.includes(count)) await scene.kill();
    await sleep(700);
  }
  await expect
    .poll(() => unfinished(pool), { timeout: 60_000, interval: 200 })
    .toEqual({ events: 0, lanes: 0 });
  const messages = stage.slack.messages(channel).slice(before);
  const mentions = messages.flatMap((message) => message.mentions);
  process.stderr.write(
    `20 deletions, killed three times: ${messages.length} messages, ${mentions.length} mentions\n`,
  );
  expect(mentions.every(({ id }) => id === stage.sam.id)).toBe(true);
  expect(mentions.length).toBeGreaterThanOrEqual(1);
  expect(mentions.length).toBeLessThanOrEqual(1 + killedAfter.length);
}, 180_000);
