import { afterAll, beforeAll, expect, test } from 'vitest';
import { type KillScene, setKillScene } from './support/kill-scene.ts';

/** How many lanes are at the tested point when the kill comes. */
const lanes = 10;
const take = /update plancast\.lanes l set fence/;

let scene: KillScene;
beforeAll(async () => {
  scene = await setKillScene('kill before slack', lanes);
}, 60_000);
afterAll(() => scene?.close());

test('W1: a process killed right after it claimed lanes leaves them to the other process, which posts once', async () => {
  const { proxy, victim } = scene;
  await scene.alone(async () => {
    // The first take gets the lane that arrives first; the second, which is held, gets all that arrived meanwhile.
    const first = proxy.hold({ statement: take, when: 'before', nth: 1 });
    await scene.sendToAll(victim().publicUrl);
    await first.reached(1);
    const taken = proxy.hold({ statement: take, when: 'after' });
    first.release();
    await taken.reached(1);
  });
  await scene.kill();

  const report = await scene.judge('W1');

  expect(report.findings).toEqual([]);
  expect(report.secondsToPost).toBeLessThanOrEqual(35);
});

test('W2: a process is killed while it posts, before Slack stored anything: the other process posts each message once', async () => {
  const { stage, victim } = scene;
  await scene.alone(async () => {
    const unheard = stage.slack.fault({ method: 'chat.postMessage', hang: true, times: lanes });
    await scene.sendToAll(victim().publicUrl);
    await expect.poll(() => unheard.hits()).toBe(lanes);
  });
  await scene.kill();

  const report = await scene.judge('W2');

  expect(report.findings).toEqual([]);
  expect(report.secondsToPost).toBeLessThanOrEqual(35);
});

test('W3: a process killed after Slack stored its posts and before it got the answers: each is posted again at most once', async () => {
  const { stage, victim } = scene;
  await scene.alone(async () => {
    const stored = stage.slack.fault({
      method: 'chat.postMessage',
      stored: true,
      delayMs: 60_000,
      times: lanes,
    });
    await scene.sendToAll(victim().publicUrl);
    await expect.poll(() => stored.hits()).toBe(lanes);
  });
  await scene.kill();

  const report = await scene.judge('W3', { allowedDoubles: lanes });

  expect(report.findings).toEqual([]);
  expect(report.secondsToPost).toBeLessThanOrEqual(35);
});
