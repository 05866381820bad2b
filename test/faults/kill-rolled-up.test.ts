import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { notify } from '../support/notify.ts';
import { type KillScene, setKillScene, unfinished } from './support/kill-scene.ts';

const saves = 20;
/** After these saves the process that posts is killed. */
const killedAfter = [6, 13];

let scene: KillScene;
beforeAll(async () => {
  scene = await setKillScene('kill rolled up', 1);
}, 60_000);
afterAll(() => scene?.close());

test('Dana saves a file 20 times while a process is killed twice: nothing is lost, and at most one message more a kill', async () => {
  const { stage, pool, followed, other } = scene;
  const [to] = followed;
  if (!to) throw new Error('nothing is followed');
  const before = stage.slack.messages(to.channel).length;
  for (let save = 0; save < saves; save += 1) {
    const one = {
      item: 'ceiling',
      name: 'Ceiling.pdf',
      user: 'dana@example.com',
      eventType: 'Update',
    } as const;
    expect(await notify(`${other.publicUrl}${to.path}`, one)).toBe(200);
    if (killedAfter.includes(save)) await scene.kill();
    await sleep(1_000);
  }
  await expect
    .poll(() => unfinished(pool), { timeout: 60_000, interval: 200 })
    .toEqual({ events: 0, lanes: 0 });
  const { rows } = await pool.query<{ ts: string; count: number }>(
    `select message_ts as ts, count(*)::int from plancast.events where state = 'posted' group by 1`,
  );
  const messages = stage.slack.messages(to.channel).slice(before);
  process.stderr.write(
    `20 saves, killed twice: ${messages.length} messages, ${messages.reduce((sum, { edits }) => sum + edits.length, 0)} edits\n`,
  );
  expect(rows.reduce((sum, { count }) => sum + count, 0)).toBe(saves);
  expect(rows.every(({ ts }) => messages.some((message) => message.ts === ts))).toBe(true);
  expect(messages.length).toBeLessThanOrEqual(1 + killedAfter.length);
}, 180_000);
