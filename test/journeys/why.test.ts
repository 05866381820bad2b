import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { validateBlocks } from '../../sandbox/slack/block-kit.ts';
import type { Channel, User } from '../../sandbox/slack/directory.ts';
import type { Message } from '../../sandbox/slack/messages.ts';
import { type Stage, setStage } from '../support/stage.ts';

const project = 'Harbour Tower';
const session = '731-450-286';
let stage: Stage;
let dana: User;
let [channels, tests] = [0, 0];
beforeAll(async () => {
  stage = await setStage({ name: 'why', skipsPauses: true });
});
beforeEach(async () => {
  // Commands and clicks are rate limited by person and minute.
  if (tests % 4 === 0) dana = await newDana();
  tests += 1;
});
afterAll(() => stage.close());

/** Makes another person of that name, linked to the same account. */
async function newDana(): Promise<User> {
  const { slack, teamId, plans } = stage;
  const user = slack.addUser({ teamId, name: 'Dana Reyes', email: 'dana@example.com' });
  plans.members.add(user.id);
  await stage.link(user, 'dana@example.com');
  return user;
}

/** Makes a channel with Dana and Sam in it, subscribed with these lines. */
async function following(...lines: readonly string[]): Promise<Channel> {
  const { slack, sam } = stage;
  channels += 1;
  const channel = slack.addChannel({ name: `why-${channels}`, members: [dana, sam, stage.guest] });
  for (const line of lines) {
    const before = slack.messages(channel).length;
    await stage.type(dana, line, channel);
    await expect.poll(() => slack.messages(channel).length).toBeGreaterThan(before);
  }
  return channel;
}

async function why(channel: Channel, wanted: RegExp, user: User = dana): Promise<Message> {
  const { slack } = stage;
  const from = slack.ephemerals(user, channel).length;
  await stage.type(user, '/plancast why', channel);
  await expect
    .poll(() =>
      slack
        .ephemerals(user, channel)
        .slice(from)
        .map((message) => textOf(message))
        .join('\n'),
    )
    .toMatch(wanted);
  const answer = slack.ephemerals(user, channel).at(-1);
  if (!answer) throw new Error('no answer');
  expect(validateBlocks(answer.blocks, 'message')).toEqual([]);
  return answer;
}

async function whyMessage(message: Message, user: User = stage.sam): Promise<Message> {
  const { slack } = stage;
  const from = slack.ephemerals(user).length;
  await slack.shortcut({ user, callbackId: 'why', message });
  await expect.poll(() => slack.ephemerals(user).length).toBeGreaterThan(from);
  const answer = slack.ephemerals(user).at(-1);
  if (!answer) throw new Error('no answer');
  expect(validateBlocks(answer.blocks, 'message')).toEqual([]);
  return answer;
}

function textOf(message: Message): string {
  return stage.slack.textOf(message);
}

const press = (user: User, message: Message, label: string) =>
  stage.slack.click({ user, message, element: stage.slack.button(message, label) });
const query = (text: string, values: unknown[] = []) => stage.database.connect().pool.query(text, values);
const skippedIn = async (channel: Channel) =>
  (
    await query("select reason from plancast.events where channel_id = $1 and state = 'filtered'", [
      channel.id,
    ])
  ).rows;

test('Sam asks why a message was posted: what arrived, and through whose subscription', async () => {
  const { slack, service } = stage;
  const channel = await following(
    '/subscribe project 412-873-550 only create',
    '/subscribe project 538-204-917 only delete',
  );
  service.act('dana@example.com', { action: 'create-file', project, name: 'Roof.pdf' });
  const message = await slack.waitForMessage(channel, 'Roof.pdf');
  await posted(channel, 1);
  const answer = textOf(await whyMessage(message));
  expect(answer).toMatch(/^You see this because Dana Reyes added project 412-873-550 here on /);
  expect(answer).toMatch(/Received .*, posted /);
});

test('a change that matches two subscriptions is posted once, and why says through which', async () => {
  const { slack, service } = stage;
  const channel = await following('/subscribe project 412-873-550');
  const plans = service.data.item(service.data.project('412-873-550'), 'Plans').id;
  await stage.type(dana, `/subscribe folder 412-873-550 ${plans}`, channel);
  await slack.waitForMessage(channel, new RegExp(`added.*${plans}`, 's'));
  service.act('sam@example.com', { action: 'create-file', project, parent: 'Plans', name: 'Twice.pdf' });
  await slack.waitForMessage(channel, 'Twice.pdf');
  await expect.poll(() => skippedIn(channel)).toEqual([{ reason: 'covered' }]);
  await why(channel, /duplicate, posted through .*Twice\.pdf/);
});

test('why on an announcement names who did what, and when; on a message from another sender, nothing', async () => {
  const { slack } = stage;
  const channel = await following('/subscribe project 412-873-550');
  const [announcement] = slack.messages(channel);
  if (!announcement) throw new Error('nothing was announced');
  // What a message announced is stored with the mark that it was posted.
  const marked = (count: number) =>
    expect
      .poll(async () => {
        const stored = 'select 1 from plancast.audit where channel_id = $1 and message_ts is not null';
        return (await query(stored, [channel.id])).rows.length;
      })
      .toBe(count);
  await marked(1);
  const made = new RegExp(`Dana Reyes.* subscribed <#${channel.id}> to .*412-873-550.*<!date`);
  expect(textOf(await whyMessage(announcement))).toMatch(made);
  // Several at once: each message names its own, and only that.
  await Promise.all([
    stage.type(stage.sam, '/plancast mute 1h', channel),
    stage.type(dana, '/subscribe project 412-873-550 only added', channel),
  ]);
  const changed = await slack.waitForMessage(channel, 'changed the subscription');
  const muted = await slack.waitForMessage(channel, 'muted this channel');
  await marked(3);
  expect(textOf(await whyMessage(changed))).toMatch(/Dana Reyes.* changed the subscription to/);
  const answer = textOf(await whyMessage(muted));
  expect(answer).toMatch(/Sam Okafor.* muted Plancast · /);
  expect(answer).not.toContain('subscription');
  const others = { user: 'U0SOMEBODY1', bot_id: undefined, ts: announcement.ts, type: 'message', text: 'Hi' };
  await slack.shortcut({
    user: stage.sam,
    callbackId: 'why',
    message: announcement,
    overrides: { message: others },
  });
  await slack.waitForEphemeral(stage.sam, 'didn’t post that message');
});

test('a message of another channel reveals nothing, however the request is forged', async () => {
  const { slack, service } = stage;
  const theirs = await following('/subscribe project 412-873-550');
  const ours = await following('/subscribe project 538-204-917');
  service.act('dana@example.com', { action: 'create-file', project, name: 'Confidential.pdf' });
  const message = await slack.waitForMessage(theirs, 'Confidential.pdf');
  const from = slack.ephemerals(stage.sam).length;
  await slack.shortcut({
    user: stage.sam,
    callbackId: 'why',
    message,
    overrides: { channel: { id: ours.id, name: ours.name } },
  });
  await expect.poll(() => slack.ephemerals(stage.sam).length).toBeGreaterThan(from);
  expect(slack.ephemerals(stage.sam).slice(from).map(textOf).join('\n')).not.toMatch(
    /Confidential|412-873-550/,
  );
});

test('/plancast why says what happened to each of the last events, and which filter excluded it', async () => {
  const { slack, service } = stage;
  const channel = await following(
    '/subscribe project 412-873-550 only create in "Plans/**" not by sam@example.com',
  );
  service.act('dana@example.com', { action: 'check-in', project, item: 'Details/D-01 Stair.pdf' });
  service.act('sam@example.com', { action: 'create-file', project, parent: 'Plans', name: 'By Sam.pdf' });
  service.act('dana@example.com', {
    action: 'create-file',
    project,
    parent: 'Details',
    name: 'Elsewhere.pdf',
  });
  service.act('dana@example.com', { action: 'create-file', project, parent: 'Plans', name: 'Posted.pdf' });
  await slack.waitForMessage(channel, 'Posted.pdf');
  await posted(channel, 1);
  const answer = textOf(await why(channel, /Posted\.pdf/));
  expect(answer).toMatch(/filtered by event type \(.*added\).*D-01 Stair\.pdf/);
  expect(answer).toMatch(/filtered by person \(.*sam@example\.com.*\).*By Sam\.pdf/);
  expect(answer).toMatch(/filtered by folder \(.*Plans.*\).*Elsewhere\.pdf/);
  expect(answer).toMatch(/posted .*Posted\.pdf/);
});

test('a filter changed since then is not given as the reason for what its predecessor filtered', async () => {
  const { slack, service } = stage;
  const channel = await following('/subscribe project 412-873-550 only delete');
  service.act('dana@example.com', { action: 'create-file', project, name: 'Before.pdf' });
  await expect.poll(() => skippedIn(channel)).toEqual([{ reason: 'type' }]);
  await stage.type(dana, '/subscribe project 412-873-550 only create', channel);
  await slack.waitForMessage(channel, 'changed the subscription');
  service.act('dana@example.com', { action: 'create-file', project, name: 'Between.pdf' });
  const between = await slack.waitForMessage(channel, 'Between.pdf');
  await stage.type(dana, '/subscribe project 412-873-550 only update', channel);
  await expect
    .poll(() => slack.messages(channel).filter(({ text }) => text.includes('changed the subscription')))
    .toHaveLength(2);
  service.act('dana@example.com', { action: 'create-file', project, name: 'After.pdf' });
  await expect.poll(() => skippedIn(channel)).toHaveLength(2);
  const answer = textOf(await why(channel, /After\.pdf/));
  expect(answer).toMatch(/filtered by event type \(the filter was different then\): .*Before\.pdf/);
  expect(answer).toMatch(/filtered by event type \(.*changed\): .*After\.pdf/);
  const explained = textOf(await whyMessage(between));
  expect(explained).toMatch(/Changed since then: .*changed/);
});

test('changes that wait for a digest, the end of a mute, or the end of a pause are listed as waiting', async () => {
  const { slack, service } = stage;
  const channel = await following('/subscribe project 412-873-550 digest hourly');
  service.act('dana@example.com', { action: 'create-file', project, name: 'Digest.pdf' });
  await service.settled();
  await why(channel, /will be posted in an hourly digest: .*Digest\.pdf/);

  const muted = await following(`/subscribe session ${session}`);
  await stage.type(dana, '/plancast mute 2h', muted);
  await slack.waitForMessage(muted, 'muted');
  service.act('dana@example.com', { action: 'add-document', session, name: 'Muted.pdf' });
  await expect.poll(() => reasons(muted)).toEqual(['muted']);
  const answer = await why(muted, /waiting for the mute to end .*Muted\.pdf/);
  await press(dana, answer, 'Unmute');
  await slack.waitForMessage(muted, /Dana Reyes unmuted .*While muted: 1 change.*Muted\.pdf/s);

  const list = await askList(channel);
  await press(dana, list, 'Pause');
  await slack.waitForMessage(channel, 'Dana Reyes paused the subscription to project 412-873-550');
  await why(channel, /Note: Paused by /);
});

test('I ask why in a channel that follows one folder: what waits for its digest elsewhere in the project has no name', async () => {
  const { service } = stage;
  const { data } = service;
  const { id } = data.item(data.project('412-873-550'), 'Plans');
  const channel = await following(`/subscribe folder 412-873-550 ${id} digest hourly`);
  const by = 'sam@example.com';
  service.act(by, { action: 'create-file', project, parent: 'Details', name: 'Severance.pdf' });
  service.act(by, { action: 'create-file', project, parent: 'Plans', name: 'Inside.pdf' });
  await expect.poll(() => reasons(channel)).toEqual(['digest', 'digest']);
  const answer = textOf(await why(channel, /will be posted in an hourly digest: .*Inside\.pdf/, stage.sam));
  expect(answer).toMatch(/filtered: outside the folder: /);
  expect(answer).not.toMatch(/Severance|Details/);
});

test('a message that Slack refused is dead with its error, and Try again posts it', async () => {
  const { slack, service } = stage;
  const channel = await following('/subscribe project 412-873-550');
  const fault = slack.fault({
    method: 'chat.postMessage',
    channel: channel.id,
    error: 'invalid_blocks',
    times: 2,
  });
  service.act('dana@example.com', { action: 'create-file', project, name: 'Refused.pdf' });
  await expect.poll(() => reasons(channel)).toEqual(['invalid_blocks']);
  expect(fault.hits()).toBe(2);
  const answer = await why(channel, /Slack refused the message \(.*invalid_blocks.*Refused\.pdf/);
  expect(textOf(answer)).toMatch(/Problem.*1 change couldn’t be posted/);
  await press(dana, answer, 'Try again');
  await slack.waitForEphemeral(dana, 'Retrying 1 change');
  await slack.waitForMessage(channel, 'Refused.pdf');
});

test('a member whom admins do not let change the channel sees what Slack refused, and cannot have it posted', async () => {
  const { slack, service, sam, teamId, database } = stage;
  const channel = await following('/subscribe project 412-873-550');
  slack.fault({ method: 'chat.postMessage', channel: channel.id, error: 'invalid_blocks', times: 2 });
  service.act('dana@example.com', { action: 'create-file', project, name: 'Withheld.pdf' });
  await expect.poll(() => reasons(channel)).toEqual(['invalid_blocks']);
  const { pool } = database.connect();
  await pool.query(`insert into plancast.settings (team_id, value) values ($1, $2)`, [
    teamId,
    JSON.stringify({ subscribers: { kind: 'people', userIds: [dana.id] } }),
  ]);

  const shown = await why(channel, /Slack refused the message/, sam);
  const before = slack.ephemerals(sam, channel).length;
  await press(sam, shown, 'Try again');
  const answers = () => slack.ephemerals(sam, channel).slice(before).map(textOf);
  await expect.poll(answers).toEqual([expect.stringContaining('Only certain people')]);
  expect(await reasons(channel)).toEqual(['invalid_blocks']);
  await press(dana, await why(channel, /Slack refused the message/), 'Try again');
  await slack.waitForMessage(channel, 'Withheld.pdf');
  await pool.query('delete from plancast.settings');
});

test('silence: a missing remote subscription is detected, and Try again creates it again', async () => {
  const { slack, service } = stage;
  const channel = await following('/subscribe project 412-873-550');
  const record = service.subscriptions.all().at(-1);
  if (!record) throw new Error('no remote subscription');
  service.subscriptions.remove(record);
  const answer = await why(channel, /Problem: The subscription is no longer set up at Practice/);
  expect(textOf(answer)).toMatch(/OK: Your link to Practice works/);
  expect(textOf(answer)).toMatch(/OK: I can post in this channel/);
  expect(textOf(answer)).toMatch(/No activity from Practice yet/);
  await press(dana, answer, 'Try again');
  await slack.waitForEphemeral(dana, /I checked .* again.*OK.*Notifications from Practice come here/s);
  service.act('dana@example.com', { action: 'create-file', project, name: 'Heard again.pdf' });
  await slack.waitForMessage(channel, 'Heard again.pdf');
});

test('silence: an owner whose link does not work is named, with a Link button only for the owner', async () => {
  const { slack, service } = stage;
  const noa = slack.addUser({ teamId: stage.teamId, name: 'Noa Berg', email: 'lee@example.com' });
  stage.plans.members.add(noa.id);
  await stage.link(noa, 'lee@example.com');
  const channel = slack.addChannel({ name: 'lost-link', members: [noa, dana] });
  await stage.type(noa, '/subscribe project 412-873-550', channel);
  await slack.waitForMessage(channel, 'to this channel');
  service.switches.set({ revocation: 'access tokens too' });
  service.revoke('lee@example.com');
  const others = await why(channel, /Problem: Noa Berg’s link to Practice stopped working/);
  expect(() => slack.button(others, 'Link')).toThrow();
  const own = await why(channel, /Problem: Your link to Practice stopped working/, noa);
  await press(noa, own, 'Link');
  await slack.waitForEphemeral(noa, 'Enter code');
});

test('silence: a removed subscription is listed with the person who removed it', async () => {
  const { slack } = stage;
  const channel = await following('/subscribe project 412-873-550');
  await stage.type(dana, '/unsubscribe project 412-873-550', channel);
  await slack.waitForMessage(channel, 'removed');
  const answer = textOf(await why(channel, /has no subscriptions/));
  expect(answer).toMatch(/412-873-550.*removed by .*Dana Reyes/);
});

test('silence: if Slack refuses posts, it says with which error, and Resume posts once it is allowed again', async () => {
  const { slack, service } = stage;
  const channel = await following('/subscribe project 412-873-550');
  slack.fault({ method: 'chat.postMessage', channel: channel.id, error: 'restricted_action' });
  service.act('dana@example.com', { action: 'create-file', project, name: 'Shut out.pdf' });
  await slack.waitForDirectMessage(dana, 'is paused');
  const answer = await why(channel, /didn’t let me post here.*restricted_action/);
  await press(dana, answer, 'Resume');
  await slack.waitForMessage(channel, 'Shut out.pdf');
});

test('many subscriptions come in pages', async () => {
  const channel = await following(
    '/subscribe project 412-873-550',
    '/subscribe project 538-204-917',
    '/subscribe project 660-118-342',
    `/subscribe session ${session}`,
  );
  const first = await why(channel, /page 1 of 2/);
  expect(textOf(first)).not.toContain(session);
  await press(dana, first, 'Next');
  await expect.poll(() => textOf(first)).toMatch(/page 2 of 2/);
  expect(textOf(first)).toContain(session);
});

test('Slack objected to no answer', () => {
  expect(stage.slack.violations.filter(({ kind }) => kind !== 'rate')).toEqual([]);
});

/** Waits until this many events are marked as posted; Slack shows a message a moment before. */
async function posted(channel: Channel, count: number): Promise<void> {
  const find = async () => {
    const { rows } = await query(`select 1 from plancast.events where channel_id = $1 and state = 'posted'`, [
      channel.id,
    ]);
    return rows.length;
  };
  await expect.poll(find).toBe(count);
}

async function reasons(channel: Channel): Promise<string[]> {
  const { rows } = await query(`select reason from plancast.events where channel_id = $1 order by seq`, [
    channel.id,
  ]);
  return rows.map(({ reason }) => reason);
}

async function askList(channel: Channel): Promise<Message> {
  await stage.type(dana, '/subscriptions', channel);
  return stage.slack.waitForEphemeral(
    dana,
    (message) => message.channelId === channel.id && /This channel has /.test(textOf(message)),
  );
}
