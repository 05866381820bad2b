import { afterAll, beforeAll, expect, test } from 'vitest';
import { holdCommits } from './support/hold-commits.ts';
import { type KillScene, setKillScene } from './support/kill-scene.ts';

/** How many lanes are at the tested point when the kill comes; each may be posted twice. */
const lanes = 10;
/** One statement marks any number of turns, and only one runs at a time: the first holds back the others. */
const mark = /update plancast\.lanes l set claimed_until/;

let scene: KillScene;
beforeAll(async () => {
  scene = await setKillScene('kill after slack', lanes);
}, 60_000);
afterAll(() => scene?.close());

test("W4: a process killed after it read Slack's answers and before it marked the events: each is posted again at most once", async () => {
  const { proxy, victim, stage } = scene;
  await scene.alone(async () => {
    const before = stage.slack.callsOf('chat.postMessage').length;
    const unmarked = proxy.hold({ statement: mark, when: 'before' });
    await scene.sendToAll(victim().publicUrl);
    await unmarked.reached(1);
    await expect.poll(() => stage.slack.callsOf('chat.postMessage').length - before).toBe(lanes);
  });
  await scene.kill();

  const report = await scene.judge('W4', { allowedDoubles: lanes });

  expect(report.findings).toEqual([]);
  expect(report.secondsToPost).toBeLessThanOrEqual(35);
});

test('W5: a process killed between the marks and their commit: each is posted again at most once', async () => {
  const { stage, victim } = scene;
  const uncommitted = await holdCommits(stage.database.url, {
    table: 'plancast.events',
    act: 'update',
    when: "new.state = 'posted'",
  });
  await scene.alone(async () => {
    await scene.sendToAll(victim().publicUrl);
    await uncommitted.reached(1);
  });
  await scene.kill();
  await uncommitted.undo();

  const report = await scene.judge('W5', { allowedDoubles: lanes });

  expect(report.findings).toEqual([]);
  expect(report.secondsToPost).toBeLessThanOrEqual(35);
});

test('W6: after a process is killed right after the commit of its marks, nothing is posted again', async () => {
  const { proxy, victim, stage } = scene;
  await scene.alone(async () => {
    const before = stage.slack.callsOf('chat.postMessage').length;
    // The first mark waits until all ten are posted; the second covers all of them but one.
    const first = proxy.hold({ statement: mark, when: 'before', nth: 1 });
    await scene.sendToAll(victim().publicUrl);
    await first.reached(1);
    await expect.poll(() => stage.slack.callsOf('chat.postMessage').length - before).toBe(lanes);
    const committed = proxy.hold({ statement: mark, when: 'after' });
    first.release();
    await committed.reached(1);
  });
  await scene.kill();

  const report = await scene.judge('W6', { allowedDoubles: lanes });

  expect(report.findings).toEqual([]);
});
