import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import type { Channel, User } from '../../sandbox/slack/directory.ts';
import { findElements } from '../../sandbox/slack/find-elements.ts';
import type { Message } from '../../sandbox/slack/messages.ts';
import type { View } from '../../sandbox/slack/views.ts';
import { patternsFault } from '../../src/core/model/patterns.ts';
import { dayMs } from '../../src/lib/durations.ts';
import { parseTyped } from '../../src/slack/grammar/parse-command.ts';
import { type Stage, setStage } from '../support/stage.ts';
import { makeStageActions } from '../support/stage-actions.ts';

const project = '412-873-550';
let stage: Stage;
let ada: User;
beforeAll(async () => {
  stage = await setStage({ name: 'paths', skipsPauses: true });
  const { slack, teamId } = stage;
  const names = { name: 'Ada Admin', realName: 'Ada Admin', email: 'lee@example.com' };
  ada = slack.addUser({ teamId, ...names, isAdmin: true });
  await stage.link(stage.dana, 'dana@example.com');
  await stage.link(ada, 'lee@example.com');
});
// A member has thirty actions a minute, and this file needs more.
beforeEach(() => stage.advance(61_000));
afterAll(() => stage.close());

const { choose, newChannel, following, listOf, openForm, openMore, press, query } = makeStageActions(
  () => stage,
);

const act = (action: Parameters<Stage['service']['act']>[1]) => stage.service.act('dana@example.com', action);
const addFile = (parent: string, name: string) => act({ action: 'create-file', project, parent, name });

test('a folder that I know of is understood without quotes, and a bare word in another project is left out', async () => {
  const { slack, dana } = stage;
  const known = newChannel('known folders', [dana]);
  await following(dana, known);
  addFile('Plans/Level 1', 'Known.pdf');
  await slack.waitForMessage(known, 'Known.pdf');
  const channel = newChannel('unknown folder', [dana]);
  await stage.type(dana, '/subscribe project 538-204-917 in Plans', channel);
  const answer = await slack.waitForEphemeral(dana, '`in` can’t be `Plans`');
  expect(slack.textOf(answer)).toContain('Use the name of a folder or file, in quotes');
  expect(slack.messages(channel)).toEqual([]);
});

test.each([
  'in "Plans/Level 1"',
  'in Plans',
  'in Plans/',
  'in "/Plans/Level 1/"',
  'in "Level 1"',
  'in "Plans › Level 1"',
  'in "Plans > Level 1"',
  'in Plans/Level 1',
  'in Plans › Level 1',
  'in "plans/level 1/**"',
  'in "*.pdf"',
  'in "!Details"',
  'in "! Details"',
])('a folder typed as people type it: %s posts what is in Plans/Level 1', async (option) => {
  const channel = newChannel('a folder', [stage.dana]);
  await following(stage.dana, channel, `/subscribe project ${project} ${option}`);
  addFile('Details', 'Elsewhere.dwg');
  addFile('Plans/Level 1', 'A-103.pdf');
  await stage.slack.waitForMessage(channel, 'A-103.pdf');
  const texts = stage.slack.messages(channel).map((message) => stage.slack.textOf(message));
  expect(texts.join('\n')).not.toContain('Elsewhere');
});

test.each(['Plans/Level 1/Cut.pdf', 'Plans › Level 1 › Cut.pdf', '*.dwg and Plans/Level 1/Cut.pdf'])(
  'a file of a folder that I know of, typed as %s without quotes, is one place',
  async (place) => {
    const { slack, dana } = stage;
    const known = newChannel('known files', [dana]);
    await following(dana, known);
    addFile('Plans/Level 1', 'Cut.pdf');
    await slack.waitForMessage(known, 'Cut.pdf');
    const channel = newChannel('one file', [dana]);
    const made = await following(dana, channel, `/subscribe project ${project} in ${place}`);
    expect(slack.textOf(made)).toContain('`Plans/Level 1/Cut.pdf`');
  },
);

test('a file is called Weekly, and I type weekly behind a pattern: I get a weekly digest', async () => {
  const { slack, dana } = stage;
  const known = newChannel('known names', [dana]);
  await following(dana, known);
  addFile('Plans/Level 1', 'Weekly');
  await slack.waitForMessage(known, 'Weekly');
  const channel = newChannel('weekly', [dana]);
  const made = await following(dana, channel, `/subscribe project ${project} in "Plans/**" weekly`);
  expect(slack.textOf(made)).toContain('weekly digest on Monday');
  expect(slack.textOf(made)).not.toContain('`weekly`');
});

async function report(channel: Channel): Promise<Message> {
  const before = new Set(stage.slack.ephemerals(stage.dana).map(({ id }) => id));
  await stage.type(stage.dana, '/plancast doctor', channel);
  return stage.slack.waitForEphemeral(
    stage.dana,
    ({ id, text }) => !before.has(id) && /^(Everything works|I found)/.test(text),
  );
}

const doctor = async (channel: Channel) => stage.slack.textOf(await report(channel));

const countIn = async (channel: Channel, state: 'filtered' | 'pending' | 'posted') =>
  (await query('select from plancast.events where channel_id = $1 and state = $2', [channel.id, state]))
    .length;

/** Returns an admin's list of what has a problem in the workspace. */
async function troubledOf(admin: User): Promise<View> {
  const { slack } = stage;
  await slack.openHome(admin);
  const home = await slack.waitForHome(admin, 'All subscriptions');
  await slack.click({ user: admin, view: home, element: slack.button(home, 'All subscriptions') });
  const all = await slack.waitForHome(admin, 'Subscriptions in this workspace');
  const element = findElements(all.blocks).find(({ actionId }) => actionId === 'workspace_state');
  if (!element) throw new Error('no filter');
  await slack.click({ user: admin, view: all, element, value: 'problem' });
  return slack.waitForHome(admin, 'Clear filters');
}

test('20 changes came and my folder matched none: the list and the doctor say so, until it matches', async () => {
  const { slack, dana } = stage;
  const channel = newChannel('unmatched', [dana]);
  const line = `/subscribe project ${project} in "Plans/Lvel 1"`;
  await following(dana, channel, line);
  for (let at = 1; at <= 19; at += 1) addFile('Plans/Level 1', `Sheet ${at}.pdf`);
  await expect.poll(() => countIn(channel, 'filtered')).toBe(19);
  expect(slack.textOf(await listOf(dana, channel))).toContain('🟢 Working');
  expect(await doctor(channel)).toContain('Everything works');

  addFile('Plans/Level 1', 'Sheet 20.pdf');
  await expect.poll(() => countIn(channel, 'filtered')).toBe(20);
  expect(slack.textOf(await listOf(dana, channel))).toContain(
    '🟠 None of the last 20 changes match its folders',
  );
  expect(slack.textOf(await troubledOf(ada))).toContain('🟠 None of the last 20 changes match its folders');
  const found = await report(channel);
  expect(slack.textOf(found)).toContain('None of the last 20 changes match its folders.');
  await press(dana, found, 'Edit');
  await slack.closeView({ user: dana, viewId: await slack.waitForView(dana, 'Edit subscription') });

  await stage.type(dana, `/subscribe project ${project} in "Plans/Level 1"`, channel);
  await slack.waitForMessage(channel, 'changed the subscription');
  expect(slack.textOf(await listOf(dana, channel))).toContain('🟢 Working');
  addFile('Plans/Level 1', 'Sheet 21.pdf');
  await slack.waitForMessage(channel, 'Sheet 21.pdf');
  expect(slack.textOf(await listOf(dana, channel))).toContain('🟢 Working');
  expect(await doctor(channel)).toContain('Everything works');
});

test('my folder matches none of three changes a day, for the digest: Home says so, also after their names are gone and while more wait', async () => {
  const { slack, bot } = stage;
  const channel = newChannel('a quiet project', [ada]);
  await following(ada, channel, `/subscribe project ${project} in "Plans/Lvel 1" digest hourly`);
  for (let day = 1; day <= 7; day += 1) {
    for (const at of [1, 2, 3]) addFile('Plans/Level 1', `Day ${day}, ${at}.pdf`);
    await expect.poll(() => countIn(channel, 'pending')).toBe(3);
    stage.advance(dayMs);
    await bot.runChore('sweep');
    await expect.poll(() => countIn(channel, 'filtered')).toBe(3 * day);
  }
  stage.advance(4 * dayMs);
  await bot.runChore('tidy');
  addFile('Plans/Level 1', 'Waits.pdf');
  await expect.poll(() => countIn(channel, 'pending')).toBe(1);
  expect(slack.textOf(await listOf(ada, channel))).toContain('🟠 None of the last 20 changes match');
  await slack.openHome(ada);
  await slack.waitForHome(ada, '🟠 None of the last 20 changes match its folders');
});

test('a folder nobody has seen is subscribed with a private warning that names the nearest one, and a press corrects it', async () => {
  const { slack, dana, sam } = stage;
  const channel = newChannel('misspelled', [dana, sam]);
  const all = newChannel('all folders', [dana]);
  await following(dana, all);
  for (const folder of ['Plans/Level 1', 'Details']) addFile(folder, 'Known.pdf');
  await expect.poll(() => countIn(all, 'posted')).toBe(2);
  await following(dana, channel, `/subscribe project ${project} in "Plans/Levle 1"`);
  const warning = await slack.waitForEphemeral(dana, /haven’t seen a folder .Plans\/Levle 1. yet/);
  expect(slack.textOf(warning)).toContain('Did you mean `Plans/Level 1`?');
  await press(dana, warning, 'Change it');
  await slack.waitForMessage(channel, 'changed the subscription');
  addFile('Plans/Level 1', 'A-105.pdf');
  await slack.waitForMessage(channel, 'A-105.pdf');

  await stage.type(dana, `/subscribe project ${project} in "Plans" "!Detials" "*.docx"`, channel);
  const second = await slack.waitForEphemeral(dana, 'Detials');
  expect(slack.textOf(second)).toContain('I haven’t seen a folder `Detials` yet. Did you mean `Details`?');
  expect(slack.textOf(second)).toContain('I haven’t seen anything that matches `*.docx` yet.');
  expect(slack.textOf(second)).not.toContain('`Plans`');
  expect(slack.ephemerals(sam)).toEqual([]);
});

test('the warning names no folder that only another person’s subscription has seen', async () => {
  const { slack, dana, sam } = stage;
  await stage.link(sam, 'sam@example.com');
  const channel = newChannel('not yours', [dana, sam]);
  await following(dana, channel, `/subscribe project ${project} in "Plans"`);
  act({ action: 'create-folder', project, parent: 'Details', name: 'Bids for Tower' });
  await expect.poll(() => countIn(channel, 'filtered')).toBe(1);
  addFile('Plans/Level 1', 'A-106.pdf');
  await slack.waitForMessage(channel, 'A-106.pdf');
  await stage.type(sam, `/subscribe project ${project} in "Details/Bids for Towr"`, channel);
  const warning = await slack.waitForEphemeral(sam, 'haven’t seen a folder');
  expect(slack.textOf(warning)).not.toContain('Bids for Tower');
});

test('in a channel shared with another organization the warning shows no parent folder', async () => {
  const { slack, dana } = stage;
  const all = newChannel('all folders', [dana]);
  await following(dana, all);
  addFile('Plans/Level 1', 'A-107.pdf');
  await expect.poll(() => countIn(all, 'posted')).toBe(1);
  const channel = newChannel('shared', [dana]);
  await following(dana, channel);
  await slack.shareChannel(channel);
  await slack.waitForMessage(channel, 'shared with another organization');
  await stage.type(dana, `/subscribe project ${project} in "Plans/Levl 1"`, channel);
  const warning = await slack.waitForEphemeral(dana, 'Levl 1');
  expect(slack.textOf(warning)).toContain('a folder `…/Levl 1` yet. Did you mean `…/Level 1`?');
  expect(slack.textOf(warning)).not.toContain('Plans');
});

const inWords = (paths: readonly string[]) =>
  `project ${project} in ${paths.map((path) => `"${path}"`).join(' ')}`;

test.each([
  ['51 folders', Array.from({ length: 51 }, (_, at) => `${at}`), 'at most 50 paths'],
  ['11 wildcards in a folder', ['*a'.repeat(11)], 'a path with at most 10 wildcards'],
])('%s are refused with the reason in the command, the form and the import', async (_, paths, reason) => {
  const { slack } = stage;
  const channel = newChannel('limits', [ada]);
  await stage.type(ada, `/subscribe ${inWords(paths)}`, channel);
  await slack.waitForEphemeral(ada, reason);

  const form = await choose(ada, await openForm(ada, () => stage.type(ada, '/subscribe', channel)), project);
  await openMore(ada, form);
  const { errors } = await slack.submitView({ user: ada, viewId: form, values: { paths: paths.join('\n') } });
  expect(errors.paths).toContain(reason);
  await slack.closeView({ user: ada, viewId: form, cleared: true });

  await stage.type(ada, '/plancast import', channel);
  const file = await slack.waitForView(ada, 'Paste a block from /plancast export');
  const lines = [channel.id, `/subscribe ${inWords(paths)}`];
  await slack.submitView({ user: ada, viewId: file, values: { import_text: lines.join('\n') } });
  const checked = await slack.waitForView(ada, reason);
  await slack.closeView({ user: ada, viewId: checked });
});

// A command of that length is not read. A field in Slack holds 3,000 characters, so a form exceeds the limit only together with chosen
// folders, and an import never does.
test('folders of over 4,000 characters are refused with the reason in the command and the form', async () => {
  const paths = Array.from({ length: 5 }, (_, at) => `${at}`.repeat(810));
  const reason = 'at most 4,000 characters together';
  await stage.type(ada, `/subscribe ${inWords(paths)}`, newChannel('limits', [ada]));
  await stage.slack.waitForEphemeral(ada, 'A command can have at most 4,000 characters');
  const expected = expect.stringContaining(reason);
  expect(patternsFault(paths)).toMatchObject({ expected });
  expect(patternsFault(['a'.repeat(4_000)])).toBeNull();
  expect(parseTyped(`/subscribe ${inWords(paths)}`)).toMatchObject({ mistake: { faults: [{ expected }] } });
});
