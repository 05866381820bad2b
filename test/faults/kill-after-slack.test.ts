import { afterAll, beforeAll, expect, test } from 'vitest';
import { type KillScene, setKillScene } from './support/kill-scene.ts';

/** So many lanes stand at the point when the kill comes: each counts as one. */
const lanes = 10;
const mark = /update "plancast"\."lanes"/;
const settle = /update "plancast"\."events"/;

let scene: KillScene;
beforeAll(async () => {
  scene = await setKillScene('kill after slack', lanes);
}, 60_000);
afterAll(() => scene?.close());

test('W4: a process killed after it has read Slack’s answers and before it marks them posts each at most once more', async () => {
  const { proxy, victim } = scene;
  await scene.alone(async () => {
    const unmarked = proxy.hold({ statement: mark, when: 'before' });
    await scene.sendToAll(victim().publicUrl);
    await unmarked.reached(lanes);
  });
  await scene.kill();

  const report = await scene.judge('W4', { allowedDoubles: lanes });

  expect(report.findings).toEqual([]);
  expect(report.secondsToPost).toBeLessThanOrEqual(35);
});

test('W5: a process killed between the marks and their commit posts each at most once more', async () => {
  const { proxy, victim } = scene;
  await scene.alone(async () => {
    const uncommitted = proxy.hold({ statement: /^commit/i, following: settle, when: 'before' });
    await scene.sendToAll(victim().publicUrl);
    await uncommitted.reached(lanes);
  });
  await scene.kill();

  const report = await scene.judge('W5', { allowedDoubles: lanes });

  expect(report.findings).toEqual([]);
  expect(report.secondsToPost).toBeLessThanOrEqual(35);
});

test('W6: after a process is killed just behind the commit of its marks nothing is posted again', async () => {
  const { proxy, victim } = scene;
  await scene.alone(async () => {
    const committed = proxy.hold({ statement: /^commit/i, following: settle, when: 'after' });
    await scene.sendToAll(victim().publicUrl);
    await committed.reached(lanes);
  });
  await scene.kill();

  const report = await scene.judge('W6');

  expect(report.findings).toEqual([]);
  expect(report.secondsToPost).toBeNull();
});
