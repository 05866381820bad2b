import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import type { Channel, User } from '../../sandbox/slack/directory.ts';
import type { Message } from '../../sandbox/slack/messages.ts';
import { settingsReads } from '../support/settings-reads.ts';
import { type Stage, setStage } from '../support/stage.ts';

const project = '412-873-550';
let stage: Stage;
let ada: User;
let bo: User;
let channel: Channel;
let channels = 0;
beforeAll(async () => {
  stage = await setStage({ name: 'who may', skipsPauses: true });
  const { slack, teamId, plans } = stage;
  ada = slack.addUser({ teamId, name: 'Ada Admin', email: 'lee@example.com', isAdmin: true });
  bo = slack.addUser({ teamId, name: 'Bo Boss', isAdmin: true });
  for (const admin of [ada, bo]) plans.members.add(admin.id);
  await stage.link(stage.dana, 'dana@example.com');
  await stage.link(stage.sam, 'sam@example.com');
});
beforeEach(() => {
  const { slack, dana, sam, ravi } = stage;
  channels += 1;
  channel = slack.addChannel({ name: `may-${channels}`, members: [dana, sam, ravi, ada] });
});
afterAll(() => stage.close());

const textOf = (message: Message) => stage.slack.textOf(message);

/** Types a command and returns the person's next private answer in the channel. */
async function ask(user: User, line: string, wanted: RegExp): Promise<Message> {
  const { slack } = stage;
  const from = slack.ephemerals(user, channel).length;
  await stage.type(user, line, channel);
  const find = () =>
    slack
      .ephemerals(user, channel)
      .slice(from)
      .find((message) => wanted.test(textOf(message)));
  await expect.poll(find).toBeDefined();
  const found = find();
  if (!found) throw new Error('no answer');
  return found;
}

const press = (user: User, message: Message, label: string) =>
  stage.slack.click({ user, message, element: stage.slack.button(message, label) });

/** Clicks a button that does not exist, as a forged request would. */
function forge(user: User, message: Message, { actionId, value }: { actionId: string; value: string }) {
  const element = { type: 'button', action_id: actionId, text: { type: 'plain_text', text: 'x' }, value };
  return stage.slack.click({ user, message, element: { blockId: 'b', actionId, element, input: undefined } });
}

/** Opens the form as an admin, fills it in and sends it. */
async function set(values: {
  who: 'everyone' | 'admins' | 'people';
  people?: readonly User[];
  projects?: string;
}) {
  const { slack } = stage;
  await stage.type(ada, '/plancast settings');
  const view = await slack.waitForView(ada, 'Settings');
  return slack.submitView({
    user: ada,
    viewId: view.id,
    values: {
      settings_who: values.who,
      settings_people: (values.people ?? []).map(({ id }) => id),
      settings_projects: values.projects ?? null,
    },
  });
}

async function lastDirect(user: User, wanted: RegExp, since: number): Promise<Message> {
  const { slack } = stage;
  const find = () =>
    slack
      .directMessages(user)
      .slice(since)
      .find((message) => wanted.test(textOf(message)));
  await expect.poll(find).toBeDefined();
  const found = find();
  if (!found) throw new Error('no direct message');
  return found;
}

const direct = (user: User) => stage.slack.directMessages(user).length;

test('a new workspace lets all full members in the channel subscribe it', async () => {
  await stage.type(stage.dana, `/subscribe project ${project}`, channel);
  await stage.slack.waitForMessage(channel, 'Dana Reyes added');
});

test('subscribing reads the settings of the workspace once', async () => {
  const reads = settingsReads();
  await stage.type(stage.dana, `/subscribe project ${project}`, channel);
  await stage.slack.waitForMessage(channel, 'Dana Reyes added');
  expect(reads()).toBe(1);
});

test('if Slack was too slow for the form, an admin gets the settings as text, with a button for the form', async () => {
  const { slack } = stage;
  slack.fault({ method: 'views.open', error: 'expired_trigger_id' });
  const words = await ask(ada, '/plancast settings', /Who can change what I post/);
  await press(ada, words, 'Change');
  const view = await slack.waitForView(ada, 'Settings');
  await slack.closeView({ user: ada, viewId: view });
});

test('a person who is not an admin gets the settings as text, and no form', async () => {
  const { slack, ravi } = stage;
  const answer = await ask(ravi, '/plancast settings', /Who can change what I post/);
  expect(textOf(answer)).toMatch(/all full members, in channels they’re in/);
  expect(textOf(answer)).toMatch(/Allowed projects.*: all/);
  expect(slack.lastView(ravi)).toBeUndefined();
  expect(() => slack.button(answer, 'Change')).toThrow();
});

test('an admin lets only admins subscribe: others read whom to ask, for every way to change something', async () => {
  const { slack, dana } = stage;
  await stage.type(dana, `/subscribe project ${project}`, channel);
  await slack.waitForMessage(channel, 'to this channel');
  expect((await set({ who: 'admins' })).outcome).toBe('closed');
  await slack.waitForEphemeral(ada, 'Saved');
  for (const line of [
    '/subscribe project 538-204-917',
    `/unsubscribe project ${project}`,
    '/unsubscribe all',
    '/plancast mute 2h',
    '/plancast unmute',
  ]) {
    const answer = textOf(await ask(dana, line, /Only admins/));
    expect(answer).toMatch(/An admin of this workspace can do it or allow it/);
  }
  const list = await ask(dana, '/subscriptions', /This channel has /);
  await press(dana, list, 'Remove');
  await slack.waitForEphemeral(dana, 'Only admins');
  expect(slack.messages(channel)).toHaveLength(1);
  await stage.type(ada, `/unsubscribe project ${project}`, channel);
  await slack.waitForMessage(channel, 'Ada Admin removed');
});

test('Ask an admin: all admins are asked privately, Allow does it in the name of the person who asked, and only once', async () => {
  const { slack, dana, sam } = stage;
  const [beforeAda, beforeBo, beforeDana] = [direct(ada), direct(bo), direct(dana)];
  const refusal = await ask(
    dana,
    `/subscribe project ${project} only added by me <@${sam.id}>`,
    /Only admins/,
  );
  await press(dana, refusal, 'Ask an admin');
  await expect.poll(() => textOf(refusal)).toContain('I asked 2 admins');
  const question = await lastDirect(ada, /wants to do this/, beforeAda);
  expect(textOf(question)).toMatch(new RegExp(`Dana Reyes wants to do this in <#${channel.id}>`));
  expect(textOf(question)).toContain(`/subscribe project ${project} only added by @Dana Reyes @Sam Okafor\``);
  const other = await lastDirect(bo, /wants to do this/, beforeBo);
  expect(slack.messages(channel)).toHaveLength(0);

  await Promise.all([press(ada, question, 'Allow'), press(ada, question, 'Allow')]);
  const made = await slack.waitForMessage(channel, 'to this channel');
  expect(textOf(made)).toContain('Dana Reyes added');
  await lastDirect(dana, /Ada Admin allowed this.*only added by me @Sam Okafor`/s, beforeDana);
  await expect.poll(() => textOf(question)).toMatch(/You allowed Dana Reyes’s request/);

  await press(bo, other, 'Decline');
  await expect.poll(() => textOf(other)).toMatch(/Ada Admin already allowed/);
  expect(slack.messages(channel)).toHaveLength(1);
  expect(stage.service.subscriptions.ofUser('dana@example.com').length).toBeGreaterThan(0);
});

test('Decline: nothing is done, and the person who asked is notified', async () => {
  const { slack, sam } = stage;
  const [beforeAda, beforeSam] = [direct(ada), direct(sam)];
  const refusal = await ask(sam, '/plancast mute 2h', /Only admins/);
  await press(sam, refusal, 'Ask an admin');
  const question = await lastDirect(ada, /mute 2h/, beforeAda);
  await press(ada, question, 'Decline');
  await lastDirect(sam, /Ada Admin declined this.*mute 2h/s, beforeSam);
  expect(slack.messages(channel)).toHaveLength(0);
});

test('an allowed request is not carried out if the person has left the channel meanwhile, and they read why', async () => {
  const { slack, sam } = stage;
  const [beforeAda, beforeSam] = [direct(ada), direct(sam)];
  const refusal = await ask(sam, `/subscribe project ${project} only create`, /Only admins/);
  await press(sam, refusal, 'Ask an admin');
  const question = await lastDirect(ada, /Sam Okafor wants/, beforeAda);
  channel.members.delete(sam.id);
  await slack.event({
    type: 'member_left_channel',
    channel: channel.id,
    user: sam.id,
    team: stage.teamId,
  });

  await press(ada, question, 'Allow');
  await lastDirect(sam, /Only people in the channel can do that/, beforeSam);
  expect(slack.messages(channel)).toEqual([]);
});

test('an allowed request of a person who is not linked is carried out once they have linked', async () => {
  const { slack, teamId, plans } = stage;
  const noa = slack.addUser({ teamId, name: 'Noa Berg', email: 'lee@example.com' });
  for (const each of [channel, plans]) each.members.add(noa.id);
  const [beforeAda, beforeNoa] = [direct(ada), direct(noa)];
  const refusal = await ask(noa, `/subscribe project ${project}`, /Only admins/);
  await press(noa, refusal, 'Ask an admin');
  await press(ada, await lastDirect(ada, /Noa Berg wants/, beforeAda), 'Allow');
  const offer = await lastDirect(noa, /Enter code/, beforeNoa);
  await stage.linkInBrowser(String(slack.button(offer, 'Link').element.url), 'lee@example.com');
  await slack.waitForMessage(channel, 'Noa Berg added');
});

test('the admins are asked the same thing once, however often it is pressed and typed', async () => {
  const { dana } = stage;
  const before = direct(ada);
  const first = await ask(dana, '/subscribe project 660-118-342', /Only admins/);
  await press(dana, first, 'Ask an admin');
  await lastDirect(ada, /660-118-342/, before);
  const second = await ask(dana, '/subscribe project 660-118-342', /Only admins/);
  await press(dana, second, 'Ask an admin');
  await expect.poll(() => textOf(second)).toContain('already asked the admins');
  expect(direct(ada)).toBe(before + 1);
});

test('S102: I type a long command that is refused, several times at once: it is stored once I ask for it, and then once', async () => {
  const { slack, teamId } = stage;
  const { pool } = stage.database.connect();
  const eve = slack.addUser({ teamId, name: 'Eve' });
  channel.members.add(eve.id);
  const stored = async () =>
    (await pool.query('select id from plancast.requests where created_by = $1', [eve.id])).rows.length;
  const paths = Array.from({ length: 20 }, (_, index) => `"${index}${'x'.repeat(150)}"`).join(' ');
  const lines = Array.from({ length: 3 }, () => `/subscribe project ${project} in ${paths}`);
  await Promise.all(lines.map((line) => stage.type(eve, line, channel)));
  await expect.poll(() => slack.ephemerals(eve, channel).length).toBe(3);
  expect(await stored()).toBe(0);
  const before = direct(ada);
  const refused = slack.ephemerals(eve, channel);
  await Promise.all(refused.map((message) => press(eve, message, 'Ask an admin')));
  await expect
    .poll(() => refused.map(textOf).toSorted())
    .toEqual([
      expect.stringContaining('I asked 2 admins'),
      ...[1, 2].map(() => expect.stringContaining('already asked the admins')),
    ]);
  expect(await stored()).toBe(1);
  expect(direct(ada)).toBe(before + 1);
});

test("a person who is not an admin cannot allow anything with a forged click, or ask in another person's name", async () => {
  const { slack, dana, sam, ravi } = stage;
  const before = direct(ada);
  const refusal = await ask(dana, '/subscribe session 731-450-286', /Only admins/);
  await press(sam, refusal, 'Ask an admin');
  const question = await lastDirect(ada, /731-450-286/, before);
  expect(textOf(question)).toContain('Sam Okafor wants to do this');
  const { id } = JSON.parse(String(slack.button(question, 'Allow').element.value));
  const beforeRavi = slack.ephemerals(ravi).length;
  for (const [actionId, sent] of [
    ['request_allow', id],
    ['request_allow', "' or 1=1"],
    ['ask_admin', id],
    ['ask_admin', 'no id'],
  ] as const) {
    await forge(ravi, refusal, { actionId, value: sent });
  }
  await expect.poll(() => slack.ephemerals(ravi).length).toBe(beforeRavi + 4);
  const replies = slack.ephemerals(ravi).slice(beforeRavi).map(textOf).join('\n');
  expect(replies).toContain('Only admins of this workspace can do that');
  expect(replies).toContain('This button is out of date');
  expect(await state(id)).toBe('asked');
  expect(slack.messages(channel)).toHaveLength(0);
});

test('a list of people: those can subscribe, others cannot; an empty list is an error in the form', async () => {
  const { slack, dana } = stage;
  const nobody = await set({ who: 'people' });
  expect(nobody.errors).toEqual({ settings_people: 'Choose at least one person.' });
  expect((await set({ who: 'people', people: [dana] })).outcome).toBe('closed');
  const words = textOf(await ask(stage.sam, '/plancast settings', /Who can change/));
  expect(words).toMatch(/workspace admins and .*Dana Reyes/);
  await stage.type(dana, `/subscribe project ${project}`, channel);
  await slack.waitForMessage(channel, 'Dana Reyes added');
  await ask(stage.sam, `/unsubscribe project ${project}`, /Only certain people/);
});

test('allowed projects: all others are refused, even for an admin; an invalid id is named in the form', async () => {
  const { slack, dana } = stage;
  const odd = await set({ who: 'everyone', projects: '412873550\nnonsense' });
  expect(odd.errors.settings_projects).toContain('nonsense');
  const many = Array.from({ length: 201 }, (_, index) => `100000${100 + index}`).join(',');
  expect((await set({ who: 'everyone', projects: many })).errors.settings_projects).toContain('200');
  expect((await set({ who: 'everyone', projects: '412 873 550' })).outcome).toBe('closed');
  await ask(dana, '/subscribe project 538-204-917', /538-204-917 isn’t on the list of projects/);
  await ask(dana, '/subscribe folder 538-204-917 F1', /isn’t on the list of projects/);
  const own = await ask(ada, '/subscribe project 538-204-917', /isn’t on the list of projects/);
  expect(textOf(own)).toContain('Change settings');
  await stage.type(dana, `/subscribe project ${project}`, channel);
  await slack.waitForMessage(channel, 'Dana Reyes added');
  await press(
    dana,
    await ask(dana, '/subscribe project 538-204-917 to me', /isn’t on the list/),
    'Ask an admin',
  );
  const request = await slack.waitForDirectMessage(ada, 'wants to do this in their direct message with me');
  expect(textOf(request)).toContain('/subscribe project 538-204-917 to me');
  expect(textOf(request)).not.toContain('other organizations');
  expect((await set({ who: 'everyone' })).outcome).toBe('closed');
});

test('settings that this release cannot read restrict everyone but admins, who can set them again', async () => {
  const { database, teamId, dana } = stage;
  const { pool } = database.connect();
  const unreadable = {
    subscribers: 1,
    projects: { all: true },
    signs: 'x',
    delivery: 2,
    sharing: [],
    detailsDays: '',
  };
  await pool.query(
    `insert into plancast.settings (team_id, value) values ($1, $2)
     on conflict (team_id) do update set value = excluded.value`,
    [teamId, JSON.stringify(unreadable)],
  );
  await ask(dana, `/subscribe project ${project}`, /Only admins/);
  await ask(ada, `/subscribe project ${project}`, /isn’t on the list of projects/);
  expect((await set({ who: 'everyone' })).outcome).toBe('closed');
  await stage.type(dana, `/subscribe project ${project}`, channel);
  await stage.slack.waitForMessage(channel, 'Dana Reyes added');
});

test('a forged click neither removes nor replaces a message that everyone in the channel sees', async () => {
  const { slack, teamId, dana, ravi, plans, guest } = stage;
  await stage.type(dana, `/subscribe project ${project}`, channel);
  const posted = await slack.waitForMessage(channel, 'Dana Reyes added');
  const before = textOf(posted);
  const noa = slack.addUser({ teamId, name: 'Noa Newest', email: 'lee@example.com' });
  for (const each of [channel, plans]) each.members.add(noa.id);
  await forge(noa, posted, { actionId: 'link_open', value: '' });
  await stage.link(noa, 'lee@example.com');
  await forge(guest, posted, { actionId: 'dismiss', value: '' });
  const asked = slack.ephemerals(ravi).length;
  for (const [actionId, value] of [
    ['run_correction', 'nothing'],
    ['subscribe_shared', 'nothing'],
    ['list_page_next', 'subscriptions:0'],
    ['why_page_next', '0'],
    ['doctor_details', ''],
    ['link_replace_cancel', ''],
  ] as const) {
    await forge(ravi, posted, { actionId, value });
  }
  await expect.poll(() => slack.ephemerals(ravi).length).toBe(asked + 6);
  await expect.poll(() => slack.messages(channel).map(textOf)).toEqual([before]);
});

test('a member who is made a guest can do nothing a few seconds later, by command, button, link page or Home', async () => {
  const { slack, teamId } = stage;
  const gil = slack.addUser({ teamId, name: 'Gil Going' });
  channel.members.add(gil.id);
  const nothing = await ask(gil, '/plancast why', /has no subscriptions/);
  await stage.type(gil, '/plancast link', channel);
  const offer = await slack.waitForEphemeral(gil, 'Link');
  await slack.openHome(gil);
  const { updates } = await slack.waitForHome(gil, () => true);
  gil.isRestricted = true;
  await expireAnswersOf(5_000);

  const refused = 'Guests can’t do that';
  await ask(gil, `/subscribe project ${project}`, new RegExp(refused));
  const before = slack.ephemerals(gil, channel).length;
  await forge(gil, nothing, { actionId: 'why_page_next', value: '0' });
  await expect.poll(() => slack.ephemerals(gil, channel).length).toBe(before + 1);
  expect(slack.ephemerals(gil, channel).slice(before).map(textOf).join()).toContain(refused);
  const page = await fetch(String(slack.button(offer, 'Link').element.url));
  expect(await page.text()).toContain('a full member of the Slack workspace.');
  await slack.openHome(gil);
  const home = await slack.waitForHome(gil, (view) => view.updates > updates);
  expect(JSON.stringify(home)).toContain('Only full members of the workspace');
});

test('if Slack does not say who a person is, they can go on as before', async () => {
  const { slack, teamId } = stage;
  const joy = slack.addUser({ teamId, name: 'Joy Joined' });
  channel.members.add(joy.id);
  await ask(joy, '/plancast why', /has no subscriptions/);
  await expireAnswersOf(5_000);
  slack.fault({ method: 'users.info', error: 'internal_error' });
  await ask(joy, '/plancast status', /not linked/i);
  slack.fault({ method: 'users.info', hang: true });
  await ask(joy, '/plancast help', /./);
});

test('a person whom Slack no longer knows can do nothing, although the bot has just known them', async () => {
  const { slack, teamId } = stage;
  const noa = slack.addUser({ teamId, name: 'Noa Nowhere' });
  channel.members.add(noa.id);
  await ask(noa, '/plancast why', /has no subscriptions/);
  await expireAnswersOf(5_000);
  const gone = slack.fault({
    method: 'users.info',
    error: 'user_not_found',
    times: Number.POSITIVE_INFINITY,
  });
  await ask(noa, '/plancast status', /couldn’t check with Slack who you are/);
  gone.clear();
});

test('Slack objected to nothing the bot showed', () => {
  expect(stage.slack.violations.filter(({ kind }) => kind !== 'rate')).toEqual([]);
});

async function state(id: string): Promise<string> {
  const { rows } = await stage.database
    .connect()
    .pool.query(`select state from plancast.requests where id = $1`, [id]);
  return rows[0]?.state;
}

/** Expires the answers of Slack that the bot keeps for no longer than this many milliseconds. They are in the database. */
async function expireAnswersOf(milliseconds: number): Promise<void> {
  await stage.database.connect().pool.query(
    `update plancast.keyv set value = jsonb_set(value::jsonb, '{expires}',
       to_jsonb((value::jsonb ->> 'expires')::numeric - $1::numeric))::text where value::jsonb ? 'expires'`,
    [milliseconds],
  );
}
