import { afterAll, beforeAll, expect, test } from 'vitest';
import { type KillScene, setKillScene } from './support/kill-scene.ts';

/** How many lanes are at the tested point when the kill comes. */
const lanes = 10;

let scene: KillScene;
beforeAll(async () => {
  scene = await setKillScene('kill with look up', lanes, { mayRead: true });
}, 60_000);
afterAll(() => scene?.close());

test('W3 with permission to read channels: messages that Slack stored before the kill are found and not posted again', async () => {
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

  const report = await scene.judge('W3, may read');

  expect(report.findings).toEqual([]);
  // It was posted before the kill; the lookup only finds it.
  expect(report.secondsToPost ?? 0).toBeLessThanOrEqual(35);
});

test('W4 and W5 with permission to read channels: messages that were posted and not marked are found and not posted again', async () => {
  const { proxy, victim, stage } = scene;
  await scene.alone(async () => {
    const before = stage.slack.callsOf('chat.postMessage').length;
    const unmarked = proxy.hold({ statement: /update plancast\.lanes l set claimed_until/, when: 'before' });
    await scene.sendToAll(victim().publicUrl);
    await unmarked.reached(1);
    await expect.poll(() => stage.slack.callsOf('chat.postMessage').length - before).toBe(lanes);
  });
  await scene.kill();

  const report = await scene.judge('W4 and W5, may read');

  expect(report.findings).toEqual([]);
  expect(report.secondsToPost ?? 0).toBeLessThanOrEqual(35);
});
