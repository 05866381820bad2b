import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Stage, setStage } from '../support/stage.ts';
import { makeStageActions } from '../support/stage-actions.ts';

let stage: Stage;
const logged: string[] = [];
beforeAll(async () => {
  stage = await setStage({ name: 'channel id', skipsPauses: true, onLog: (line) => logged.push(line) });
  await stage.link(stage.dana, 'dana@example.com');
});
afterAll(() => stage.close());

const { newChannel, following, listOf, query } = makeStageActions(() => stage);

test('a channel that gets a new id from Slack continues under it, with its subscriptions and pending events', async () => {
  const { slack, service, dana } = stage;
  const before = newChannel('before', [dana]);
  await following(dana, before);
  await stage.type(dana, '/plancast mute 2h', before);
  await slack.waitForMessage(before, 'muted');
  service.act('dana@example.com', {
    action: 'create-file',
    project: 'Harbour Tower',
    name: 'Moved along.pdf',
  });
  await service.settled();
  const after = newChannel('after', [dana]);
  // A lane that moves in the middle of a turn waits until its claim ends, longer than this test does.
  await expect.poll(() => query('select from plancast.lanes where claimed_until is not null')).toEqual([]);
  const event = { type: 'channel_id_changed', old_channel_id: before.id, new_channel_id: after.id };
  const first = await slack.event(event);
  expect(first.status).toBe(200);
  await first.replay(1);
  // What was done there is listed under the channel that admins can see by now.
  expect(await query("select distinct channel_id from plancast.audit where channel_id <> ''")).toEqual([
    { channel_id: after.id },
  ]);
  expect((await listOf(dana, after)).text).toContain('This channel has 1 subscription');
  await stage.type(dana, '/plancast unmute', after);
  await slack.waitForMessage(after, 'Moved along.pdf');
  service.act('dana@example.com', {
    action: 'create-file',
    project: 'Harbour Tower',
    name: 'Afterwards.pdf',
  });
  await slack.waitForMessage(after, 'Afterwards.pdf');
});

test('a channel that gets a new id under which the same was subscribed already has one subscription, here and at the service', async () => {
  const { slack, service, dana } = stage;
  const [before, after] = [newChannel('twice before', [dana]), newChannel('twice after', [dana])];
  await following(dana, before, '/subscribe session 731-450-286');
  const others = service.subscriptions.all().length;
  await following(dana, after, '/subscribe session 731-450-286');

  await slack.event({ type: 'channel_id_changed', old_channel_id: before.id, new_channel_id: after.id });
  await stage.bot.runChore('sweep');

  expect((await listOf(dana, after)).text).toContain('This channel has 1 subscription');
  expect(
    await query(`select id from plancast.subscriptions where channel_id = $1 and state <> 'ended'`, [
      before.id,
    ]),
  ).toEqual([]);
  expect(service.subscriptions.all()).toHaveLength(others);
  const removed = logged.map((line) => JSON.parse(line)).filter(({ msg }) => msg === 'removed');
  expect(removed).toMatchObject([{ channel: after.id, person: dana.id, reason: 'removed' }]);
});
