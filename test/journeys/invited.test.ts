import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import type { Channel } from '../../sandbox/slack/directory.ts';
import { notify } from '../support/notify.ts';
import { allPosted } from '../support/settled.ts';
import { type Stage, setStage } from '../support/stage.ts';
import { makeStageActions } from '../support/stage-actions.ts';

const hour = 60 * 60_000;
const line = '/subscribe project 412-873-550 only deleted';

let stage: Stage;
let channel: Channel;
beforeAll(async () => {
  stage = await setStage({ name: 'invited', skipsPauses: true });
  await stage.link(stage.dana, 'dana@example.com');
});
afterAll(() => stage.close());
beforeEach(() => {
  const { dana, sam, ravi, guest } = stage;
  channel = stage.slack.addChannel({ kind: 'private', members: [dana, sam, ravi, guest], botIn: false });
});

const { choose, following, openMore, press } = makeStageActions(() => stage);
const shownTo = (user: Stage['dana']) => stage.slack.ephemerals(user, channel).map(({ text }) => text);
const sent = (user: Stage['dana']) =>
  stage.slack.directMessages(user).flatMap(({ text }) => (text.includes(`<#${channel.id}>`) ? [text] : []));
const posted = () => stage.slack.messages(channel).map(({ text }) => text);
const tickets = async () =>
  (await stage.database.connect().pool.query("select from plancast.requests where state = 'kept'")).rowCount;

test('Sam invites the bot: he alone is greeted, once that day, and subscribes from the greeting', async () => {
  const { slack, sam, dana } = stage;
  const joined = await slack.inviteBot(channel, sam);
  const greeting = await slack.waitForEphemeral(sam, 'I’m in this channel now');
  expect(shownTo(dana)).toEqual([]);
  expect(posted()).toEqual([]);

  await joined.replay(1);
  await slack.removeBot(channel, sam);
  await slack.inviteBot(channel, dana);
  expect([shownTo(sam), shownTo(dana)]).toEqual([[greeting.text], []]);

  await press(sam, greeting, 'Subscribe this channel');
  await slack.waitForView(sam, 'Subscribe');

  stage.advance(25 * hour);
  await slack.removeBot(channel, sam);
  await slack.inviteBot(channel, dana);
  await slack.waitForEphemeral(dana, 'I’m in this channel now');
});

test('a guest invites the bot, or Slack names nobody: nobody is greeted', async () => {
  const { slack, guest, workspace } = stage;
  await slack.inviteBot(channel, guest);
  const inner = { type: 'member_joined_channel', user: workspace.botUserId, channel: channel.id };
  expect((await slack.event(inner)).status).toBe(200);
  expect(shownTo(guest)).toEqual([]);
});

test('Slack takes no message for Sam alone: he is greeted in a direct message, whose button is about the channel', async () => {
  const { slack, sam } = stage;
  slack.fault({ method: 'chat.postEphemeral', error: 'user_not_in_channel' });
  await slack.inviteBot(channel, sam);
  const greeting = await slack.waitForDirectMessage(sam, 'I’m in this channel now');
  await press(sam, greeting, 'Subscribe this channel');
  await slack.waitForView(sam, ({ privateMetadata }) => JSON.parse(privateMetadata).channelId === channel.id);
});

test('Sam left a private channel: the form that he opens for it from his direct message shows nothing of it', async () => {
  const { slack, service, teamId, dana, sam } = stage;
  const id = '655-100-200';
  service.act('dana@example.com', { action: 'create-project', name: 'Sealed bid', id });
  slack.fault({ method: 'chat.postEphemeral', error: 'user_not_in_channel' });
  await slack.inviteBot(channel, sam);
  const greeting = await slack.waitForDirectMessage(sam, (message) =>
    JSON.stringify(message.blocks).includes(channel.id),
  );
  await following(dana, channel, `/subscribe project ${id}`);
  const uri = service.subscriptions.all().at(-1)?.uri ?? '';
  service.act('dana@example.com', { action: 'rename-project', project: id, name: 'Sealed offer' });
  await slack.waitForMessage(channel, 'Sealed offer');
  await notify(uri, { item: 'L1', name: 'Later.pdf', path: 'Root/Later/Later.pdf', idPath: 'root/L0/L1' });
  await slack.waitForMessage(channel, 'Later.pdf');
  channel.members.delete(sam.id);
  await slack.event({ type: 'member_left_channel', channel: channel.id, user: sam.id, team: teamId });

  const opened = async (user: Stage['dana'], open: () => Promise<unknown>) => {
    const before = slack.lastView(user)?.id;
    await open();
    const first = await slack.waitForView(user, ({ id: viewId }) => viewId !== before);
    return choose(user, first, id);
  };
  const danas = await opened(dana, () => stage.type(dana, '/subscribe', channel));
  expect(slack.textOf(danas)).toContain('Sealed offer');
  const sams = await opened(sam, () => press(sam, greeting, 'Subscribe this channel'));
  expect(slack.textOf(sams)).not.toContain('Sealed');

  // Not even while Slack does not say who is in the channel.
  const silent = slack.fault({
    method: 'conversations.members',
    error: 'internal_error',
    times: Number.POSITIVE_INFINITY,
  });
  await stage.forgetSlack();
  await openMore(sam, sams);
  expect(JSON.stringify(sams.blocks)).not.toContain('Later');
  await slack.click({ user: sam, view: sams, actionId: 'form_preview' });
  const preview = await slack.waitForView(sam, ({ id: viewId }) => viewId !== sams.id);
  await expect.poll(() => slack.textOf(preview)).not.toContain('Looking up');
  expect(slack.textOf(preview)).not.toMatch(/Sealed|Later|Dana/);
  silent.clear();
});

test('Dana’s command is refused in a channel without the bot, and carried out once when Sam invites it', async () => {
  const { slack, dana, sam } = stage;
  await stage.type(dana, '/subscribe project 538-204-917', channel);
  await slack.waitForEphemeral(dana, '/subscribe project 538-204-917');
  await stage.type(dana, line, channel);
  const refusal = await slack.waitForEphemeral(dana, line);
  expect(refusal.text).toMatch(/^I’m not in this channel yet.*\/invite @plancast/);
  expect(await tickets()).toBe(1);

  const joined = await slack.inviteBot(channel, sam);
  await slack.waitForMessage(channel, 'Dana Reyes added');
  await slack.waitForDirectMessage(dana, `now, and finished \`${line}\``);
  // Sam did not ask for anything.
  await slack.waitForEphemeral(sam, 'I’m in this channel now');
  await joined.replay(1);
  expect(posted()).toHaveLength(1);
  expect(sent(dana)).toHaveLength(1);
  await expect.poll(tickets).toBe(0);
});

test('Dana edits in the form what was understood of her line, where the bot is missing: an invitation does not run it', async () => {
  const { slack, dana, sam } = stage;
  await stage.type(dana, `${line} and the stairs`, channel);
  const understood = await slack.waitForEphemeral(dana, 'Left out');
  await press(dana, understood, 'Edit in the form');
  await slack.waitForEphemeral(dana, 'I’m not in this channel, so I can’t post');
  expect(await tickets()).toBe(0);
  await slack.inviteBot(channel, sam);
  await slack.waitForEphemeral(sam, 'I’m in this channel now');
  expect(posted()).toEqual([]);

  await press(dana, understood, 'Run this');
  await slack.waitForMessage(channel, 'Dana Reyes added');
});

test('the channel is public and the bot may not post there uninvited: the command is kept, too', async () => {
  const { slack, dana, workspace } = stage;
  const { botScopes } = workspace;
  const lobby = slack.addChannel({ members: [dana], botIn: false });
  workspace.botScopes = botScopes.filter((scope) => scope !== 'chat:write.public');
  const core = await stage.addBot();
  await stage.type(dana, line, lobby);
  await slack.waitForEphemeral(dana, ({ channelId, text }) => channelId === lobby.id && text.includes(line));
  await slack.inviteBot(lobby, dana);
  await slack.waitForMessage(lobby, 'Dana Reyes added');
  workspace.botScopes = botScopes;
  await core.stop();
  slack.botRequestUrl = `${stage.bot.publicUrl}/slack/events`;
});

test('Ravi is not linked: he gets his link in a direct message, no greeting, and then his subscription', async () => {
  const { slack, ravi } = stage;
  await stage.type(ravi, line, channel);
  await slack.waitForEphemeral(ravi, line);
  await slack.inviteBot(channel, ravi);
  const offer = await slack.waitForDirectMessage(ravi, 'Link your account');
  expect(offer.text).toContain(`You asked for \`${line}\``);
  expect(shownTo(ravi).filter((text) => text.includes('I’m in this channel now'))).toEqual([]);
});

test('the service takes long for Dana’s command and Slack sends her invitation again: she is not greeted, and it runs once', async () => {
  const { slack, service, dana } = stage;
  await stage.type(dana, '/subscribe project 538-204-917', channel);
  await slack.waitForEphemeral(dana, ({ channelId }) => channelId === channel.id);
  const slow = service.faults.set({ endpoint: 'create', kind: 'delay', ms: 1_500 });
  const comprehensive = service.faults.set({ endpoint: 'create comprehensive', kind: 'delay', ms: 1_500 });
  const invitation = slack.inviteBot(channel, dana);
  await expect.poll(() => slow.hits() + comprehensive.hits()).toBe(1);
  const { workspace, teamId } = stage;
  const again = { type: 'member_joined_channel', user: workspace.botUserId, channel: channel.id };
  await slack.event({ ...again, inviter: dana.id, team: teamId });
  await invitation;
  await slack.waitForMessage(channel, 'Dana Reyes added');
  slow.remove();
  comprehensive.remove();
  await slack.event({ ...again, inviter: dana.id, team: teamId });
  expect(posted()).toHaveLength(1);
  expect(shownTo(dana).filter((text) => text.includes('I’m in this channel now'))).toEqual([]);
  await expect.poll(tickets).toBe(0);
});

test('the process dies while it carries out Dana’s command: another one does it, once', async () => {
  const { slack, dana, sam } = stage;
  await stage.type(dana, line, channel);
  await slack.waitForEphemeral(dana, ({ channelId }) => channelId === channel.id);
  const { pool } = stage.database.connect();
  // As the other process left it.
  await pool.query("update plancast.requests set claimed_at = created_at where state = 'kept'");
  await slack.inviteBot(channel, sam);
  await stage.bot.runChore('sweep');
  expect(posted()).toEqual([]);
  stage.advance(11 * 60_000);
  await Promise.all([stage.bot.runChore('sweep'), stage.bot.runChore('sweep')]);
  await slack.waitForMessage(channel, 'Dana Reyes added');
  expect(posted()).toHaveLength(1);
  expect(await tickets()).toBe(0);
});

type Meanwhile = readonly [title: string, happens: () => void, answer: string | null];
const meanwhile: readonly Meanwhile[] = [
  ['more than a day ago', () => stage.advance(25 * hour), null],
  [
    'and has left the channel since',
    () => void channel.members.delete(stage.dana.id),
    'Only people in the channel',
  ],
  [
    'and has become a guest since',
    () => {
      stage.dana.isRestricted = true;
    },
    'Guests can’t do that',
  ],
];

test.for(meanwhile)(
  'Dana asked %s: nothing is subscribed, and nothing is kept',
  async ([, happens, answer]) => {
    const { slack, dana, sam } = stage;
    await stage.type(dana, line, channel);
    await slack.waitForEphemeral(
      dana,
      ({ channelId, text }) => channelId === channel.id && text.includes(line),
    );
    happens();
    await stage.forgetSlack();
    await slack.inviteBot(channel, sam);
    await slack.waitForEphemeral(sam, ({ channelId }) => channelId === channel.id);
    await expect.poll(tickets).toBe(0);
    dana.isRestricted = false;
    await stage.forgetSlack();
    expect(posted()).toEqual([]);
    await allPosted(stage);
    expect(sent(dana)).toEqual(answer === null ? [] : [expect.stringContaining(answer)]);
  },
);

test('the bot comes back to a channel with paused subscriptions: they resume, and nobody is greeted', async () => {
  const { slack, dana, sam } = stage;
  await slack.inviteBot(channel, dana);
  stage.advance(25 * hour);
  await stage.type(dana, line, channel);
  await slack.waitForMessage(channel, 'to this channel');
  await slack.removeBot(channel, sam);
  await slack.inviteBot(channel, sam);
  await slack.waitForMessage(channel, 'I’m posting here again');
  expect(shownTo(sam)).toEqual([]);
});
