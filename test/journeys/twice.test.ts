import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Channel } from '../../sandbox/slack/directory.ts';
import { type Stage, setStage } from '../support/stage.ts';
import { makeStageActions } from '../support/stage-actions.ts';

const project = '412-873-550';
const session = '731-450-286';
/** Headers that Slack adds to a retried request. */
const retry = { headers: { 'x-slack-retry-num': '1', 'x-slack-retry-reason': 'http_timeout' } };
let stage: Stage;
beforeAll(async () => {
  stage = await setStage({ name: 'twice', skipsPauses: true });
  await stage.link(stage.dana, 'dana@example.com');
  await stage.link(stage.sam, 'sam@example.com');
});
afterAll(() => stage.close());

const { choose, newChannel, following, followingMany, listOf, openForm, press, query } = makeStageActions(
  () => stage,
);

const subscriptionsIn = (channel: Channel) =>
  query(
    'select kind, state, reason, owner_user_id from plancast.subscriptions where channel_id = $1 order by created_at',
    [channel.id],
  );

/** Returns what was posted in the channel, once everything started so far is done. */
async function postedIn(channel: Channel): Promise<string[]> {
  await settled(channel);
  return stage.slack.messages(channel).map(({ text }) => text.split('\n')[0] ?? '');
}

/** Waits until everything requested so far is done: a later command of the channel has been answered, and no announcement is pending. */
async function settled(channel: Channel): Promise<void> {
  await listOf(stage.sam, channel);
  await expect
    .poll(() => query('select 1 from plancast.announcements where channel_id = $1', [channel.id]))
    .toEqual([]);
}

const recordsOf = () => stage.service.subscriptions.all().length;

test('a command, a click and a form that Slack resends have one effect each', async () => {
  const { slack, dana } = stage;
  const channel = newChannel('retried', [dana, stage.sam]);
  const before = recordsOf();
  const typed = await stage.type(dana, `/subscribe project ${project}`, channel);
  await Promise.all([typed.replay(retry), typed.replay(retry)]);
  await slack.waitForMessage(channel, 'Dana Reyes added');
  const list = await listOf(dana, channel);
  const paused = await press(dana, list, 'Pause');
  await Promise.all([paused.replay(retry), paused.replay(retry)]);
  await slack.waitForMessage(channel, 'Dana Reyes paused');
  const form = await openForm(dana, () => stage.type(dana, '/subscribe', channel));
  await choose(dana, form, `https://studio.example/sessions/${session}`);
  const sent = await slack.submitView({ user: dana });
  await Promise.all([sent.replay(retry), sent.replay(retry)]);
  await slack.waitForMessage(channel, session);
  expect(await postedIn(channel)).toEqual([
    expect.stringContaining('to this channel'),
    expect.stringContaining('paused the subscription'),
    expect.stringContaining('to this channel'),
  ]);
  expect(recordsOf()).toBe(before + 2);
  expect(slack.ephemerals(dana, channel).filter(({ text }) => /already|not there/.test(text))).toEqual([]);
});

test('commands and clicks that share a trigger id are each carried out', async () => {
  const { slack, dana, ravi } = stage;
  const triggerId = '12345.98765.abcd2358fdea';
  for (const name of ['one trigger', 'same trigger']) {
    const channel = newChannel(name, [dana, ravi]);
    await followingMany(dana, channel, 1);
    await slack.command({ user: ravi, channel, command: '/subscriptions', triggerId });
    const list = await slack.waitForEphemeral(ravi, ({ channelId }) => channelId === channel.id);
    await slack.click({ user: ravi, message: list, actionId: 'Pause', triggerId });
    await slack.waitForMessage(channel, 'Ravi Menon paused');
  }
});

test('Remove pressed twice, even by two people at once, removes once', async () => {
  const { slack, dana, sam } = stage;
  const channel = newChannel('removed twice', [dana, sam]);
  const before = recordsOf();
  await following(dana, channel);
  const [danas, sams] = [await listOf(dana, channel), await listOf(sam, channel)];
  await Promise.all([press(dana, danas, 'Remove'), press(dana, danas, 'Remove'), press(sam, sams, 'Remove')]);
  await slack.waitForMessage(channel, 'removed the subscription');
  const posted = await postedIn(channel);
  expect(posted.filter((line) => line.includes('removed the subscription'))).toHaveLength(1);
  expect(await subscriptionsIn(channel)).toEqual([expect.objectContaining({ state: 'ended' })]);
  await expect.poll(recordsOf).toBe(before);
});

test('Undo pressed twice, even by two people at once, brings one subscription back', async () => {
  const { slack, dana, sam } = stage;
  const channel = newChannel('undone twice', [dana, sam]);
  const before = recordsOf();
  await following(dana, channel);
  await press(dana, await listOf(dana, channel), 'Remove');
  const removed = await slack.waitForMessage(channel, 'removed the subscription');
  await expect.poll(recordsOf).toBe(before);
  await Promise.all([
    press(dana, removed, 'Undo'),
    press(dana, removed, 'Undo'),
    press(sam, removed, 'Undo'),
  ]);
  await slack.waitForMessage(
    channel,
    (message) => message !== removed && slack.messages(channel).indexOf(message) > 1,
  );
  expect(await postedIn(channel)).toHaveLength(3);
  expect((await subscriptionsIn(channel)).filter(({ state }) => state === 'active')).toHaveLength(1);
  expect(recordsOf()).toBe(before + 1);
});

test('Take over pressed twice, even by two people at once, hands the subscription over to one of them', async () => {
  const { slack, dana, sam, ravi } = stage;
  const channel = newChannel('taken twice', [dana, sam, ravi]);
  const before = recordsOf();
  await following(dana, channel);
  await query(
    `update plancast.subscriptions set state = 'paused', reason = 'unlinked', owner_user_id = $2 where channel_id = $1`,
    [channel.id, ravi.id],
  );
  const [danas, sams] = [await listOf(dana, channel), await listOf(sam, channel)];
  await Promise.all([
    press(dana, danas, 'Take over'),
    press(dana, danas, 'Take over'),
    press(sam, sams, 'Take over'),
  ]);
  const taken = await slack.waitForMessage(channel, 'took over');
  const posted = await postedIn(channel);
  expect(posted.filter((line) => line.includes('took over'))).toHaveLength(1);
  const owner = taken.text.startsWith('Dana') ? dana : sam;
  expect(await subscriptionsIn(channel)).toEqual([
    expect.objectContaining({ state: 'active', owner_user_id: owner.id }),
  ]);
  await expect.poll(recordsOf).toBe(before + 1);
});

test('Remove all pressed twice removes all once', async () => {
  const { slack, dana } = stage;
  const channel = newChannel('all twice', [dana, stage.sam]);
  await following(dana, channel);
  await stage.type(dana, '/unsubscribe all', channel);
  const question = await slack.waitForEphemeral(dana, 'Remove the only subscription');
  const button = slack.button(question, 'Remove it');
  await Promise.all([1, 2].map(() => slack.click({ user: dana, message: question, element: button })));
  await slack.waitForMessage(channel, 'removed the subscription');
  expect((await postedIn(channel)).filter((line) => line.includes('removed'))).toHaveLength(1);
});

test('Slack does not remove a question that was answered: what was confirmed is done anyway', async () => {
  // Dana has nearly used up the presses that a person has in a minute.
  const { slack, sam } = stage;
  const channel = newChannel('question stays', [sam]);
  await following(sam, channel);
  await stage.type(sam, '/unsubscribe all', channel);
  const question = await slack.waitForEphemeral(
    sam,
    ({ channelId, text }) => channelId === channel.id && text.includes('Remove the only subscription'),
  );
  slack.fault({ method: 'response_url', status: 500 });
  await slack.click({ user: sam, message: question, element: slack.button(question, 'Remove it') });
  await slack.waitForMessage(channel, 'removed the subscription');
});

test('Slack objected to nothing the bot showed', () => {
  // If two presses delete a question, only the first one finds it.
  expect(
    stage.slack.violations.filter(
      ({ kind, sentence }) => kind !== 'rate' && sentence !== 'message_not_found',
    ),
  ).toEqual([]);
});
