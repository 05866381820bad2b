import { afterAll, beforeAll, expect, test } from 'vitest';
import type { User } from '../../sandbox/slack/directory.ts';
import type { Message } from '../../sandbox/slack/messages.ts';
import { type Stage, setStage } from '../support/stage.ts';
import { makeStageActions } from '../support/stage-actions.ts';

const project = '412-873-550';
let stage: Stage;
let lee: User;
beforeAll(async () => {
  stage = await setStage({ name: 'names', skipsPauses: true });
  lee = stage.slack.addUser({ teamId: stage.teamId, realName: 'Lee Park', email: 'lee@example.com' });
  stage.plans.members.add(lee.id);
  await stage.link(lee, 'lee@example.com');
  await stage.link(stage.dana, 'dana@example.com');
  await stage.link(stage.sam, 'sam@example.com');
});
afterAll(() => stage.close());

const { newChannel, following, listOf, openForm, press, query } = makeStageActions(() => stage);

const act = (...given: Parameters<Stage['service']['act']>) => stage.service.act(...given);
const asDana = (action: Parameters<Stage['service']['act']>[1]) => act('dana@example.com', action);
const idOf = (path: string) => stage.service.data.item(stage.service.data.project(project), path).id;
const textOf = (message: Message) => stage.slack.textOf(message);

test('a project that a public channel follows is called by the name it learned in every channel', async () => {
  const { slack, dana, sam } = stage;
  const first = newChannel('first', [dana]);
  await following(dana, first, `/subscribe project ${project}`);
  asDana({ action: 'rename-project', project, name: 'Harbour Tower' });
  await slack.waitForMessage(first, 'Harbour Tower');

  const second = newChannel('second', [sam]);
  expect(textOf(await following(sam, second, `/subscribe project ${project}`))).toContain('*Harbour Tower*');
  const third = newChannel('third', [sam]);
  const folder = await following(sam, third, `/subscribe folder ${project} ${idOf('Plans')}`);
  expect(textOf(folder)).toContain('in *Harbour Tower*');

  const fourth = newChannel('fourth', [lee]);
  const item = idOf('Plans/Level 1/A-101 Floor plan.pdf');
  const file = await following(lee, fourth, `/subscribe file ${project} ${item}`);
  expect(textOf(file)).toContain('in *Harbour Tower*');
});

test('what Sam takes over after its owner unlinked is announced by its name', async () => {
  const { slack, sam } = stage;
  const ona = slack.addUser({ teamId: stage.teamId, realName: 'Ona Owner', email: 'lee@example.com' });
  stage.plans.members.add(ona.id);
  await stage.link(ona, 'lee@example.com');
  const channel = newChannel('taken over', [ona, sam]);
  const id = '555-111-222';
  asDana({ action: 'create-project', name: 'Pier at first', id });
  for (const email of ['lee@example.com', 'sam@example.com'])
    asDana({ action: 'set-permission', project: id, email, permission: 'read' });
  await following(ona, channel, `/subscribe project ${id}`);
  asDana({ action: 'rename-project', project: id, name: 'Pier' });
  await slack.waitForMessage(channel, 'Pier');
  // A new subscription has not been sent the name itself.
  await stage.type(ona, `/unsubscribe project ${id}`, channel);
  await slack.waitForMessage(channel, 'removed the subscription');
  await following(ona, channel, `/subscribe project ${id}`);
  // The first message answers for both.
  const active = `select 1 from plancast.subscriptions where channel_id = $1 and state = 'active'`;
  await expect.poll(() => query(active, [channel.id])).toHaveLength(1);
  await stage.type(ona, '/plancast unlink', channel);
  await press(ona, await slack.waitForEphemeral(ona, 'Unlink your account'), 'Unlink');
  const paused = await slack.waitForMessage(channel, 'unlinked their account');
  // Until then, the service still says so.
  const standing = `select 1 from plancast.remotes r join plancast.subscriptions s on s.id = r.subscription_id
    where s.channel_id = $1 and r.deleted_at is null`;
  await expect.poll(() => query(standing, [channel.id])).toEqual([]);
  await press(sam, paused, 'Take over');
  const taken = await slack.waitForMessage(channel, 'took over');
  expect(textOf(taken)).toContain('took over the subscription to *Pier* from');
});

test('a line of an import may name a project, and the check says it by name', async () => {
  const { slack, sam } = stage;
  const channel = newChannel('imported', [sam]);
  await stage.type(sam, '/plancast import', channel);
  const form = await slack.waitForView(sam, 'Paste a block from /plancast export');
  const text = `${channel.id}\n/subscribe Harbour Tower only added\n/subscribe project 412-873-551 Harbour Tower`;
  await slack.submitView({ user: sam, viewId: form, values: { import_text: text } });
  const checked = await slack.waitForView(sam, /Line 2: adds \*Harbour Tower\*/);
  expect(JSON.stringify(checked.blocks)).toContain('Line 3: `Harbour Tower` doesn’t belong there');
});

/** Adds a project that only Dana can see at first, followed in a channel that has learned its name. */
async function named(id: string, name: string, channel: ReturnType<typeof newChannel>): Promise<void> {
  asDana({ action: 'create-project', name: `${name} at first`, id });
  await following(stage.dana, channel, `/subscribe project ${id}`);
  asDana({ action: 'rename-project', project: id, name });
  await stage.slack.waitForMessage(channel, name);
  stage.advance(5 * 60_000 + 1_000);
}

const privately = (...members: User[]) => stage.slack.addChannel({ kind: 'private', members });

test('the name of a project that only a private channel follows is no other channel’s, until the service lets its owner follow it', async () => {
  const { dana, slack } = stage;
  const id = '555-111-000';
  await named(id, 'Old Boathouse', privately(dana));
  asDana({ action: 'set-permission', project: id, email: 'lee@example.com', permission: 'read' });
  asDana({ action: 'create-file', project: id, name: 'Oar.pdf' });
  const oar = stage.service.data.item(stage.service.data.project(id), 'Oar.pdf').id;
  const other = newChannel('other', [lee]);
  const file = textOf(await following(lee, other, `/subscribe file ${id} ${oar}`));
  expect(file).toContain(`in project ${id}`);
  expect(file).not.toContain('Boathouse');
  expect(textOf(await following(lee, privately(lee), `/subscribe project ${id}`))).toContain('Old Boathouse');
  expect(textOf(await listOf(lee, other))).not.toContain('Boathouse');
  expect(slack.messages(other)).toHaveLength(1);
});

test('I type a project’s name instead of its id, with options around it, and it is subscribed and removed', async () => {
  const { slack, sam } = stage;
  const channel = newChannel('by name', [sam]);
  await stage.type(sam, '/subscribe only added harbour  tower', channel);
  const made = textOf(await slack.waitForMessage(channel, 'to this channel'));
  expect(made).toContain('*Harbour Tower*');
  expect(made).toContain('Posting added.');
  await stage.type(sam, '/unsubscribe “Harbour Tower”', channel);
  await slack.waitForMessage(channel, 'removed the subscription');

  await stage.type(sam, '/subscribe Harbour Tower daily please', channel);
  const answer = await slack.waitForEphemeral(sam, 'Left out: `please`');
  expect(textOf(answer)).toContain(
    `I understood \`/subscribe project ${project} digest daily 09:00\` (*Harbour Tower*)`,
  );
});

test.each([
  ['555-111-303', 'Quiet Waters', '/plancast follow Quiet Waters'],
  ['555-111-301', 'Help Desk', '/subscribe Help Desk'],
  ['555-111-302', 'H Block', '/subscribe H Block'],
  ['555-111-304', 'Smith, Jones', '/subscribe Smith, Jones'],
  ['555-111-306', "Dana's House", '/subscribe Dana’s House'],
])('a project (%s) called %s is followed by its name', async (id, name, line) => {
  const { slack, dana } = stage;
  await named(id, name, newChannel(`of ${name}`, [dana]));
  const channel = newChannel(`by ${name}`, [dana]);
  await stage.type(dana, line, channel);
  expect(textOf(await slack.waitForMessage(channel, 'to this channel'))).toContain(`*${name}*`);
});

test('a part of a name is answered with what fits, and a press subscribes', async () => {
  const { slack, sam } = stage;
  const channel = newChannel('part of a name', [sam]);
  await stage.type(sam, '/subscribe harbour only added', channel);
  const answer = await slack.waitForEphemeral(sam, 'Left out: `harbour`');
  await slack.click({ user: sam, message: answer, element: slack.button(answer, 'Harbour Tower') });
  const made = textOf(await slack.waitForMessage(channel, 'to this channel'));
  expect(made).toContain('*Harbour Tower*');
  expect(made).toContain('Posting added');
});

test('of two names in one line each has a button with the name, unless both have the same', async () => {
  const { slack, dana } = stage;
  await named('555-111-307', 'Twin Sheds', newChannel('a shed', [dana]));
  await named('555-111-308', 'Twin Sheds', newChannel('another shed', [dana]));
  const channel = newChannel('two names', [dana]);
  await stage.type(dana, '/subscribe Help Desk and Quiet Waters', channel);
  const answer = await slack.waitForEphemeral(dana, 'Which one do you want?');
  expect(() => slack.button(answer, 'Help Desk')).not.toThrow();
  await slack.click({ user: dana, message: answer, element: slack.button(answer, 'Quiet Waters') });
  expect(textOf(await slack.waitForMessage(channel, 'to this channel'))).toContain('*Quiet Waters*');
  await stage.type(dana, '/subscribe Twin Sheds', channel);
  const twins = await slack.waitForEphemeral(dana, /Which one do you want\?.*555-111-307/s);
  for (const id of ['555-111-307', '555-111-308'])
    expect(() => slack.button(twins, `project ${id}`)).not.toThrow();
});

test('two characters of a name in a script without case are a part of it', async () => {
  const { slack, dana } = stage;
  await named('555-111-305', '東京タワー', newChannel('tokyo', [dana]));
  const channel = newChannel('part of tokyo', [dana]);
  await stage.type(dana, '/subscribe 東京', channel);
  const answer = await slack.waitForEphemeral(dana, 'Left out: `東京`');
  expect(slack.button(answer, '東京タワー')).toBeDefined();
});

test('a folder’s name is answered with what fits, also long after its last change, and a press follows the folder', async () => {
  const { slack, dana, sam } = stage;
  const channel = newChannel('folders here', [dana, sam]);
  await following(dana, channel);
  asDana({ action: 'create-folder', project, parent: 'Plans', name: 'Roof garden' });
  asDana({ action: 'create-file', project, parent: 'Plans/Roof garden', name: 'Trees.pdf' });
  await slack.waitForMessage(channel, 'Trees.pdf');
  const other = newChannel('folder by name', [sam]);
  // As after a week, when the details of notifications are deleted.
  const { pool } = stage.database.connect();
  await pool.query("update plancast.events set notification = null where state <> 'pending'");

  await stage.type(sam, '/subscribe roof garden only added', other);
  const answer = await slack.waitForEphemeral(sam, 'Left out: `roof garden`');
  await slack.click({ user: sam, message: answer, element: slack.button(answer, 'Plans › Roof garden') });
  const made = textOf(await slack.waitForMessage(other, 'to this channel'));
  expect(made).toMatch(/Roof garden\*.*in \*Harbour Tower\*/s);
  expect(made).toContain('Posting added');

  const third = newChannel('folder behind in', [sam]);
  const filtered = textOf(await following(sam, third, `/subscribe project ${project} in Roof garden`));
  expect(filtered).toContain('Roof garden');
  const form = await openForm(sam, () => stage.type(sam, '/subscribe', newChannel('folder in form', [sam])));
  const { options } = await slack.suggest({ user: sam, view: form, actionId: 'target', value: 'roof' });
  expect(options.map(({ text }) => (text as { text: string }).text)).toEqual([
    'Search for “roof”',
    expect.stringMatching(/^Plans › Roof garden · folder 412-873-550 /),
  ]);
  const asGuest = await slack.suggest({
    user: stage.guest,
    view: form,
    actionId: 'target',
    value: 'roof',
  });
  expect(asGuest.options).toHaveLength(1);
  await slack.submitView({ user: sam, viewId: form, values: { target: options[1] } });
  expect(slack.textOf(form)).toContain('*Roof garden* · folder');
});

test('a folder is offered by its name although a hundred channels followed another project since', async () => {
  const { slack, sam, teamId } = stage;
  await stage.database.connect().pool.query(
    `with added as (
       insert into plancast.subscriptions (team_id, channel_id, owner_user_id, kind, parent_id, comprehensive, filters, delivery, threads,
         state, created_at, changed_at)
       select $1, 'C0BUSY' || n, $2, 'project', '999-000-001', true, '{"only":[],"paths":[],"by":[],"notBy":[]}', '{"when":"live"}',
         false, 'active', $3, $3
       from generate_series(1, 100) n returning id, team_id)
     insert into plancast.remotes (subscription_id, team_id, token_hash, callback_base, comprehensive, asked_at, made_at)
     select id, team_id, sha256(id::text::bytea), 'https://bot.example', true, 'infinity', now() from added`,
    [teamId, sam.id, stage.now()],
  );
  const form = await openForm(sam, () => stage.type(sam, '/subscribe', newChannel('busy project', [sam])));
  const { options } = await slack.suggest({ user: sam, view: form, actionId: 'target', value: 'roof' });
  expect(JSON.stringify(options)).toContain('Plans › Roof garden');
});

test('in a line with an id, and behind in, by and as, another project’s name means nothing', async () => {
  const { slack, sam } = stage;
  const channel = newChannel('names elsewhere', [sam]);
  await stage.type(sam, '/subscribe project 538-204-917 Harbour Tower', channel);
  const answer = await slack.waitForEphemeral(sam, 'Left out: `Harbour Tower`');
  expect(textOf(answer)).toContain('I understood `/subscribe project 538-204-917`');
  await stage.type(sam, '/subscribe only added in Harbour Tower', channel);
  await slack.waitForEphemeral(sam, '`in` can’t be `Harbour`');
  expect(slack.messages(channel)).toEqual([]);
  await stage.type(sam, `/subscribe project ${project} Harbour Tower`, channel);
  await slack.waitForMessage(channel, 'to this channel');
});

test('a name that I may not be shown is answered exactly like one that does not exist', async () => {
  const { slack, dana } = stage;
  const shared = newChannel('shared', [dana, lee]);
  await named('555-111-333', 'Secret Annex', privately(dana));
  await named('555-111-444', 'Shared Annex', shared);
  for (const id of ['555-111-333', '555-111-444']) {
    asDana({ action: 'create-folder', project: id, name: 'Annex cellar' });
    asDana({ action: 'create-file', project: id, parent: 'Annex cellar', name: 'Door.pdf' });
  }
  await slack.waitForMessage(shared, 'Door.pdf');
  await slack.shareChannel(shared);
  await slack.waitForMessage(shared, 'shared with another organization');
  const channel = newChannel('asks', [lee, dana]);
  const answerTo = async (line: string, user = lee) => {
    const before = slack.ephemerals(user, channel).length;
    await stage.type(user, line, channel);
    await expect.poll(() => slack.ephemerals(user, channel).length).toBe(before + 1);
    const { text, blocks } = slack.ephemerals(user, channel).at(-1) ?? { text: '', blocks: [] };
    return JSON.stringify({ text, blocks }).replace(/"block_id":"[^"]*"/g, '');
  };
  for (const line of [
    '/subscribe NAME',
    '/subscribe NAME only added',
    '/unsubscribe NAME',
    '/subscribe project 555-111-333 NAME',
  ]) {
    const absent = await answerTo(line.replace('NAME', 'Absent Annex'));
    for (const name of ['Secret Annex', 'Shared Annex']) {
      const hidden = await answerTo(line.replace('NAME', name));
      expect(hidden.replaceAll(name, 'Absent Annex')).toBe(absent);
    }
    stage.advance(61_000);
  }
  const absent = await answerTo('/subscribe Absent');
  expect((await answerTo('/subscribe Secret')).replaceAll('Secret', 'Absent')).toBe(absent);
  expect((await answerTo('/subscribe cellar')).replaceAll('cellar', 'Absent')).toBe(absent);
  expect(slack.messages(channel)).toEqual([]);
  // Dana is in the private channel.
  await stage.type(dana, '/subscribe Secret Annex', channel);
  expect(textOf(await slack.waitForMessage(channel, 'to this channel'))).toContain('*Secret Annex*');
});

test('a public channel without the bot becomes private: what only it follows is no longer found by its name', async () => {
  const { slack, dana } = stage;
  const followed = slack.addChannel({ members: [dana], botIn: false });
  await named('555-111-666', 'Quay Annex', followed);
  const channel = newChannel('finds', [lee, dana]);
  const answers = async () => {
    const before = slack.ephemerals(lee, channel).length;
    await stage.type(lee, '/subscribe Quay only added', channel);
    await expect.poll(() => slack.ephemerals(lee, channel).length).toBe(before + 1);
    return textOf(slack.ephemerals(lee, channel).at(-1) as Message);
  };
  expect(await answers()).toContain('Quay Annex');

  followed.kind = 'private';
  stage.advance(25 * 3_600_000);
  // A round checks twenty channels, those that were not checked for longest first.
  for (let n = 0; n < 10; n += 1) await stage.bot.runChore('sweep');

  expect(await answers()).not.toContain('Quay Annex');
});

test('a name that a member typed names the project where it may be shown, offers it, and loses against the service’s', async () => {
  const { slack, dana } = stage;
  const other = '555-000-222';
  asDana({ action: 'create-project', name: 'Unheard', id: other });
  asDana({ action: 'create-file', project: other, name: 'Only.pdf' });
  const { data } = stage.service;
  const channel = newChannel('nicknames', [dana]);
  await following(dana, channel, `/subscribe file ${other} ${data.item(data.project(other), 'Only.pdf').id}`);
  await stage.type(dana, `/subscribe project ${other} only delete as "HQ"`, channel);
  await slack.waitForMessage(channel, /added .*HQ/);
  const list = await listOf(dana, channel);
  expect(textOf(list)).toContain('in *HQ* · file and new versions');
  const elsewhere = newChannel('elsewhere', [dana]);
  const unnamed = await following(dana, elsewhere, `/subscribe project ${other}`);
  expect(textOf(unnamed)).toContain('*HQ*');
  const third = newChannel('third place', [dana]);
  await stage.type(dana, '/subscribe HQ', third);
  const answer = await slack.waitForEphemeral(dana, 'Left out: `HQ`');
  expect(slack.messages(third)).toEqual([]);
  asDana({ action: 'rename-project', project: other, name: 'Harbour Quay' });
  await slack.waitForMessage(elsewhere, 'Harbour Quay');
  await slack.click({ user: dana, message: answer, element: slack.button(answer, 'HQ') });
  expect(textOf(await slack.waitForMessage(third, 'to this channel'))).toContain('*Harbour Quay*');
  expect(textOf(await listOf(dana, channel))).toContain('in *Harbour Quay*');
});

test("what a member's own channels have learned about files and folders supplies their previous names", async () => {
  const { slack, dana } = stage;
  const hers = newChannel('hers', [dana]);
  await following(dana, hers);
  const file = 'Plans/Level 2/A-201 Floor plan.pdf';
  asDana({ action: 'check-in', project, item: file });
  await slack.waitForMessage(hers, 'A-201 Floor plan.pdf');
  const alsoHers = newChannel('also hers', [dana]);
  await following(dana, alsoHers);
  const theirs = newChannel('theirs', [lee]);
  await following(lee, theirs);

  asDana({ action: 'rename-item', project, item: file, name: 'A-201 Doors.pdf' });
  for (const channel of [hers, alsoHers]) {
    const message = await slack.waitForMessage(channel, 'A-201 Doors.pdf');
    expect(textOf(message)).toContain('renamed *A-201 Floor plan.pdf* → *A-201 Doors.pdf*');
  }
  const seen = textOf(await slack.waitForMessage(theirs, 'A-201 Doors.pdf'));
  expect(seen).toContain('updated *A-201 Doors.pdf*');
  expect(seen).not.toContain('Floor plan');

  // No channel has seen an event of the folder itself, only of a file in it.
  asDana({ action: 'rename-item', project, item: 'Plans/Level 2', name: 'Second floor' });
  for (const channel of [hers, alsoHers, theirs]) {
    const message = await slack.waitForMessage(channel, 'Second floor');
    expect(textOf(message)).toContain('renamed folder *Level 2* → *Second floor* in Plans');
  }
});

test('a folder that a channel does not follow is called "another folder" there', async () => {
  const { slack, dana } = stage;
  const channel = newChannel('details only', [dana]);
  await following(dana, channel, `/subscribe project ${project} in "Details/**"`);
  const all = newChannel('everything', [dana]);
  await following(dana, all);
  asDana({ action: 'create-file', project, parent: 'Plans', name: 'Secret stair.pdf' });
  await slack.waitForMessage(all, 'Secret stair.pdf');
  asDana({ action: 'move-item', project, item: 'Plans/Secret stair.pdf', to: 'Details' });
  expect(textOf(await slack.waitForMessage(channel, 'Secret stair.pdf'))).toContain(
    'moved *Secret stair.pdf*: another folder → Details',
  );
  expect(textOf(await slack.waitForMessage(all, 'moved'))).toContain(
    'moved *Secret stair.pdf*: Plans → Details',
  );
});
