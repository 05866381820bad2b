import { afterAll, beforeAll, expect, test } from 'vitest';
import { recordOf } from '../support/remote-rows.ts';
import { type Stage, setStage } from '../support/stage.ts';
import { makeStageActions } from '../support/stage-actions.ts';

const project = '412-873-550';
let stage: Stage;
beforeAll(async () => {
  stage = await setStage({ name: 'undo', skipsPauses: true });
  await stage.link(stage.dana, 'dana@example.com');
  stage.sam.tz = 'America/New_York';
  await stage.link(stage.sam, 'sam@example.com');
});
afterAll(() => stage.close());

const { newChannel, following, listOf, press, query } = makeStageActions(() => stage);

test('Undo restores a removed subscription with its settings, once, and it belongs to the person who pressed it', async () => {
  const { slack, service, dana, sam } = stage;
  const channel = newChannel('undone', [stage.dana, stage.sam]);
  await following(
    dana,
    channel,
    `/subscribe project ${project} only create in "Plans/**" digest daily 08:00 threads on`,
  );
  const [before] = await query(
    `select *, ${recordOf} as record from plancast.subscriptions s where channel_id = $1`,
    [channel.id],
  );
  await press(dana, await listOf(dana, channel, '/unsubscribe'), 'Remove');
  const removed = await slack.waitForMessage(channel, 'Dana Reyes removed');
  await expect.poll(() => service.subscriptions.byId(Number(before.record))).toBeUndefined();
  const pressed = await press(sam, removed, 'Undo');
  await pressed.replay();
  const again = await slack.waitForMessage(channel, 'Sam Okafor added');
  expect(slack.textOf(again)).toContain('at 8:00 London time');
  const [after] = await query(
    "select * from plancast.subscriptions where channel_id = $1 and state <> 'ended'",
    [channel.id],
  );
  for (const column of ['filters', 'delivery', 'threads', 'comprehensive']) {
    expect(after[column]).toEqual(before[column]);
  }
  expect(after.owner_user_id).toBe(sam.id);
  await press(dana, removed, 'Undo');
  await slack.waitForEphemeral(dana, 'has changed since then');
});

test('Ira, who is not linked, presses Undo in another time zone: once she has linked, the digest comes at the old time', async () => {
  const { slack, teamId, dana } = stage;
  const ira = slack.addUser({ teamId, realName: 'Ira', name: 'Ira', email: 'sam@example.com' });
  ira.tz = 'America/New_York';
  const channel = newChannel('undone by Ira', [dana, ira]);
  await following(dana, channel, `/subscribe project ${project} digest daily 08:00`);
  await stage.type(dana, `/unsubscribe project ${project}`, channel);
  await press(ira, await slack.waitForMessage(channel, 'Dana Reyes removed'), 'Undo');
  const offer = await slack.waitForEphemeral(ira, 'Link');
  await stage.linkInBrowser(String(slack.button(offer, 'Link').element.url), 'sam@example.com');
  const again = await slack.waitForMessage(channel, 'Ira added');
  expect(slack.textOf(again)).toContain('at 8:00 London time');
});

test('what Undo brought back is removed by a colleague: the old Undo does not bring it back over their head, theirs does', async () => {
  const { slack, dana, sam } = stage;
  const channel = newChannel('removed again', [dana, sam]);
  const live = () =>
    query("select 1 from plancast.subscriptions where channel_id = $1 and state <> 'ended'", [channel.id]);
  await following(dana, channel);
  await stage.type(dana, `/unsubscribe project ${project}`, channel);
  const first = await slack.waitForMessage(channel, 'Dana Reyes removed');
  await press(dana, first, 'Undo');
  await slack.waitForMessage(channel, (each) => slack.messages(channel).indexOf(each) === 2);
  await stage.type(sam, `/unsubscribe project ${project}`, channel);
  const second = await slack.waitForMessage(channel, 'Sam Okafor removed');
  await press(dana, first, 'Undo');
  await slack.waitForEphemeral(dana, 'has changed since then, so nothing was undone.');
  expect(await live()).toEqual([]);
  await press(dana, second, 'Undo');
  await expect.poll(live).toHaveLength(1);
});

test('Undo after someone subscribed again with other options changes nothing, and does not claim they are the same', async () => {
  const { slack, dana, sam } = stage;
  const channel = newChannel('added again', [dana, sam]);
  await following(dana, channel, `/subscribe project ${project} only create`);
  await stage.type(sam, `/unsubscribe project ${project}`, channel);
  const removed = await slack.waitForMessage(channel, 'Sam Okafor removed');
  await stage.type(dana, `/subscribe project ${project} itself only delete`, channel);
  await slack.waitForMessage(channel, 'Posting deleted');
  await press(sam, removed, 'Undo');
  const answer = await slack.waitForEphemeral(sam, ({ channelId }) => channelId === channel.id);
  expect(answer.text).toBe(
    `The subscription to project ${project} (project only) has changed since then, so nothing was undone.`,
  );
});

test('ten minutes after a removal, Undo says that it is too late', async () => {
  const { slack, dana } = stage;
  const channel = newChannel('too late', [stage.dana, stage.sam]);
  await following(dana, channel, `/subscribe session 731-450-286 itself only delete`);
  await stage.type(dana, '/unsubscribe session 731-450-286', channel);
  const removed = await slack.waitForMessage(channel, 'Dana Reyes removed');
  stage.advance(10 * 60_000 + 1_000);
  await press(dana, removed, 'Undo');
  await slack.waitForEphemeral(dana, 'too late to undo');
});

test('everything that was removed at once comes back at once, also if it is more than a button has room for', async () => {
  const { slack, service, dana } = stage;
  const channel = newChannel('all of it', [stage.dana, stage.sam]);
  const ids = Array.from({ length: 51 }, (_, n) => `${700 + n}-100-200`);
  for (const id of ids) {
    service.act('dana@example.com', { action: 'create-project', name: `Project ${id}`, id });
  }
  await query(
    `insert into plancast.subscriptions (team_id, channel_id, owner_user_id, kind, parent_id, comprehensive, filters, delivery, threads,
       state, created_at, changed_at)
     select $1, $2, $3, 'project', id, true, '{"only":[],"paths":[],"by":[],"notBy":[]}', '{"when":"live"}', false, 'active', now(), now()
     from unnest($4::text[]) id`,
    [stage.teamId, channel.id, dana.id, ids],
  );
  await stage.type(dana, '/unsubscribe all', channel);
  await press(dana, await slack.waitForEphemeral(dana, 'Remove all 51'), 'Remove all');
  const removed = await slack.waitForMessage(channel, 'removed 51 subscriptions');
  await press(dana, removed, 'Undo');
  await expect
    .poll(
      () =>
        query("select count(*)::int from plancast.subscriptions where channel_id = $1 and state = 'active'", [
          channel.id,
        ]),
      { timeout: 20_000 },
    )
    .toEqual([{ count: 51 }]);
}, 30_000);

test('Slack objected to nothing the bot showed', () => {
  expect(stage.slack.violations.filter(({ kind }) => kind !== 'rate')).toEqual([]);
});

/** Runs `act` while a table is not there, so that what needs it fails. */
async function without(table: string, act: () => Promise<void>): Promise<void> {
  await query(`alter table plancast.${table} rename to missing`);
  try {
    await act();
  } finally {
    await query(`alter table plancast.missing rename to ${table}`);
  }
}

test.each([
  ['removed', 'announcements', `/unsubscribe project ${project}`, 'Sam Okafor removed'],
  ['removed', 'audit', `/unsubscribe project ${project}`, 'Sam Okafor removed'],
  ['changed', 'announcements', `/subscribe project ${project} only deleted`, 'Sam Okafor changed'],
])(
  'a subscription is not %s if the table %s fails; I read that it failed, and the next try works',
  async (_act, table, line, announced) => {
    const { slack, sam } = stage;
    const channel = newChannel('unannounced', [sam]);
    await following(sam, channel);
    const row = () =>
      query('select state, filters from plancast.subscriptions where channel_id = $1', [channel.id]);
    const before = await row();
    await without(table, async () => {
      await stage.type(sam, line, channel);
      await slack.waitForEphemeral(
        sam,
        ({ channelId, text }) => channelId === channel.id && text.includes('an error in Plancast'),
      );
    });
    expect(await row()).toEqual(before);
    await stage.type(sam, line, channel);
    await slack.waitForMessage(channel, announced);
    expect(await row()).not.toEqual(before);
  },
);

test('the audit log fails while I subscribe: I read that it failed, and the subscription is announced once it is finished', async () => {
  const { slack, bot, sam } = stage;
  const channel = newChannel('not audited', [sam]);
  const audited = () => query('select act from plancast.audit where channel_id = $1', [channel.id]);
  await without('audit', async () => {
    await stage.type(sam, `/subscribe project ${project}`, channel);
    await slack.waitForEphemeral(
      sam,
      ({ channelId, text }) => channelId === channel.id && text.includes('an error in Plancast'),
    );
  });
  expect(slack.messages(channel)).toEqual([]);
  stage.advance(60_000);
  await bot.runChore('sweep');
  await slack.waitForMessage(channel, 'to this channel');
  expect(await audited()).toEqual([{ act: 'subscribe' }]);
});
