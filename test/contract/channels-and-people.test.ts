import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import type { Channel, NewChannel, User } from '../../sandbox/slack/directory.ts';
import type { Message } from '../../sandbox/slack/messages.ts';
import { type Stage, setStage } from '../support/stage.ts';
import { deliver, lookFromOutside, notificationFor, type Outside, until } from './outside.ts';

let stage: Stage;
let outside: Outside;
let dana: User;
let sam: User;
let tests = 0;
beforeAll(async () => {
  stage = await setStage({ name: 'channels and people', skipsPauses: true });
  outside = lookFromOutside(stage);
  sam = await outside.member({ account: 'sam@example.com', realName: 'Sam Okafor' });
});
beforeEach(async () => {
  // Commands are rate limited by person and minute.
  if (tests % 6 === 0) dana = await outside.member({ account: 'dana@example.com', realName: 'Dana Reyes' });
  tests += 1;
});
afterAll(async () => {
  await outside.close();
  await stage.close();
});

const project = '412-873-550';
const session = '731-450-286';
const textOf = (message: Message) => stage.slack.textOf(message);
const active = (channelId: string) =>
  outside.query(
    "select * from plancast.subscriptions where channel_id = $1 and state in ('pending', 'active')",
    [channelId],
  );
const atService = () => stage.service.subscriptions.all().length;

// The same resource twice.

test('a member who subscribes to the same resource again with other options changes the existing subscription, and sees what changed', async () => {
  const { channel, up } = await outside.following(`/subscribe project ${project} only create`, {
    owner: dana,
  });
  const before = atService();
  const message = await outside.announced(dana, `/subscribe project ${project} only delete digest hourly`, {
    channel,
    wanted: /changed/,
  });
  expect(textOf(message)).toMatch(/Dana Reyes changed.*412-873-550/s);
  expect(textOf(message)).toMatch(/removed|deleted/);
  expect(textOf(message)).toMatch(/was:.*added/s);
  expect(textOf(message)).toMatch(/hour/);
  expect(await active(channel.id)).toHaveLength(1);
  expect(atService()).toBe(before);
  expect(stage.service.subscriptions.byId(up.id)).toBeDefined();
});

test('options that are not given again keep their values', async () => {
  const { channel } = await outside.following(`/subscribe project ${project} only create in "Plans/**"`, {
    owner: dana,
  });
  await outside.announced(dana, `/subscribe project ${project} digest hourly`, {
    channel,
    wanted: /changed/,
  });
  const list = textOf(await outside.ask(dana, '/subscriptions', { channel }));
  expect(list).toContain('Plans/**');
  expect(list).toMatch(/hour/);
});

test.each([
  ['project', project],
  ['session', session],
])(
  '%s first with its contents, then "itself": the one subscription changes, and the change is announced',
  async (kind, id) => {
    const { channel, up } = await outside.following(`/subscribe ${kind} ${id}`, { owner: dana });
    await outside.announced(dana, `/subscribe ${kind} ${id} itself`, { channel, wanted: /changed/ });
    expect((await active(channel.id)).map(({ comprehensive }) => comprehensive)).toEqual([false]);
    await until(
      () => stage.service.subscriptions.byId(up.id) === undefined || undefined,
      () => 'the comprehensive remote subscription still exists',
    );
    expect(stage.service.subscriptions.all().at(-1)?.comprehensive).toBe(false);
  },
);

test('"itself" first, then with its contents: the one subscription changes, and no event is lost', async () => {
  const { channel } = await outside.following(`/subscribe project ${project} itself`, { owner: dana });
  await outside.announced(dana, `/subscribe project ${project}`, { channel, wanted: /changed/ });
  expect((await active(channel.id)).map(({ comprehensive }) => comprehensive)).toEqual([true]);
  const up = outside.newest();
  expect(stage.service.subscriptions.byId(up.id)?.comprehensive).toBe(true);
  expect((await deliver(up.uri, notificationFor(up))).status).toBe(200);
  await outside.rows(channel, ({ state }) => state === 'posted');
});

test('the same command again says privately how the subscription is set, with Edit', async () => {
  const { channel } = await outside.following(
    `/subscribe project ${project} only deleted in "Specifications" digest daily 8:00 weekdays threads`,
    { owner: dana },
  );
  const shown = stage.slack.messages(channel).length;
  const wanted = /^This channel already follows/;
  const answer = await outside.ask(dana, `/subscribe project ${project}`, { channel, wanted });
  expect(textOf(answer)).toMatch(
    /^This channel already follows project .*\nPosting deleted in `Specifications`, in a digest on weekdays at 8:00 .*thread/,
  );
  expect(textOf(answer)).not.toContain('these options');
  expect(stage.slack.messages(channel)).toHaveLength(shown);
  await stage.slack.click({ user: dana, message: answer, element: stage.slack.button(answer, 'Edit') });
  const form = await stage.slack.waitForView(dana, 'Edit subscription');
  expect(JSON.stringify(form.blocks)).toContain('Specifications');
});

const alreadyPosted = /already posts these changes/;

/** Subscribes the channel; returns what the person alone reads about a wider subscription. */
async function toldOfWider(line: string, channel: Channel): Promise<string> {
  const before = atService();
  const answer = await outside.ask(dana, line, { channel, wanted: alreadyPosted });
  expect(() => stage.slack.button(answer, 'Edit')).not.toThrow();
  expect(atService()).toBe(before + 1);
  return textOf(answer);
}

/** Unsubscribes the channel, and waits until the service has one subscription less: it is deleted there after it was announced here. */
async function unsubscribed(target: string, channel: Channel): Promise<void> {
  const before = atService();
  await outside.announced(dana, `/unsubscribe ${target}`, { channel, wanted: /removed/ });
  await expect.poll(atService).toBe(before - 1);
}

/** Subscribes the channel and removes the subscription again; nobody reads of a wider one. */
async function toldOfNone(target: string, options: string, channel: Channel): Promise<void> {
  const from = stage.slack.ephemerals(dana, channel).length;
  const before = atService();
  await outside.announced(dana, `/subscribe ${target} ${options}`, { channel, wanted: /to this channel/ });
  await unsubscribed(target, channel);
  const told = stage.slack.ephemerals(dana, channel).slice(from).map(textOf);
  expect(told.filter((text) => alreadyPosted.test(text))).toEqual([]);
  expect(atService()).toBe(before);
}

test('a part of what a wider subscription posts is subscribed at once, and the answer says that it is posted already', async () => {
  const { channel } = await outside.following(`/subscribe session ${session}`, { owner: dana });
  const { data } = stage.service;
  const document = data.document(data.session(session), 'Curtain wall.pdf').id;
  const told = await toldOfWider(`/subscribe document ${session} ${document}`, channel);
  expect(told).toMatch(new RegExp(`The subscription to session .*${session}.* as they happen`));
});

test('a folder that was renamed here, and is followed anew, is not said to be posted already by itself', async () => {
  const { data } = stage.service;
  const folder = `folder ${project} ${data.item(data.project(project), 'Details').id}`;
  const { channel } = await outside.following(`/subscribe ${folder}`, { owner: dana });
  const rename = (item: string, name: string) =>
    stage.service.act('dana@example.com', { action: 'rename-item', project, item, name });
  rename('Details', 'Details of doors');
  await stage.slack.waitForMessage(channel, 'Details of doors');
  rename('Details of doors', 'Details');
  await unsubscribed(folder, channel);
  await toldOfNone(folder, '', channel);
});

test('the same goes for a folder of a project followed with its contents, and not of one followed as "itself"', async () => {
  const { data } = stage.service;
  const folder = `folder ${project} ${data.item(data.project(project), 'Plans').id}`;
  const whole = await outside.following(`/subscribe project ${project}`, { owner: dana });
  await toldOfWider(`/subscribe ${folder}`, whole.channel);
  const plain = await outside.following(`/subscribe project ${project} itself`, { owner: dana });
  await toldOfNone(folder, '', plain.channel);
});

test('a wider subscription whose filters leave out what the new one asks for does not post the same', async () => {
  const { data } = stage.service;
  const folder = `folder ${project} ${data.item(data.project(project), 'Plans').id}`;
  const { channel } = await outside.following(
    `/subscribe project ${project} only deleted in "Specifications/**" not by max@example.com`,
    { owner: dana },
  );
  await toldOfNone(folder, '', channel);
  await toldOfNone(folder, 'only added,deleted in "Specifications/**" not by max@example.com', channel);
  // The same, or less.
  const less = 'only deleted in "Specifications/**" not by max@example.com, sam@example.com';
  await toldOfWider(`/subscribe ${folder} ${less}`, channel);
});

test('the same goes for a file that was last seen in a folder followed with its contents', async () => {
  const { slack, service } = stage;
  const { data } = service;
  const plans = data.item(data.project(project), 'Plans').id;
  const { channel } = await outside.following(`/subscribe folder ${project} ${plans}`, { owner: dana });
  service.act('dana@example.com', { action: 'create-file', project, parent: 'Plans', name: 'Seen.pdf' });
  await slack.waitForMessage(channel, 'Seen.pdf');
  // What was seen is stored with the mark that the message was posted.
  const states = () => outside.query('select state from plancast.events where channel_id = $1', [channel.id]);
  await expect.poll(states).toEqual([{ state: 'posted' }]);
  const file = data.item(data.project(project), 'Plans/Seen.pdf').id;
  expect(await toldOfWider(`/subscribe file ${project} ${file}`, channel)).toMatch(/folder .*Plans/);
  await unsubscribed(`file ${project} ${file}`, channel);

  service.act('dana@example.com', { action: 'move-item', project, item: 'Plans/Seen.pdf', to: 'Details' });
  await slack.waitForMessage(channel, /moved.*Seen\.pdf/s);
  await expect.poll(states).toEqual([{ state: 'posted' }, { state: 'posted' }]);
  await toldOfNone(`file ${project} ${file}`, '', channel);
});

test('an event that several subscriptions match is posted once, and the other row says covered', async () => {
  const { channel } = await outside.following(`/subscribe session ${session}`, { owner: dana });
  const { data } = stage.service;
  const document = data.newDocument(data.session(session), { name: 'Twice.pdf' });
  await toldOfWider(`/subscribe document ${session} ${document.id}`, channel);
  stage.service.act('sam@example.com', { action: 'delete-document', session, document: document.id });
  await stage.service.settled();
  const rows = await outside.rows(channel, ({ state }) => state === 'posted' || state === 'filtered', 2);
  expect(new Set(rows.map(({ state, reason }) => `${state} ${reason}`))).toEqual(
    new Set(['filtered covered', 'posted null']),
  );
  expect(rows).toHaveLength(2);
  expect(
    stage.slack.messages(channel).filter((message) => textOf(message).includes('Twice.pdf')),
  ).toHaveLength(1);
});

test('a wider subscription posts in a digest, and the answer says so; while it is paused, it posts nothing, and nothing is said', async () => {
  const { slack } = stage;
  const { channel } = await outside.following(`/subscribe project ${project} digest daily 8:00`, {
    owner: dana,
  });
  const { data } = stage.service;
  const folder = `folder ${project} ${data.item(data.project(project), 'Plans').id}`;
  expect(await toldOfWider(`/subscribe ${folder}`, channel)).toContain('in a daily digest at 8:00');
  await outside.announced(dana, `/unsubscribe ${folder}`, { channel, wanted: /removed/ });
  const list = await outside.ask(dana, '/subscriptions', { channel });
  await slack.click({ user: dana, message: list, element: slack.button(list, 'Pause') });
  await slack.waitForMessage(channel, 'paused the subscription');
  await toldOfNone(folder, '', channel);
});

// Who may do what.

test("any full member in the channel, linked or not, can remove another person's subscription, and is named", async () => {
  const { channel } = await outside.following(`/subscribe project ${project}`, { owner: dana });
  const nobody = await outside.member({ realName: 'Nora Notlinked', email: 'nora@elsewhere.example' });
  channel.members.add(nobody.id);
  await outside.announced(nobody, `/unsubscribe project ${project}`, {
    channel,
    wanted: /Nora Notlinked removed/,
  });
  expect(await active(channel.id)).toEqual([]);
});

test("any full member in the channel, linked or not, can change another person's subscription, and is named", async () => {
  const { channel } = await outside.following(`/subscribe project ${project}`, { owner: dana });
  const nobody = await outside.member({ realName: 'Nora Notlinked', email: 'nora@elsewhere.example' });
  channel.members.add(nobody.id);
  await outside.announced(nobody, `/subscribe project ${project} only create`, {
    channel,
    wanted: /Nora Notlinked changed/,
  });
  expect(await active(channel.id)).toHaveLength(1);
});

test('a full member who is not in the channel cannot change or remove its subscriptions', async () => {
  const { channel } = await outside.following(`/subscribe project ${project}`, { owner: dana });
  const outsider = await outside.member({ realName: 'Otto Outside', email: 'otto@elsewhere.example' });
  const shown = stage.slack.messages(channel).length;
  await outside.ask(outsider, `/unsubscribe project ${project}`, { channel });
  expect(await active(channel.id)).toHaveLength(1);
  expect(stage.slack.messages(channel)).toHaveLength(shown);
});

test.each([
  'help',
  'link',
  'status',
  'subscriptions',
  'subscribe project 412-873-550',
  'mute 2h',
  'unsubscribe all',
  'subscrybe',
])('a guest cannot do anything: /plancast %s', async (verb) => {
  const { guest } = stage;
  const channel = outside.channel();
  const answer = await outside.ask(guest, `/plancast ${verb}`, { channel });
  expect(textOf(answer)).toMatch(/guest/i);
  expect(textOf(answer)).not.toContain('/link/');
  expect(stage.slack.messages(channel)).toEqual([]);
});

test.each(['help', 'link', 'subscriptions', 'subscribe project 412-873-550', 'subscrybe'])(
  'a person of another organization cannot do anything: /plancast %s',
  async (verb) => {
    const stranger = stage.slack.addUser({ isStranger: true });
    const channel = outside.channel({ isExtShared: true });
    const answer = await outside.ask(stranger, `/plancast ${verb}`, { channel });
    expect(textOf(answer)).not.toMatch(/\/plancast|Enter code|follows/);
    expect(stage.slack.messages(channel)).toEqual([]);
  },
);

test.each([
  { how: 'says nothing about a person', answered: { body: { text: '{"ok":true}' } } },
  { how: 'fails to look a person up', answered: { error: 'internal_error' } },
])(
  'while Slack $how, they read that and cannot do anything; afterward their role decides',
  async ({ answered }) => {
    const { slack, teamId } = stage;
    const newcomer = slack.addUser({ teamId, name: 'Gus Guest', isRestricted: true });
    const channel = outside.channel();
    channel.members.add(newcomer.id);
    const fault = slack.fault({
      method: 'users.info',
      ...answered,
      times: Number.POSITIVE_INFINITY,
    });
    const first = await outside.ask(newcomer, '/plancast link', { channel });
    fault.clear();
    expect(fault.hits()).toBeGreaterThan(0);
    expect(textOf(first)).toContain('I couldn’t check with Slack who you are. Try again in a minute.');
    expect(textOf(first)).not.toContain('/link/');
    const second = await outside.ask(newcomer, '/plancast link', { channel });
    expect(textOf(second)).toMatch(/guest/i);
  },
);

test('a guest, a stranger or a person outside the channel who presses Remove removes nothing', async () => {
  const { channel } = await outside.following(`/subscribe project ${project}`, { owner: dana });
  const list = await outside.ask(dana, '/unsubscribe', { channel });
  const stranger = stage.slack.addUser({ isStranger: true });
  const outsider = await outside.member({ realName: 'Olga Outside', email: 'olga@elsewhere.example' });
  channel.members.add(stranger.id);
  channel.members.delete(outsider.id);
  for (const [user, refusal] of [
    [stage.guest, /Guests can’t/],
    [stranger, /another organization/],
    [outsider, /Only people in the channel/],
  ] as const) {
    await outside.press(user, list, 'Remove', refusal);
    expect(await active(channel.id)).toHaveLength(1);
  }
});

test("a forged button with another channel's subscription in it removes nothing", async () => {
  const target = await outside.following(`/subscribe project ${project}`, { owner: dana });
  const own = await outside.following(`/subscribe project ${project}`, { owner: dana });
  const [victim] = await active(target.channel.id);
  const mallory = await outside.member({ realName: 'Mallory', email: 'mallory@elsewhere.example' });
  target.channel.members.delete(mallory.id);
  own.channel.members.add(mallory.id);
  const list = await outside.ask(mallory, '/unsubscribe', { channel: own.channel });
  await stage.slack.click({
    user: mallory,
    message: list,
    actionId: 'remove',
    value: JSON.stringify({ act: 'remove', id: victim?.id }),
  });
  await stage.slack.waitForEphemeral(mallory, 'That no longer exists');
  expect(await active(target.channel.id)).toHaveLength(1);
});

// Where.

test.each<[string, NewChannel, RegExp]>([
  ['the bot is not in a private channel', { kind: 'private', botIn: false }, /invite/i],
  ['the channel is archived', { isArchived: true }, /archived/i],
  ['only some people can post in the channel', { isReadOnly: true }, /post/i],
  ['the channel only accepts threads', { isThreadOnly: true }, /post|thread/i],
])('%s: the person gets a private answer at once, and nothing is created', async (_what, more, words) => {
  const channel = outside.channel(more);
  const before = atService();
  const answer = await outside.ask(dana, `/subscribe project ${project}`, { channel });
  expect(textOf(answer)).toMatch(words);
  expect(atService()).toBe(before);
  expect(await active(channel.id)).toEqual([]);
  expect(stage.slack.messages(channel)).toEqual([]);
});

test('if Slack does not describe the channel, the person is asked to try again, not to invite the bot', async () => {
  const channel = outside.channel();
  const before = atService();
  stage.slack.fault({ method: 'conversations.info', channel: channel.id, body: { text: '{"ok":true}' } });
  const answer = await outside.ask(dana, `/subscribe project ${project}`, { channel });
  expect(textOf(answer)).toMatch(/couldn’t check with Slack.*Try again/);
  expect(atService()).toBe(before);
});

test('in a public channel without the bot, it works if the workspace lets the bot post there', async () => {
  const channel = outside.channel({ botIn: false });
  await outside.announced(dana, `/subscribe project ${project}`, { channel, wanted: /to this channel/ });
});

test('once the bot is invited, the command that was refused is carried out', async () => {
  const channel = outside.channel({ kind: 'private', botIn: false });
  await outside.ask(dana, `/subscribe project ${project}`, { channel });
  await stage.slack.inviteBot(channel, dana);
  await stage.slack.waitForMessage(channel, 'to this channel');
  expect(await active(channel.id)).toHaveLength(1);
});

test('a resource that the account cannot see is refused privately, and nothing is announced', async () => {
  const channel = outside.channel();
  const answer = await outside.ask(sam, '/subscribe project 538-204-917', { channel });
  expect(textOf(answer)).toMatch(/isn’t allowed/);
  expect(stage.slack.messages(channel)).toEqual([]);
  expect(await active(channel.id)).toEqual([]);
});

test('Slack objected to nothing the bot did', () => {
  expect(stage.slack.violations.filter(({ kind }) => kind !== 'rate')).toEqual([]);
});
