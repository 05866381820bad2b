import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Channel, User } from '../../sandbox/slack/directory.ts';
import type { Message } from '../../sandbox/slack/messages.ts';
import { type Stage, setStage } from '../support/stage.ts';
import { makeStageActions } from '../support/stage-actions.ts';

const minute = 60_000;
let stage: Stage;
beforeAll(async () => {
  stage = await setStage({ name: 'direct_messages' });
  await stage.link(stage.dana, 'dana@example.com');
  await stage.link(stage.sam, 'sam@example.com');
});
afterAll(() => stage.close());

const { newChannel, following, press, query, chooseInMenu } = makeStageActions(() => stage);

/** Types a command whose reply Slack refuses, so that the reply comes as a direct message. */
async function answeredByDirectMessage(
  user: User,
  { line, channel, words }: { line: string; channel: Channel; words: string },
): Promise<Message> {
  const { slack } = stage;
  const before = slack.directMessages(user).length;
  slack.fault({ method: 'response_url', status: 404 });
  await stage.type(user, line, channel);
  return slack.waitForDirectMessage(
    user,
    (message) => slack.directMessages(user).indexOf(message) >= before && message.text.includes(words),
  );
}

/** Returns what a person has read about a channel in private. */
const readAbout = (user: User, channel: Channel) =>
  stage.slack
    .directMessages(user)
    .map(({ text }) => text)
    .filter((text) => text.includes(channel.id));

/** Lets Slack take no message, or none to this person. Returns how to end that; the bot then tries again. */
function slackIsAway(user?: User): () => void {
  const { clear } = stage.slack.fault({
    method: 'chat.postMessage',
    channel: user?.id,
    status: 503,
    times: Number.POSITIVE_INFINITY,
  });
  return () => {
    clear();
    stage.advance(10 * minute);
  };
}

const statesIn = (channel: Channel) =>
  query('select state, owner_user_id from plancast.subscriptions where channel_id = $1 order by created_at', [
    channel.id,
  ]);

test('a list that came as a direct message pauses, resumes and removes in its channel, and announces it there', async () => {
  const { slack, dana } = stage;
  const channel = newChannel('listed', [dana, stage.sam]);
  await following(dana, channel);
  const list = await answeredByDirectMessage(dana, {
    line: '/subscriptions',
    channel,
    words: 'This channel has ',
  });
  await press(dana, list, 'Pause');
  await slack.waitForMessage(channel, 'Dana Reyes paused');
  await expect.poll(() => slack.textOf(list)).toContain('Paused by Dana Reyes');
  // The list that replaced it still knows the channel.
  await press(dana, list, 'Resume');
  await slack.waitForMessage(channel, 'Dana Reyes resumed');
  await expect.poll(() => slack.textOf(list)).toContain('Working');
  await press(dana, list, 'Remove');
  await slack.waitForMessage(channel, 'Dana Reyes removed');
  await expect.poll(() => slack.textOf(list)).toContain('has no subscriptions');
});

test("Edit in such a list opens the subscription's form, and what it saves is announced in its channel", async () => {
  const { slack, dana } = stage;
  const channel = newChannel('edited', [dana, stage.sam]);
  await following(dana, channel);
  const list = await answeredByDirectMessage(dana, {
    line: '/subscriptions',
    channel,
    words: 'This channel has ',
  });
  await chooseInMenu(dana, list, 'edit');
  await slack.waitForView(dana, 'Events');
  await slack.submitView({ user: dana, values: { when: 'hourly' } });
  await slack.waitForMessage(channel, 'Dana Reyes changed');
});

test("Take over in such a list is checked and announced in the subscription's channel", async () => {
  const { slack, sam, ravi } = stage;
  const channel = newChannel('taken', [sam, ravi]);
  await following(sam, channel);
  await query(
    `update plancast.subscriptions set state = 'paused', reason = 'unlinked', owner_user_id = $2 where channel_id = $1`,
    [channel.id, ravi.id],
  );
  const list = await answeredByDirectMessage(sam, {
    line: '/subscriptions',
    channel,
    words: 'This channel has ',
  });
  await press(sam, list, 'Take over');
  await slack.waitForMessage(channel, 'Sam Okafor took over');
  expect(await statesIn(channel)).toEqual([{ state: 'active', owner_user_id: sam.id }]);
});

test('a question that came as a direct message subscribes the channel in which the command was typed', async () => {
  const { slack, dana } = stage;
  const channel = newChannel('asked', [dana, stage.sam]);
  const asked = '640-100-200';
  stage.service.act('dana@example.com', { action: 'create-project', name: 'Asked', id: asked });
  const question = await answeredByDirectMessage(dana, {
    line: `/subscribe ${asked}`,
    channel,
    words: 'Which one do you want',
  });
  await press(dana, question, 'A project');
  await slack.waitForMessage(channel, 'Dana Reyes added');
  const before = slack.messages(channel).length;
  const kept = await answeredByDirectMessage(dana, {
    line: '/unsubscribe all',
    channel,
    words: 'Remove the only subscription',
  });
  await press(dana, kept, 'Keep');
  await expect.poll(() => kept.deletedAt).toBeDefined();
  expect(slack.messages(channel)).toHaveLength(before);
  const all = await answeredByDirectMessage(dana, {
    line: '/unsubscribe all',
    channel,
    words: 'Remove the only subscription',
  });
  await press(dana, all, 'Remove it');
  await slack.waitForMessage(channel, 'Dana Reyes removed');
});

test('the buttons of a doctor report sent as a direct message act on the channel that was checked', async () => {
  const { slack, dana } = stage;
  const channel = newChannel('checked', [dana, stage.sam]);
  await following(dana, channel);
  await stage.type(dana, '/plancast mute 2h', channel);
  await slack.waitForMessage(channel, 'Dana Reyes muted this channel');
  const report = await answeredByDirectMessage(dana, {
    line: '/plancast doctor',
    channel,
    words: 'I’m muted here until',
  });
  await press(dana, report, 'Unmute');
  await slack.waitForMessage(channel, 'Dana Reyes unmuted this channel');
});

test('a channel named in a forged click only counts in direct messages, and only for people who are in it', async () => {
  const { slack, dana, ravi } = stage;
  const target = newChannel('target', [dana]);
  const own = newChannel('own', [ravi, dana]);
  await following(dana, target);
  await stage.type(ravi, '/plancast why', own);
  const answer = await slack.waitForEphemeral(ravi, 'This channel has no subscriptions');
  const [row] = await query('select id from plancast.subscriptions where channel_id = $1', [target.id]);
  const forged = {
    type: 'button',
    action_id: 'subscription_remove',
    value: row.id,
    text: { type: 'plain_text', text: 'Remove' },
  };
  const element = {
    blockId: `in:${target.id}/0/`,
    actionId: 'subscription_remove',
    element: forged,
    input: undefined,
  };
  await slack.click({ user: ravi, message: answer, element });
  await slack.waitForEphemeral(ravi, 'no longer exists');
  const direct = slack.directMessages(dana).at(-1);
  if (!direct) throw new Error('Dana got no message');
  await slack.click({ user: ravi, message: direct, element });
  await slack.waitForEphemeral(ravi, 'Only people in the channel can do that');
  expect(await statesIn(target)).toEqual([{ state: 'active', owner_user_id: dana.id }]);
});

test('Slack objected to nothing the bot showed', () => {
  expect(stage.slack.violations.filter(({ kind }) => kind !== 'rate')).toEqual([]);
});

test('what waits for Lee before the first message to them: all of it arrives, once and in order, in one conversation', async () => {
  const { slack, sam, teamId } = stage;
  const lee = slack.addUser({ teamId, realName: 'Lee Park', email: 'lee@example.com' });
  const channel = newChannel('before the first message', [lee, sam]);
  const isBack = slackIsAway(lee);
  await stage.type(lee, '/subscribe project 538-204-917', channel);
  const offer = await slack.waitForEphemeral(lee, 'Link');
  await stage.linkInBrowser(String(slack.button(offer, 'Link').element.url), 'lee@example.com');
  await slack.waitForMessage(channel, 'added project');
  await slack.removeBot(channel, sam);
  const waiting = () => query('select channel_id from plancast.announcements');
  await expect.poll(waiting).toEqual([{ channel_id: lee.id }, { channel_id: lee.id }]);
  isBack();
  await expect
    .poll(() => slack.directMessages(lee).map(({ text }) => text), { timeout: 10_000 })
    .toEqual([expect.stringContaining('linked'), expect.stringContaining('I’m no longer in the channel')]);
  await expect.poll(waiting).toEqual([]);
  const known = await query('select channel_id from plancast.direct_messages where user_id = $1', [lee.id]);
  const [first, second] = slack.directMessages(lee).map(({ channelId }) => ({ channel_id: channelId }));
  expect(known).toEqual([first]);
  expect(second).toEqual(first);
});

test('Slack is away while Sam removes the bot from two channels and deletes a third, and the bot is restarted: Dana reads of each once', async () => {
  const { slack, dana, sam } = stage;
  const channels = ['one', 'another', 'a third'].map((name) => newChannel(`left ${name}`, [dana, sam]));
  const [one, another, third] = channels as [Channel, Channel, Channel];
  for (const channel of channels) await following(dana, channel);
  const isBack = slackIsAway();
  for (const channel of [one, another]) await slack.removeBot(channel, sam);
  await slack.deleteChannel(third, sam);
  await stage.bot.stop();
  isBack();
  await stage.addBot();
  await expect
    .poll(() => channels.map((channel) => readAbout(dana, channel)), { timeout: 10_000 })
    .toEqual([
      [expect.stringContaining('I’m no longer in the channel')],
      [expect.stringContaining('I’m no longer in the channel')],
      [expect.stringContaining('was deleted')],
    ]);
});
