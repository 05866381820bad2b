import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Channel } from '../../sandbox/slack/directory.ts';
import type { SentEvent } from '../../sandbox/slack/people/event.ts';
import { makeChannelActions } from '../support/channel-actions.ts';
import { type Stage, setStage } from '../support/stage.ts';
import { makeStageActions } from '../support/stage-actions.ts';

let stage: Stage;
beforeAll(async () => {
  stage = await setStage({ name: 'channel life', skipsPauses: true });
  await stage.link(stage.dana, 'dana@example.com');
  await stage.link(stage.sam, 'sam@example.com');
});
afterAll(() => stage.close());

const { about, follow, followed, held, query, statesOf, textsOf } = makeChannelActions(() => stage);
const { listOf, press } = makeStageActions(() => stage);
const recordsAt = (uri: string) => stage.service.subscriptions.all().filter((each) => each.uri === uri);

type Ending = {
  readonly title: string;
  readonly kind: 'public' | 'private';
  readonly close: (channel: Channel) => Promise<SentEvent>;
  readonly open: (channel: Channel) => Promise<SentEvent>;
  readonly event: string;
  readonly paused: string;
  readonly words: string;
  /** How the title of the summary begins. */
  readonly summary: string;
};

const removal = {
  close: (channel: Channel) => stage.slack.removeBot(channel, stage.sam),
  open: (channel: Channel) => stage.slack.inviteBot(channel, stage.sam),
  paused: 'paused: not in channel',
  words: 'I’m no longer in the channel',
  summary: 'While I wasn’t in this channel',
};
const archive = {
  close: (channel: Channel) => stage.slack.archive(channel, stage.sam),
  open: (channel: Channel) => stage.slack.unarchive(channel, stage.sam),
  paused: 'paused: channel archived',
  words: 'the channel is archived',
  summary: 'While this channel was archived',
};
const endings: readonly Ending[] = [
  {
    title: 'Sam removes the bot from a public channel',
    kind: 'public',
    event: 'channel_left',
    ...removal,
  },
  { title: 'Sam removes the bot from a private channel', kind: 'private', event: 'group_left', ...removal },
  { title: 'Sam archives a public channel', kind: 'public', event: 'channel_archive', ...archive },
  { title: 'Sam archives a private channel', kind: 'private', event: 'group_archive', ...archive },
];

test.for(endings)(
  '$title: the channel is silent, Dana gets one private message, and once it is open again the channel gets one summary',
  async ({ kind, close, open, event, paused, words, summary }) => {
    const { channel, uri, notify } = await followed({ kind });
    await follow(channel, '/subscribe session 731-450-286');
    const shown = textsOf(channel).length;

    const closed = await close(channel);
    expect(closed).toMatchObject({ status: 200, payload: { event: { type: event } } });
    expect(new Set(await statesOf(channel))).toEqual(new Set([paused]));
    await notify('First.pdf');
    await notify('Second.pdf');
    await expect.poll(() => held(channel)).toEqual(['First.pdf', 'Second.pdf']);
    await stage.bot.runChore('sweep');
    expect(textsOf(channel)).toHaveLength(shown);
    await closed.replay(1);
    await expect
      .poll(() => about(stage.dana, channel).map(({ text }) => text))
      .toEqual([expect.stringContaining(words)]);
    expect(about(stage.sam, channel)).toEqual([]);
    // Nothing was deleted at the service.
    expect(recordsAt(uri)).toHaveLength(1);

    expect((await open(channel)).status).toBe(200);
    await stage.slack.waitForMessage(channel, 'Second.pdf');
    const after = textsOf(channel).slice(shown);
    expect(after).toEqual([
      expect.stringMatching(
        new RegExp(`I’m posting here again.*${summary}: 2 changes.*First\\.pdf.*Second\\.pdf`, 's'),
      ),
    ]);
    expect(new Set(await statesOf(channel))).toEqual(new Set(['active']));
    await notify('Third.pdf');
    await stage.slack.waitForMessage(channel, 'Third.pdf');
  },
);

test('Dana resumes a subscription while the bot is out of the channel: that and the return come before what was held, or with it', async () => {
  const { channel, notify } = await followed();
  const { slack, dana, sam } = stage;
  await press(dana, await listOf(dana, channel), 'Pause');
  const paused = await slack.waitForMessage(channel, 'Dana Reyes paused');
  await follow(channel, '/subscribe session 731-450-286');
  const shown = textsOf(channel).length;
  await slack.removeBot(channel, sam);
  await press(dana, paused, 'Resume');
  await expect.poll(() => statesOf(channel)).toEqual(Array(2).fill('paused: not in channel'));
  await notify('Meanwhile.pdf');
  await expect.poll(() => held(channel)).toEqual(['Meanwhile.pdf']);

  await slack.inviteBot(channel, sam);

  await expect
    .poll(() => textsOf(channel).slice(shown))
    .toEqual([
      expect.stringMatching(/^Dana Reyes resumed [^.]*\. No changes in the meantime\.$/),
      expect.stringMatching(/I’m posting here again for 2 subscriptions.*1 change.*Meanwhile\.pdf/s),
    ]);
});

test('the bot was removed from a public channel: a command there asks for an invitation, although the workspace would let the bot post', async () => {
  const { channel } = await followed();
  await stage.slack.removeBot(channel, stage.sam);
  const shown = textsOf(channel).length;

  await stage.type(stage.sam, '/subscribe project 538-204-917', channel);

  await stage.slack.waitForEphemeral(
    stage.sam,
    ({ text, channelId }) => channelId === channel.id && text.includes('/invite'),
  );
  expect(textsOf(channel)).toHaveLength(shown);
  expect(await statesOf(channel)).toEqual(['paused: not in channel']);
});

test('a late retry of the removal, after the bot was invited again, silences nothing', async () => {
  const { channel, notify } = await followed();
  const removed = await stage.slack.removeBot(channel, stage.sam);
  await stage.slack.inviteBot(channel, stage.sam);
  await stage.slack.waitForMessage(channel, 'I’m posting here again');

  await removed.replay(2);

  expect(await statesOf(channel)).toEqual(['active']);
  await notify('After the retry.pdf');
  await stage.slack.waitForMessage(channel, 'After the retry.pdf');
  expect(about(stage.dana, channel)).toHaveLength(1);
});

test('the removal event arrives after that of the later invitation: the channel stays open', async () => {
  const { channel, notify } = await followed();
  const now = Math.floor(stage.now().getTime() / 1_000);
  const at = (seconds: number) => `${now + seconds}.000100`;
  const joined = { type: 'member_joined_channel', user: stage.workspace.botUserId, channel: channel.id };
  await stage.slack.event({ ...joined, event_ts: at(2) });
  await stage.slack.event({ type: 'channel_left', channel: channel.id, event_ts: at(1) });

  expect(await statesOf(channel)).toEqual(['active']);
  await notify('In any order.pdf');
  await stage.slack.waitForMessage(channel, 'In any order.pdf');
});

test('a channel that was archived after the bot was removed stays silent until the bot is also invited', async () => {
  const { channel, notify } = await followed();
  await stage.slack.removeBot(channel, stage.sam);
  await stage.slack.archive(channel, stage.sam);
  await notify('Meanwhile.pdf');
  const shown = textsOf(channel).length;

  await stage.slack.unarchive(channel, stage.sam);
  await stage.bot.runChore('sweep');
  expect(textsOf(channel)).toHaveLength(shown);
  expect(await statesOf(channel)).toEqual(['paused: not in channel']);

  await stage.slack.inviteBot(channel, stage.sam);
  await stage.slack.waitForMessage(channel, 'Meanwhile.pdf');
  expect(about(stage.dana, channel)).toHaveLength(1);
});

test('Slack reports only that the bot’s own user left: the channel is silent until the bot is invited again', async () => {
  const { channel, notify } = await followed();
  const { slack, workspace, sam } = stage;
  channel.members.delete(workspace.botUserId);
  await slack.event({ type: 'member_left_channel', user: workspace.botUserId, channel: channel.id });
  expect(await statesOf(channel)).toEqual(['paused: not in channel']);
  const shown = textsOf(channel).length;
  await notify('Left.pdf');
  await expect.poll(() => held(channel)).toEqual(['Left.pdf']);
  expect(textsOf(channel)).toHaveLength(shown);
  await slack.inviteBot(channel, sam);
  await slack.waitForMessage(channel, 'Left.pdf');
});

test('another person joins or leaves, or an event makes no sense: nothing changes', async () => {
  const { channel } = await followed();
  const { slack, sam } = stage;
  const odd = [
    { type: 'member_joined_channel', user: sam.id, channel: channel.id },
    { type: 'channel_left' },
    { type: 'channel_archive', channel: { id: channel.id } },
    { type: 'channel_deleted', channel: 'C0UNKNOWN00' },
    { type: 'channel_unshared', channel: 'C0UNKNOWN00', event_ts: 'later' },
  ];
  for (const event of odd) expect((await slack.event(event)).status).toBe(200);
  expect(await statesOf(channel)).toEqual(['active']);
});

test.for(['public', 'private'] as const)(
  'a %s channel is deleted: each owner gets one private message, its subscriptions end, and their remote subscriptions are removed',
  async (kind) => {
    const { channel, uri, notify } = await followed({ kind });
    const other = await follow(channel, '/subscribe project 538-204-917 itself', stage.dana);
    const sams = await follow(channel, '/subscribe session 731-450-286', stage.sam);
    await stage.slack.archive(channel, stage.sam);
    await notify('Lost.pdf');
    await expect.poll(() => held(channel)).toEqual(['Lost.pdf']);
    await expect.poll(() => about(stage.dana, channel)).toHaveLength(1);
    const before = about(stage.dana, channel).length;

    const deleted = await stage.slack.deleteChannel(channel, stage.sam);
    await deleted.replay(1);

    expect(deleted.payload).toMatchObject({
      event: { type: kind === 'public' ? 'channel_deleted' : 'group_deleted' },
    });
    expect(new Set(await statesOf(channel))).toEqual(new Set(['ended: channel deleted']));
    expect([uri, other, sams].flatMap(recordsAt)).toEqual([]);
    await expect
      .poll(() =>
        about(stage.dana, channel)
          .slice(before)
          .map(({ text }) => text),
      )
      .toEqual([expect.stringMatching(/was deleted.*412-873-550.*538-204-917/s)]);
    await expect.poll(() => about(stage.sam, channel).at(-1)?.text).toContain('731-450-286');
    expect(await held(channel)).toEqual([]);
    expect([404, 410]).toContain(await notify('Too late.pdf'));
  },
);

test('one owner of several subscriptions gets one message for all of them', async () => {
  const { channel } = await followed();
  await follow(channel, '/subscribe project 538-204-917 itself');
  await stage.slack.removeBot(channel, stage.sam);
  await expect
    .poll(() => about(stage.dana, channel).map(({ text }) => text))
    .toEqual([expect.stringMatching(/2 subscriptions.*412-873-550.*538-204-917/s)]);
});

test('Slack refuses posts although the token is valid: once they work again, each channel reads once that posting resumed, before its summary', async () => {
  const { slack } = stage;
  const { channel, notify } = await followed();
  await follow(channel, '/subscribe project 538-204-917 itself');
  const shown = textsOf(channel).length;
  const fault = slack.fault({
    method: 'chat.postMessage',
    error: 'access_denied',
    times: Number.POSITIVE_INFINITY,
  });
  await notify('Waiting.pdf');
  await expect.poll(() => statesOf(channel)).toContain('paused: workspace access');
  for (let round = 0; round < 7; round += 1) {
    await stage.bot.runChore('resume-workspaces');
    await expect.poll(() => statesOf(channel)).toEqual(Array(2).fill('paused: workspace access'));
  }
  expect(await query('select 1 from plancast.announcements where channel_id = $1', channel)).toEqual([]);

  fault.clear();
  await stage.bot.runChore('resume-workspaces');
  await slack.waitForMessage(channel, 'Waiting.pdf');
  expect(textsOf(channel).slice(shown)).toEqual([
    expect.stringMatching(
      /I’m posting here again.*412-873-550.*538-204-917.*While I couldn’t post here: 1 change.*Waiting\.pdf/s,
    ),
  ]);
});

test('a channel admin forbids posting: Dana is notified once, the bot tries again every hour, and resumes when it may post', async () => {
  const { slack, bot, dana } = stage;
  const { channel, notify } = await followed();
  const shown = textsOf(channel).length;
  const fault = slack.fault({
    method: 'chat.postMessage',
    channel: channel.id,
    error: 'restricted_action',
    times: Number.POSITIVE_INFINITY,
  });
  await notify('Forbidden.pdf');
  await expect.poll(() => statesOf(channel)).toEqual(['paused: posting restricted']);
  const notice = expect.stringContaining('within an hour after a channel admin lets me post');
  await expect.poll(() => about(dana, channel).map(({ text }) => text)).toEqual([notice]);
  for (let hour = 1; hour <= 3; hour += 1) {
    const before = fault.hits();
    await bot.runChore('resume-restricted');
    await expect.poll(fault.hits).toBe(before + 1);
    await expect.poll(() => statesOf(channel)).toEqual(['paused: posting restricted']);
  }
  expect(await held(channel)).toEqual(['Forbidden.pdf']);
  expect(about(dana, channel)).toHaveLength(1);
  expect(textsOf(channel)).toHaveLength(shown);

  fault.clear();
  await bot.runChore('resume-restricted');
  await slack.waitForMessage(channel, 'Forbidden.pdf');
  expect(textsOf(channel).slice(shown)).toEqual([
    expect.stringMatching(/I’m posting here again.*While I couldn’t post here: 1 change.*Forbidden\.pdf/s),
  ]);
});

test('the bot is invited again to a channel in which it may not post: Dana is notified of that, too', async () => {
  const { slack, sam, dana } = stage;
  const { channel } = await followed();
  await slack.removeBot(channel, sam);
  slack.fault({ method: 'chat.postMessage', channel: channel.id, error: 'restricted_action' });
  await slack.inviteBot(channel, sam);
  await expect
    .poll(() => about(dana, channel).map(({ text }) => text))
    .toEqual([
      expect.stringContaining('I’m no longer in the channel'),
      expect.stringContaining('I’m not allowed to post in the channel'),
    ]);
});

test('Dana unmutes a channel: the announcement and the summary are one message', async () => {
  const { slack, dana } = stage;
  const { channel, notify } = await followed();
  await stage.type(dana, '/plancast mute 2h', channel);
  await slack.waitForMessage(channel, 'muted');
  for (const name of ['One.pdf', 'Two.pdf']) await notify(name);
  const shown = textsOf(channel).length;
  await stage.type(dana, '/plancast unmute', channel);
  await slack.waitForMessage(channel, 'Two.pdf');
  expect(textsOf(channel).slice(shown)).toEqual([
    expect.stringMatching(/unmuted.*While muted: 2 changes.*One\.pdf/s),
  ]);
});

test('Slack objected to nothing of this', () => {
  expect(stage.slack.violations.filter(({ kind }) => kind !== 'rate')).toEqual([]);
});
