import { afterAll, beforeAll, expect, test } from 'vitest';
import { validateBlocks } from '../../sandbox/slack/block-kit.ts';
import type { Channel, User } from '../../sandbox/slack/directory.ts';
import type { Message } from '../../sandbox/slack/messages.ts';
import { notify } from '../support/notify.ts';
import { type Stage, setStage } from '../support/stage.ts';

let stage: Stage;
beforeAll(async () => {
  stage = await setStage({ name: 'doctor command', skipsPauses: true });
  await stage.link(stage.dana, 'dana@example.com');
});
afterAll(() => stage.close());

/** Types the command and returns the short answer. */
async function doctor(channel: Channel, user: User = stage.dana): Promise<Message> {
  const { slack } = stage;
  const from = slack.ephemerals(user, channel).length;
  await stage.type(user, '/plancast doctor', channel);
  await expect.poll(() => slack.ephemerals(user, channel).length).toBeGreaterThan(from);
  const answer = slack.ephemerals(user, channel).at(-1);
  if (!answer) throw new Error('no answer');
  expect(validateBlocks(answer.blocks, 'message')).toEqual([]);
  return answer;
}

/** Types the command and returns the answer with every check, which replaces the short one after a press on Details. */
async function details(channel: Channel, user: User = stage.dana): Promise<Message> {
  const { slack } = stage;
  const answer = await doctor(channel, user);
  await slack.click({ user, message: answer, element: slack.button(answer, 'Details') });
  await expect.poll(() => JSON.stringify(answer.blocks)).not.toContain('doctor-details');
  expect(validateBlocks(answer.blocks, 'message')).toEqual([]);
  return answer;
}

async function following(line: string, name: string): Promise<Channel> {
  const { slack, dana, sam } = stage;
  const channel = slack.addChannel({ name, members: [dana, sam] });
  await stage.type(dana, line, channel);
  await slack.waitForMessage(channel, 'to this channel');
  return channel;
}

const textOf = (message: Message) => stage.slack.textOf(message);

test('when all is well the answer is one line, and Details shows every check', async () => {
  const { slack, service } = stage;
  const channel = await following('/subscribe project 412-873-550 in "Secret plans/**"', 'well');
  service.act('dana@example.com', {
    action: 'create-folder',
    project: 'Harbour Tower',
    name: 'Secret plans',
  });
  service.act('dana@example.com', {
    action: 'create-file',
    project: 'Harbour Tower',
    parent: 'Secret plans',
    name: 'Vault.pdf',
  });
  await slack.waitForMessage(channel, 'Vault.pdf');
  await expect.poll(() => lastEvent(channel)).not.toBeNull();
  const short = await doctor(channel);
  expect(short.text).toMatch(/^Everything works here\. Last message: /);
  expect(short.blocks.map(({ type }) => type)).toEqual(['section', 'actions']);
  const answer = textOf(await details(channel));
  expect(answer).toContain('Everything works here.');
  expect(answer).toContain('OK: I can post in this channel.');
  expect(answer).toContain('OK: Your link to Practice works.');
  expect(answer).toContain('OK: Notifications from Practice come here.');
  expect(answer).toMatch(/OK: Last activity: .*\n.*OK: Last post: /);
  expect(answer).not.toContain('Problem');
});

test('problems are counted first, each with its remedy beside it', async () => {
  const { slack, service, dana, sam } = stage;
  const channel = await following('/subscribe project 538-204-917', 'unwell');
  const record = service.subscriptions.all().at(-1);
  if (!record) throw new Error('no remote subscription');
  service.subscriptions.setStatus(record.id, 'Suspended');
  await stage.type(dana, '/plancast mute 2h', channel);
  await slack.waitForMessage(channel, 'muted this channel');
  const answer = await doctor(channel, sam);
  const text = textOf(answer);
  expect(text).toMatch(/^I found 1 problem in this channel/);
  expect(text).toMatch(/Note: I’m muted here until/);
  expect(text).toMatch(/Problem: The status of the subscription at Practice is .Suspended/);
  expect(text).toMatch(/Note: You’re not linked to Practice/);
  expect(text).not.toMatch(/OK: /);
  await slack.click({ user: sam, message: answer, element: slack.button(answer, 'Unmute') });
  await slack.waitForMessage(channel, 'unmuted this channel');
  await slack.click({ user: sam, message: answer, element: slack.button(answer, 'Link') });
  await slack.waitForEphemeral(sam, 'Enter code');
});

test('a linked member can take over a paused subscription from the report', async () => {
  const { slack, dana, sam } = stage;
  await stage.link(sam, 'sam@example.com');
  const channel = slack.addChannel({ name: 'handed-over', members: [dana, sam] });
  await stage.type(sam, '/subscribe project 412-873-550', channel);
  await slack.waitForMessage(channel, 'to this channel');
  await stage.type(sam, '/plancast unlink');
  const question = await slack.waitForEphemeral(sam, 'Unlink your account');
  await slack.click({ user: sam, message: question, element: slack.button(question, 'Unlink') });
  await slack.waitForMessage(channel, 'unlinked their account');
  const answer = await doctor(channel);
  expect(textOf(answer)).toMatch(/Problem: Paused: .*Sam Okafor/i);
  await slack.click({ user: dana, message: answer, element: slack.button(answer, 'Take over') });
  await slack.waitForMessage(channel, 'took over');
});

test('in a channel where the bot cannot post, the report says what to do', async () => {
  const { slack, dana } = stage;
  const channel = slack.addChannel({ name: 'not-in', members: [dana], botIn: false, kind: 'private' });
  const text = textOf(await doctor(channel));
  expect(text).toMatch(/Problem: .*not in this channel.*\/invite @plancast/);
});

test('a service that does not answer is a problem of its own, and the other checks still run', async () => {
  const { service } = stage;
  const channel = await following('/subscribe session 731-450-286', 'away');
  service.faults.set({ kind: 'answer', endpoint: 'get', status: 503, times: 2 });
  const text = textOf(await details(channel));
  expect(text).toMatch(/^I found 1 problem/);
  expect(text).toContain('Problem: I got no usable answer from Practice.');
  expect(text).toContain('OK: I can post in this channel.');
});

test('subscriptions that are not checked are counted', async () => {
  const { slack, service, dana } = stage;
  const channel = slack.addChannel({ name: 'many', members: [dana] });
  const projects = ['412-873-550', '538-204-917', '660-118-342'];
  const { data } = service;
  const files = ['A-101 Floor plan.pdf', 'A-102 Ceiling plan.pdf'].map(
    (name) => data.item(data.project('412-873-550'), `Plans/Level 1/${name}`).id,
  );
  const folders = ['Plans', 'Details', 'Specifications', 'Site photos'].map(
    (name) => data.item(data.project('412-873-550'), name).id,
  );
  const lines = [
    ...projects.map((id) => `/subscribe project ${id} itself`),
    ...folders.map((id) => `/subscribe folder 412-873-550 ${id}`),
    ...files.map((id) => `/subscribe file 412-873-550 ${id}`),
  ];
  for (const [index, line] of lines.entries()) {
    await stage.type(dana, line, channel);
    await expect.poll(() => slack.messages(channel).length).toBe(index + 1);
  }
  const text = textOf(await details(channel));
  expect(text).toContain('I didn’t check 1 more subscription');
});

/** Changes a channel's lane once the turn of its announcement is over. */
async function changeLane(channel: Channel, set: string, at: Date): Promise<void> {
  const { pool } = stage.database.connect();
  const text = `update plancast.lanes set ${set} = $2 where channel_id = $1 and claimed_until is null`;
  await expect.poll(async () => (await pool.query(text, [channel.id, at])).rowCount).toBe(1);
}

/** A moment so many minutes ago, on the stage's clock. */
const minutesAgo = (minutes: number) => new Date(stage.now().getTime() - minutes * 60_000);

test('nothing in the channel has moved for five minutes: the answer says so, and whom to tell', async () => {
  // A person has 30 commands a minute.
  stage.advance(60_000);
  const channel = await following('/subscribe project 412-873-550', 'stuck');
  const { pool } = stage.database.connect();
  const change = (text: string, at: Date) => pool.query(text, [channel.id, at]);
  // As if its worker had been lost, with a change that nobody has taken since.
  await changeLane(channel, 'claimed_until', minutesAgo(-1_000));
  const { uri } = stage.service.subscriptions.all().at(-1) ?? { uri: '' };
  expect(await notify(uri, { item: 'stuck', name: 'Stuck.pdf' })).toBe(200);
  const aged = async (minutes: number, moved: number) => {
    await change('update plancast.events set received_at = $2 where channel_id = $1', minutesAgo(minutes));
    await change('update plancast.lanes set moved_at = $2 where channel_id = $1', minutesAgo(moved));
    return textOf(await details(channel));
  };

  expect(await aged(60, 4)).toContain('Note: 1 change is waiting to be posted, the oldest since ');
  expect(await aged(4, 60)).toContain('Note: 1 change is waiting to be posted, the oldest since ');
  expect(await aged(60, 6)).toMatch(
    /Problem: 1 change is waiting to be posted, .+ Nothing has moved here for 5 minutes\. Contact your Plancast admin/,
  );
});

test('turns of the channel fail: the answer does not blame Slack for the wait', async () => {
  const channel = await following('/subscribe project 412-873-550', 'failing');
  await changeLane(channel, 'setbacks = 4, not_before', minutesAgo(-10));
  const answer = textOf(await details(channel));
  expect(answer).toContain('Nothing posted yet');
  expect(answer).not.toContain('hold the next message');
});

test('Slack accepted every answer', () => {
  expect(stage.slack.violations.filter(({ kind }) => kind !== 'rate')).toEqual([]);
});

async function lastEvent(channel: Channel): Promise<Date | null> {
  const { rows } = await stage.database
    .connect()
    .pool.query(`select last_event_at from plancast.subscriptions where channel_id = $1`, [channel.id]);
  return rows[0]?.last_event_at ?? null;
}

test('a member reads what is off because the workspace has not granted it, and where an admin grants it', async () => {
  const { slack, dana, workspace, bot } = stage;
  const { botScopes } = workspace;
  const channel = slack.addChannel({ name: 'few-scopes', members: [dana] });
  expect(textOf(await details(channel))).toContain('OK: This workspace has granted all permissions.');
  workspace.botScopes = botScopes.filter((scope) => scope !== 'users:read.email');
  const other = await stage.addBot();
  expect(textOf(await doctor(channel))).toContain(
    '*Note*: Off in this workspace for lack of permissions: matching people by email address.' +
      ' An admin can <https://api.slack.com/apps|install Plancast again> to grant them.',
  );
  workspace.botScopes = botScopes;
  await other.stop();
  slack.botRequestUrl = `${bot.publicUrl}/slack/events`;
});
