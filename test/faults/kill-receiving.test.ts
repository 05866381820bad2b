import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { connect } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { holdCommits } from './support/hold-commits.ts';
import { bodyOf, type KillScene, setKillScene } from './support/kill-scene.ts';
import type { Hold } from './support/statement-proxy.ts';

/** How many notifications are at the tested point when the kill comes. */
const channels = 10;

let scene: KillScene;
beforeAll(async () => {
  scene = await setKillScene('kill receiving', channels);
}, 60_000);
afterAll(() => scene?.close());

test('R1: notifications whose bodies were half read when the process died are accepted when sent again, and posted once', async () => {
  const { victim, other, followed } = scene;
  const halves = await Promise.all(
    followed.map(({ path }, at) => sendHalf(victim().publicUrl, path, `half ${at}`)),
  );
  await scene.kill();
  expect(await Promise.all(halves.map((half) => half.answer))).toEqual(halves.map(() => ''));

  const again = await scene.sendToAll(other.publicUrl);
  expect(again.filter(({ status }) => status !== 200)).toEqual([]);
  const report = await scene.judge('R1');

  expect(report.findings).toEqual([]);
});

test('R2: notifications that were read but not yet being stored when the process died get no answer, and are posted once', async () => {
  await killedAndSentAgain('R2', insertHeld('before'));
});

test('R3: notifications that were inserted but not committed when the process died get no answer, and are posted once', async () => {
  const { stage } = scene;
  const uncommitted = await holdCommits(stage.database.url, { table: 'plancast.events', act: 'insert' });
  await killedAndSentAgain('R3', uncommitted, uncommitted.undo);
});

test('R4: notifications that were committed but not answered when the process died are one row each after they are sent again', async () => {
  await killedAndSentAgain('R4', insertHeld('after'));
});

test('R5: notifications that were answered just before the process died are posted by the other process within 35 s', async () => {
  const sent = [];
  for (let round = 0; round < 3; round += 1) sent.push(...(await scene.sendToAll(scene.victim().publicUrl)));
  await scene.kill();
  expect(sent.filter(({ status }) => status !== 200)).toEqual([]);

  // Any lane may have had a post in flight.
  const report = await scene.judge('R5', { allowedDoubles: channels });

  expect(report.findings).toEqual([]);
  expect(report.secondsToPost ?? 0).toBeLessThanOrEqual(35);
});

/** Holds the insert; notifications that arrive together are stored with one statement. */
function insertHeld(when: 'before' | 'after'): Hold {
  return scene.proxy.hold({ statement: /insert into plancast\.events/, when });
}

/** Sends to the victim, kills it once it is at the tested point, and sends the same to the other process. */
async function killedAndSentAgain(
  point: string,
  held: Pick<Hold, 'reached'>,
  afterwards: () => Promise<void> = async () => {},
): Promise<void> {
  const { victim, other } = scene;
  const sending = scene.sendToAll(victim().publicUrl);
  await held.reached(1);
  await scene.kill();
  await afterwards();
  const tried = await sending;
  expect(tried.map(({ status }) => status)).toEqual(tried.map(() => null));
  const again = await scene.sendAgain(tried, other.publicUrl);
  expect(again.filter(({ status }) => status !== 200)).toEqual([]);

  const report = await scene.judge(point);

  expect(report.findings).toEqual([]);
  expect(report.secondsToPost ?? 0).toBeLessThanOrEqual(35);
}

/** Sends the head and half the body of a notification, and no more. `answer` is everything that comes back until the connection closes. */
async function sendHalf(address: string, path: string, name: string) {
  const body = JSON.stringify({ ...bodyOf(randomUUID(), 0), Note: name });
  const socket = connect(Number(new URL(address).port), '127.0.0.1');
  await once(socket, 'connect');
  socket.write(
    `POST ${path} HTTP/1.1\r\nhost: bot\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n`,
  );
  socket.write(body.slice(0, body.length / 2));
  let read = '';
  socket.on('data', (chunk) => {
    read += String(chunk);
  });
  socket.on('error', () => undefined);
  return { answer: new Promise<string>((resolve) => socket.on('close', () => resolve(read))) };
}
