import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import type { Channel, User } from '../../sandbox/slack/directory.ts';
import type { View } from '../../sandbox/slack/views.ts';
import { notify } from '../support/notify.ts';
import { settingsReads } from '../support/settings-reads.ts';
import { type Stage, setStage } from '../support/stage.ts';
import { held, makeStageActions } from '../support/stage-actions.ts';

const project = '412-873-550';
let stage: Stage;
beforeAll(async () => {
  stage = await setStage({ name: 'form', skipsPauses: true });
  await stage.link(stage.dana, 'dana@example.com');
  await stage.link(stage.sam, 'sam@example.com');
});
const actions = makeStageActions(() => stage);
const { choose, chooseInMenu, following, listOf, openMore, query } = actions;
// A member has thirty actions a minute, and this file needs more.
beforeEach(() => stage.advance(61_000));
afterAll(() => stage.close());

const link = `https://studio.example/projects/${project}`;
const wordsOf = (view: View) => stage.slack.textOf(view);
const openForm = (line = '/subscribe', channel = stage.plans, user = stage.dana) =>
  actions.openForm(user, () => stage.type(user, line, channel));
const callShortcut = (user = stage.dana) =>
  actions.openForm(user, () => stage.slack.shortcut({ user, callbackId: 'subscribe' }));
/** Opens the form for the project and goes to its second step. */
const secondStep = async (channel: Channel, user: User = stage.dana, text = link) =>
  choose(user, await openForm('/subscribe', channel, user), text);
/** Returns the words of the options for what is typed in the first field. */
const offered = async (form: View, value: string, user = stage.dana, actionId = 'target') =>
  (await stage.slack.suggest({ user, view: form, actionId, value })).options.map(({ text }) =>
    typeof text === 'object' && text !== null && 'text' in text ? text.text : '',
  );

test('the form asks for one thing first, and what was chosen stands above the settings that nearly everybody needs', async () => {
  const { slack, dana } = stage;
  const channel = slack.addChannel({ name: 'two steps', members: [dana] });
  const first = await openForm('/subscribe', channel);
  expect(first.blocks.filter(({ type }) => type === 'input')).toHaveLength(1);
  expect(await offered(first, link)).toEqual([expect.stringMatching(/roject 412-873-550$/)]);
  const second = await choose(dana, first, link);
  expect(wordsOf(second)).toMatch(/roject 412-873-550.*Scope.*Events.*Delivery.*Time.*Day/s);
  expect(wordsOf(second)).toContain('For daily and weekly digests, in your time zone (Europe/London)');
  expect(wordsOf(second)).not.toContain('Folder patterns');
  const sent = await slack.submitView({ user: dana, values: { scope: 'plain', types: ['delete'] } });
  expect(sent.outcome).toBe('closed');
  const made = await slack.waitForMessage(channel, 'to this channel');
  expect(made.text).toContain('Project only.');
  expect(slack.textOf(made)).toContain('Posting deleted');
});

test('what I typed is offered first, then the names that I may be shown, and neither counts as a command', async () => {
  const { slack, service, dana, ravi, guest } = stage;
  const channel = slack.addChannel({ name: 'named', members: [dana, guest] });
  const secret = slack.addChannel({ name: 'secret-named', kind: 'private', members: [dana, ravi] });
  await following(dana, channel);
  await following(dana, secret, '/subscribe session 731-450-286');
  service.act('dana@example.com', { action: 'rename-project', project, name: 'Harbour Tower North' });
  await slack.waitForMessage(channel, 'Harbour Tower North');
  const form = await openForm('/subscribe', channel);
  const named = 'Harbour Tower North · project 412-873-550';
  for (let times = 0; times < 40; times += 1) await offered(form, 'Har');
  expect(await offered(form, '')).toContain(named);
  expect(await offered(form, 'Har')).toEqual(['Search for “Har”', named]);
  expect(await offered(form, 'harbour tower north')).toEqual([named]);
  expect(await offered(form, '731450286')).toEqual(['Project 731-450-286', 'Session 731-450-286']);
  expect(await offered(form, 'pls watch https://studio.example/sessions/731450286 thx')).toEqual([
    'Session 731-450-286',
  ]);
  expect(await offered(form, 'Har', guest)).toEqual(['Search for “Har”']);
  // None of that counted.
  expect(wordsOf(await choose(dana, form, 'harbour tower north'))).toContain(
    '*Harbour Tower North* · project 412-873-550',
  );

  // Sam is in the workspace and sees what a public channel follows. A guest sees nothing but what they type.
  const sams = await openForm('/subscribe', stage.plans, stage.sam);
  expect(await offered(sams, 'Har', stage.sam)).toEqual(['Search for “Har”', named]);
});

test('where Slack does not say in time which channels I am in, the picker offers within a second what needs no look-up', async () => {
  const { slack, dana } = stage;
  const channel = slack.addChannel({ name: 'slow', members: [dana] });
  const hidden = slack.addChannel({ name: 'slow-private', kind: 'private', members: [dana, stage.sam] });
  const id = '555-111-000';
  const asDana = (action: Parameters<Stage['service']['act']>[1]) =>
    stage.service.act('dana@example.com', action);
  asDana({ action: 'create-project', name: 'Boathouse', id });
  asDana({ action: 'set-permission', project: id, email: 'sam@example.com', permission: 'read' });
  await following(stage.sam, hidden, `/subscribe project ${id}`);
  asDana({ action: 'rename-project', project: id, name: 'Riverside' });
  await slack.waitForMessage(hidden, 'Riverside');
  // Dana was in fewer channels when Slack was last asked.
  await slack.event({ type: 'member_joined_channel', channel: hidden.id, user: dana.id, team: stage.teamId });
  const form = await openForm('/subscribe', channel);
  expect(await offered(form, 'River')).toContain('Riverside · project 555-111-000');
  await stage.forgetSlack();
  const slow = slack.fault({ method: 'users.conversations', delayMs: 1_500 });
  const began = performance.now();
  expect(await offered(form, 'River')).toEqual(['Search for “River”']);
  expect(performance.now() - began).toBeLessThan(1_000);
  // Next has more time than the list of options.
  const second = await choose(dana, form, 'River');
  slow.clear();
  expect(wordsOf(second)).toContain('Riverside');
});

test('what the first field cannot use is said there, and what I chose is still in it', async () => {
  const { slack, dana } = stage;
  const channel = slack.addChannel({ name: 'mistakes', members: [dana] });
  await following(dana, channel, '/subscribe session 731-450-286');
  stage.service.act('dana@example.com', {
    action: 'rename-session',
    session: '731-450-286',
    name: 'Harbour review',
  });
  await slack.waitForMessage(channel, 'Harbour review');
  const form = await openForm('/subscribe', channel);
  const next = async (text: string) => {
    const { options } = await slack.suggest({ user: dana, view: form, actionId: 'target', value: text });
    return slack.submitView({ user: dana, viewId: form, values: { target: options[0] } });
  };
  for (const [text, error] of [
    ['Boathouse', /^I couldn’t find “Boathouse”\. Paste its link, or its 9-digit id\.$/],
    ['12345', /I couldn’t find “12345”/],
    ['Harbour', /^Several names match: “Harbour.*”, “Harbour.*”\. Choose one of them in the list\.$/],
    [`${project} digest monthly`, /`?digest`? can’t be `?monthly`?\. Use/],
  ] as const) {
    const wrong = await next(text);
    expect(wrong.errors).toEqual({ target: expect.stringMatching(error) });
  }
  expect((await next(link)).outcome).toBe('updated');
});

test('faults of a form are shown at their fields, all at once, and the corrected form subscribes', async () => {
  const { slack, dana, secret } = stage;
  const channel = slack.addChannel({ name: 'corrected', members: [dana] });
  const form = await choose(dana, await callShortcut(), link);
  await openMore(dana, form);
  const faulty = { channel: secret.id, paths: 'Plans/**\n!', name: 'x'.repeat(101) };
  const wrong = await slack.submitView({ user: dana, values: faulty, force: true });
  expect(wrong.errors).toEqual({
    channel: expect.stringMatching(/^I’m not in this channel.*\/invite @plancast in it/),
    paths: expect.stringMatching(/“!” doesn’t work here.*the name of a folder/),
    name: 'Enter a name of at most 100 characters.',
  });
  // Preview lists the same faults when a form cannot be previewed, and leaves the form unchanged.
  await slack.click({ user: dana, view: form, actionId: 'form_preview' });
  const first = await slack.waitForView(dana, 'Fix this first');
  expect(wordsOf(first)).toMatch(/Folder patterns: “!”.*Name to show: Enter a name/s);
  await slack.closeView({ user: dana });
  expect(held(form, 'paths')).toBe(faulty.paths);

  const email = await slack.suggest({ user: dana, view: form, actionId: 'people', value: 'Sam@example.com' });
  const right = await slack.submitView({
    user: dana,
    values: {
      channel: channel.id,
      paths: 'Plans/Level 1/**\n"!Archive/**"',
      people: [email.options[0]],
      name: 'Tower',
    },
  });
  expect(right.outcome).toBe('closed');
  const made = await slack.waitForMessage(channel, 'to this channel');
  const text = slack.textOf(made);
  expect(text).toContain('Plans/Level 1/**');
  expect(text).toContain('Archive/**');
  expect(text).toContain('by sam@example.com');
});

test('the picker for people offers members by name and an address as it is typed', async () => {
  const { slack, dana, sam } = stage;
  const channel = slack.addChannel({ name: 'people', members: [dana] });
  const form = await secondStep(channel);
  await openMore(dana, form);
  const people = (value: string) => offered(form, value, dana, 'people');
  expect(await people('')).toEqual(expect.arrayContaining(['Dana Reyes', 'gina', 'Sam Okafor']));
  expect(await people('oka')).toEqual(['Sam Okafor']);
  expect(await people('Scanner@example.com')).toEqual(['scanner@example.com']);
  expect(await people('nobody')).toEqual([]);
  await slack.submitView({ user: dana, values: { people: [sam.id, 'scanner@example.com'], whose: 'notBy' } });
  const made = await slack.waitForMessage(channel, 'to this channel');
  expect(slack.textOf(made)).toContain('except by Sam Okafor and scanner@example.com');
  await chooseInMenu(dana, await listOf(dana, channel), 'edit');
  const edit = await slack.waitForView(dana, 'Edit subscription');
  expect(held(edit, 'people')).toEqual([
    { text: expect.objectContaining({ text: 'Sam Okafor' }), value: sam.id },
    expect.objectContaining({ value: 'scanner@example.com' }),
  ]);
  expect(held(edit, 'whose')).toMatchObject({ value: 'notBy' });
  await slack.closeView({ user: dana });
});

test('for a bare id that was typed with options the form asks what it is, and nothing typed is lost', async () => {
  const { slack, dana } = stage;
  const channel = slack.addChannel({ name: 'bare', members: [dana] });
  await stage.type(dana, '/subscribe 731450286 only deleted tomorrow', channel);
  const answer = await slack.waitForEphemeral(dana, 'Left out: `tomorrow`');
  await actions.press(dana, answer, 'Edit in the form');
  const form = await slack.waitForView(dana, 'What is 731-450-286?');
  expect(wordsOf(form)).not.toContain('Scope');
  expect(held(form, 'types')).toEqual([expect.objectContaining({ value: 'delete' })]);
  await slack.submitView({ user: dana, viewId: form, values: { kind: 'session' } });
  const made = await slack.waitForMessage(channel, 'to this channel');
  expect(made.text).toContain('Session and documents.');
  expect(slack.textOf(made)).toContain('Posting deleted.');
});

test('a form that opens with a folder and patterns asks Slack once whether I am in the channel', async () => {
  const { slack, dana } = stage;
  const channel = slack.addChannel({ name: 'asked once', members: [dana] });
  await stage.type(dana, `/subscribe folder ${project} f-plans in "*.pdf" xyzzy`, channel);
  const answer = await slack.waitForEphemeral(dana, 'Left out: `xyzzy`');
  const members = slack.fault({ method: 'conversations.members', error: 'internal_error', times: 9 });
  await actions.press(dana, answer, 'Edit in the form');
  await slack.waitForView(dana, ({ privateMetadata }) => privateMetadata.includes(channel.id));
  expect(members.hits()).toBe(1);
  members.clear();
});

test('a daily digest on weekdays at a time I chose, deletions right away, under a name I chose', async () => {
  const { slack, dana } = stage;
  const channel = slack.addChannel({ name: 'digest', members: [dana] });
  const form = await secondStep(channel);
  expect(held(form, 'at')).toBe('09:00');
  await openMore(dana, form);
  await slack.submitView({
    user: dana,
    values: { when: 'weekdays', at: '07:30', except: ['delete'], name: 'Tower' },
  });
  await slack.waitForMessage(channel, 'to this channel');
  const rows = await query('select delivery from plancast.subscriptions where channel_id = $1', [channel.id]);
  expect(rows).toEqual([
    {
      delivery: { when: 'daily', at: '07:30', zone: 'Europe/London', weekdays: true, except: ['delete'] },
    },
  ]);
});

test('what I entered before I press More options is still there after it', async () => {
  const { slack, dana } = stage;
  const channel = slack.addChannel({ name: 'more', members: [dana] });
  const form = await secondStep(channel);
  await slack.click({
    user: dana,
    view: form,
    actionId: 'form_more',
    state: { types: ['delete'], when: 'daily', at: '07:30' },
  });
  await expect.poll(() => wordsOf(form)).toContain('Folder patterns');
  expect(wordsOf(form)).not.toContain('More options');
  await slack.submitView({ user: dana });
  const made = await slack.waitForMessage(channel, 'to this channel');
  expect(slack.textOf(made)).toMatch(/Posting deleted.*7:30/);
});

test('Back shows what I chose, and after Next everything that I had set is there again', async () => {
  const { slack, dana } = stage;
  const channel = slack.addChannel({ name: 'back', members: [dana] });
  const form = await choose(dana, await callShortcut(), link);
  await openMore(dana, form);
  const entered = { channel: channel.id, types: ['delete'], when: 'daily', at: '07:30', name: 'Tower' };
  const back = (state: Record<string, string | string[]>) =>
    slack.click({ user: dana, view: form, actionId: 'form_back', state });
  await back({ ...entered, scope: 'plain', paths: 'Plans/**' });
  await expect.poll(() => wordsOf(form)).toContain('Type a name, or paste a link');
  expect(held(form, 'target')).toMatchObject({ value: `project ${project}` });
  await slack.submitView({ user: dana, viewId: form });
  expect(held(form, 'channel')).toBe(channel.id);
  expect(held(form, 'scope')).toMatchObject({ value: 'plain' });
  expect(held(form, 'types')).toEqual([expect.objectContaining({ value: 'delete' })]);
  expect([held(form, 'at'), held(form, 'paths'), held(form, 'name')]).toEqual(['07:30', 'Plans/**', 'Tower']);

  // Its name and its folders are not those of what is chosen instead.
  await back({});
  await expect.poll(() => wordsOf(form)).toContain('Type a name, or paste a link');
  await choose(dana, form, 'project 538-204-917');
  expect(held(form, 'types')).toEqual([expect.objectContaining({ value: 'delete' })]);
  expect(held(form, 'scope')).toMatchObject({ value: 'comprehensive' });
  expect(JSON.stringify(form.blocks)).not.toMatch(/Plans|Tower/);
  await slack.submitView({ user: dana });
  const made = await slack.waitForMessage(channel, 'to this channel');
  expect(slack.textOf(made)).toMatch(/538-204-917.*Posting deleted.*7:30/s);
});

test('an emptied field takes away the name that I gave, and Undo brings it back', async () => {
  const { slack, dana } = stage;
  const channel = slack.addChannel({ name: 'unnamed', members: [dana] });
  const id = '555-333-000';
  stage.service.act('dana@example.com', { action: 'create-project', name: 'Unheard', id });
  await following(dana, channel, `/subscribe project ${id} as "The quay"`);
  await chooseInMenu(dana, await listOf(dana, channel), 'edit');
  await slack.submitView({
    user: dana,
    viewId: await slack.waitForView(dana, 'Edit subscription'),
    values: { name: '' },
  });
  const changed = await slack.waitForMessage(channel, 'No longer called *The quay*');
  expect(slack.textOf(await listOf(dana, channel))).not.toContain('The quay');
  await actions.press(dana, changed, 'Undo');
  await slack.waitForMessage(channel, 'Now called *The quay*');
});

test('a form that an older release opened says so, and keeps what was entered', async () => {
  const { slack, dana } = stage;
  const channel = slack.addChannel({ name: 'older', members: [dana] });
  const form = await secondStep(channel);
  form.privateMetadata = JSON.stringify({ channelId: channel.id, responseUrl: null });
  const sent = await slack.submitView({ user: dana });
  expect(sent.errors).toEqual({ scope: 'This form is out of date. Close it, and open it again.' });
  expect(slack.messages(channel)).toEqual([]);
  await slack.closeView({ user: dana });
});

test('folders are offered by name, and the preview shows the messages that would have been posted', async () => {
  const { slack, service, dana, sam } = stage;
  const channel = slack.addChannel({ name: 'preview', members: [dana] });
  await stage.type(dana, `/subscribe project ${project}`, channel);
  await slack.waitForMessage(channel, 'to this channel');
  for (let number = 1; number <= 3; number += 1) {
    service.act('dana@example.com', {
      action: 'create-file',
      project,
      parent: 'Details',
      name: `D-${number}.pdf`,
    });
  }
  service.act('sam@example.com', {
    action: 'create-file',
    project,
    parent: 'Specifications',
    name: 'Steel.docx',
  });
  await service.settled();
  await slack.waitForMessage(channel, 'Steel.docx');
  const elsewhere = slack.addChannel({ name: 'preview elsewhere', members: [dana, sam] });
  await stage.forgetSlack();

  const form = await secondStep(elsewhere);
  await openMore(dana, form);
  // Folders that this person's subscriptions have mentioned are offered by name.
  expect(wordsOf(form)).toContain('Details');
  await slack.click({
    user: dana,
    view: form,
    actionId: 'form_preview',
    state: { folders: ['Details/**'], people: [dana.id, sam.id] },
  });
  const preview = await slack.waitForView(dana, /would have been posted/);
  const [, posted, of] = /(\d+) of the last (\d+) changes to this project/.exec(wordsOf(preview)) ?? [];
  expect(Number(of)).toBeGreaterThan(Number(posted));
  // The three files, and the project’s own new name.
  expect(Number(posted)).toBe(4);
  // The same message that the channel got, without its buttons and menus.
  expect(wordsOf(preview)).toMatch(/added 3 files to Details/);
  for (const name of ['D-1.pdf', 'D-2.pdf', 'D-3.pdf']) expect(wordsOf(preview)).toContain(name);
  expect(wordsOf(preview)).not.toContain('Steel.docx');
  expect(wordsOf(preview)).toMatch(/Posting changes by .*Sam Okafor/);
  await slack.closeView({ user: dana });
  expect(held(form, 'folders')).toEqual([expect.objectContaining({ value: 'Details/**' })]);
  await slack.submitView({ user: dana });
  const made = await slack.waitForMessage(elsewhere, 'to this channel');
  expect(slack.textOf(made)).toContain('Details/**');

  // Sam is not in the channel with these events, and must not learn how many there were.
  const sams = await secondStep(elsewhere, sam);
  await slack.click({ user: sam, view: sams, actionId: 'form_preview' });
  await slack.waitForView(sam, 'No activity yet');
  await slack.closeView({ user: sam, cleared: true });
});

test('the preview leaves out what another person’s subscription may never post, and what a channel with strangers got', async () => {
  const { slack, dana, sam } = stage;
  const id = '555-222-000';
  const asDana = (action: Parameters<Stage['service']['act']>[1]) =>
    stage.service.act('dana@example.com', action);
  asDana({ action: 'create-project', name: 'Ferry terminal', id });
  asDana({ action: 'set-permission', project: id, email: 'sam@example.com', permission: 'read' });
  const open = slack.addChannel({ name: 'open', members: [dana, sam] });
  await following(sam, open, `/subscribe project ${id}`);
  const live = stage.service.subscriptions.all().at(-1)?.uri ?? '';
  const waiting = slack.addChannel({ name: 'waiting', members: [dana, sam] });
  await following(sam, waiting, `/subscribe project ${id} digest daily 09:00 in "Bids/**"`);
  const held = stage.service.subscriptions.all().at(-1)?.uri ?? '';
  const shared = slack.addChannel({ name: 'strangers', members: [dana, sam] });
  await following(sam, shared, `/subscribe project ${id}`);
  const strangers = stage.service.subscriptions.all().at(-1)?.uri ?? '';
  shared.isExtShared = true;
  await slack.event({ type: 'channel_shared', channel: shared.id, event_ts: String(Date.now() / 1_000) });
  const inProject = { projectId: id };
  await notify(held, { item: 'W', name: 'Unjudged.pdf', ...inProject });
  await notify(strangers, { item: 'S', name: 'Strangers.pdf', ...inProject });
  await notify(live, { item: 'P', name: 'Posted.pdf', ...inProject });
  await slack.waitForMessage(shared, 'Strangers.pdf');
  await slack.waitForMessage(open, 'Posted.pdf');
  await stage.forgetSlack();

  const chosen = slack.addChannel({ name: 'chosen', members: [dana, sam] });
  const previewIn = async (channel: Channel, user: User) => {
    const form = await secondStep(channel, user, `https://studio.example/projects/${id}`);
    await slack.click({ user, view: form, actionId: 'form_preview' });
    const words = wordsOf(await slack.waitForView(user, 'would have been posted'));
    await slack.closeView({ user, cleared: true });
    return words;
  };
  const danas = await previewIn(chosen, dana);
  expect(danas).toContain('Posted.pdf');
  expect(danas).not.toMatch(/Unjudged|Strangers/);
  expect(await previewIn(shared, dana)).toContain('Strangers.pdf');
  // Sam's own link received it.
  expect(await previewIn(chosen, sam)).toContain('Unjudged.pdf');
});

test('what a wider subscription of the channel posts already is said after I send the form', async () => {
  const { slack, service, dana } = stage;
  const channel = slack.addChannel({ name: 'covered', members: [dana] });
  await stage.type(dana, '/subscribe session 731-450-286', channel);
  await slack.waitForMessage(channel, 'to this channel');
  const { data } = service;
  const document = data.document(data.session('731-450-286'), 'Curtain wall.pdf').id;
  await secondStep(channel, dana, `document 731-450-286 ${document}`);
  await slack.submitView({ user: dana });
  await slack.waitForMessage(channel, `document \`${document}\``);
  const answer = await slack.waitForEphemeral(dana, 'posts these changes');
  expect(answer.channelId).toBe(channel.id);
  expect(slack.textOf(answer)).not.toContain('To try again');
});

test('a form that I opened in a channel shows nothing of it once I have left', async () => {
  const { slack, teamId, dana, sam } = stage;
  const channel = slack.addChannel({ name: 'left open', kind: 'private', members: [dana, sam] });
  await following(dana, channel);
  const uri = stage.service.subscriptions.all().at(-1)?.uri ?? '';
  const form = await secondStep(channel, sam);
  channel.members.delete(sam.id);
  await slack.event({ type: 'member_left_channel', channel: channel.id, user: sam.id, team: teamId });
  await notify(uri, { item: 'L1', name: 'Later.pdf', path: 'Root/Later/Later.pdf', idPath: 'root/L0/L1' });
  await slack.waitForMessage(channel, 'Later.pdf');
  await openMore(sam, form);
  expect(JSON.stringify(form.blocks)).not.toContain('Later');
});

test('the preview of a digest shows everything that the next one would hold, and first what is posted right away', async () => {
  const { slack, dana } = stage;
  const channel = slack.addChannel({ name: 'digest preview', members: [dana] });
  await following(
    dana,
    channel,
    `/subscribe project ${project} in "Digested/**" digest hourly except deleted`,
  );
  const uri = stage.service.subscriptions.all().at(-1)?.uri ?? '';
  for (let row = 1; row <= 11; row += 1) {
    const name = `Row ${row}.pdf`;
    await notify(uri, { item: name, name, path: `Root/Digested/${name}` });
  }
  const byDana = { item: 'By Dana', name: 'By Dana.pdf', path: 'Root/Digested/By Dana.pdf' };
  await notify(uri, { ...byDana, user: 'dana@example.com' });
  await notify(uri, { item: 'Gone', name: 'Gone.pdf', path: 'Root/Digested/Gone.pdf', eventType: 'Delete' });
  await slack.waitForMessage(channel, 'Gone.pdf');
  // What Slack said a while ago about the channels that Dana is in.
  await query('delete from plancast.keyv');
  await chooseInMenu(dana, await listOf(dana, channel), 'edit');
  const form = await slack.waitForView(dana, 'Edit subscription');
  await slack.click({ user: dana, view: form, actionId: 'form_preview' });
  const preview = wordsOf(await slack.waitForView(dana, 'would have been posted'));
  expect(preview).toMatch(/deleted.*Gone\.pdf.*What the next digest would look like:.*13 changes/s);
  const [, digest = ''] = preview.split('What the next digest would look like:');
  expect(digest).toMatch(/Sam Okafor.* added 11 files to Root › Digested:.*Row 1\.pdf/);
  expect(digest).toMatch(/Dana Reyes.* added .*By Dana\.pdf/);
  expect(digest).not.toContain('Gone.pdf');
  expect(preview).not.toContain('The latest');
  await slack.closeView({ user: dana, cleared: true });
});

test('a person who left a private channel previews nothing of a subscription with the form they had opened to edit it', async () => {
  const { slack, teamId, dana, sam } = stage;
  const channel = slack.addChannel({ name: 'left edit', kind: 'private', members: [dana, sam] });
  const secret = `Bids/${'Offer '.repeat(100)}`;
  // Too long for a field, so the form itself does not show them.
  const paths = Array.from({ length: 6 }, (_, index) => `"${secret}${index}"`).join(' ');
  await following(dana, channel, `/subscribe project ${project} in ${paths}`);
  await chooseInMenu(sam, await listOf(sam, channel), 'edit');
  const form = await slack.waitForView(sam, 'too long to edit here');
  expect(JSON.stringify(form.blocks)).not.toContain('Bids/');
  channel.members.delete(sam.id);
  await slack.event({ type: 'member_left_channel', channel: channel.id, user: sam.id, team: teamId });
  await slack.click({ user: sam, view: form, actionId: 'form_preview' });
  const preview = await slack.waitForView(sam, (view) =>
    /in the channel|would have been/.test(wordsOf(view)),
  );
  expect(wordsOf(preview)).toContain('Only people in the channel can do that');
  expect(wordsOf(preview)).not.toContain('Bids');
  await slack.closeView({ user: sam });
  await slack.closeView({ user: sam });
});

test('a guest cannot preview anything with a form that they opened as a member', async () => {
  const { slack, teamId, dana } = stage;
  const gil = slack.addUser({ teamId, name: 'Gil Going' });
  const channel = slack.addChannel({ name: 'made a guest', members: [dana, gil] });
  await following(dana, channel);
  const form = await secondStep(channel, gil);
  gil.isRestricted = true;
  // What Slack said about people a few seconds ago.
  await query('delete from plancast.keyv');
  await slack.click({ user: gil, view: form, actionId: 'form_preview' });
  await slack.waitForDirectMessage(gil, 'Guests can’t do that');
  expect(slack.lastView(gil)?.id).toBe(form.id);
});

test('a question about a request too long for a button is still asked', async () => {
  const { slack, dana } = stage;
  const channel = slack.addChannel({ name: 'long', members: [dana], isExtShared: true });
  await openMore(dana, await secondStep(channel));
  const paths = Array.from({ length: 45 }, (_, index) => `Plans/Level ${index}/${'Drawings/'.repeat(5)}**`);
  await slack.submitView({
    user: dana,
    values: { paths: paths.join('\n') },
  });
  const question = await slack.waitForEphemeral(dana, ({ channelId }) => channelId === channel.id);
  await slack.click({ user: dana, message: question, element: slack.button(question, 'Subscribe anyway') });
  await slack.waitForMessage(channel, 'or 41 more');
});

test('a request from the form is completed once the person has linked their account', async () => {
  const { slack, ravi } = stage;
  const channel = slack.addChannel({ name: 'not linked', members: [ravi] });
  await secondStep(channel, ravi);
  await slack.submitView({ user: ravi, values: { types: ['delete'] } });
  const offer = await slack.waitForEphemeral(
    ravi,
    /I’ll finish `\/subscribe project 412-873-550 only deleted` as soon as you’re linked/,
  );
  const page = await stage.linkInBrowser(String(slack.button(offer, 'Link').element.url), 'lee@example.com');
  const code = /\b[A-HJ-NP-Z2-9]{6}\b/.exec(page.replaceAll(/<[^>]*>/g, ' '))?.[0] ?? '';
  await stage.type(ravi, `/plancast link ${code}`, channel);
  const made = await slack.waitForMessage(channel, 'to this channel');
  expect(slack.textOf(made)).toContain('Posting deleted');
});

test('a form from outside a channel reads the workspace settings once when it is submitted', async () => {
  const { slack, dana } = stage;
  const channel = slack.addChannel({ name: 'read once', members: [dana] });
  await choose(dana, await callShortcut(), link);
  const reads = settingsReads();
  await slack.submitView({ user: dana, values: { channel: channel.id } });
  await slack.waitForMessage(channel, 'to this channel');
  expect(reads()).toBe(1);
});

test('the shortcut asks for the channel, and only a person in that channel can subscribe it', async () => {
  const { slack, dana, sam } = stage;
  const channel = slack.addChannel({ name: 'by shortcut', members: [dana] });
  await choose(dana, await callShortcut(), link);
  await slack.submitView({ user: dana, values: { channel: channel.id } });
  await slack.waitForMessage(channel, 'Dana Reyes added');

  const others = slack.addChannel({ name: 'of others', members: [dana] });
  await choose(sam, await callShortcut(sam), link);
  const { errors } = await slack.submitView({ user: sam, values: { channel: others.id } });
  expect(errors).toEqual({ channel: 'Only people in the channel can do that. Join it first.' });
  await slack.closeView({ user: sam, cleared: true });
  expect(slack.messages(others)).toEqual([]);
});

test('a private channel without the bot is refused before the form opens and when it is chosen in the form', async () => {
  const { slack, service, dana, secret } = stage;
  const before = service.subscriptions.all().length;
  await stage.type(dana, '/subscribe', secret);
  const answer = await slack.waitForEphemeral(dana, 'I’m not in this channel');
  expect(answer.channelId).toBe(secret.id);
  await choose(dana, await callShortcut(), link);
  const { errors } = await slack.submitView({ user: dana, values: { channel: secret.id } });
  expect(errors).toEqual({ channel: expect.stringContaining('I’m not in this channel') });
  expect(service.subscriptions.all().length).toBe(before);
});

test('in a channel with people from other organizations the member is asked first, once', async () => {
  const { slack, service, dana } = stage;
  const channel = slack.addChannel({ name: 'with others', members: [dana], isExtShared: true });
  const before = service.subscriptions.all().length;
  await stage.type(dana, `/subscribe project ${project}`, channel);
  const first = await slack.waitForEphemeral(dana, 'shared with another organization');
  await slack.click({ user: dana, message: first, element: slack.button(first, 'Don’t subscribe') });
  await expect.poll(() => first.deletedAt).toBeDefined();
  expect(service.subscriptions.all().length).toBe(before);
  await stage.type(dana, `/subscribe project ${project}`, channel);
  const second = await slack.waitForEphemeral(dana, 'shared with another organization');
  await slack.click({ user: dana, message: second, element: slack.button(second, 'Subscribe anyway') });
  await slack.waitForMessage(channel, 'to this channel');
  await stage.type(dana, `/subscribe project ${project} only create`, channel);
  await slack.waitForMessage(channel, 'changed the subscription');
  expect(service.subscriptions.all().length).toBe(before + 1);
});

test('a form that Slack did not open in time is answered with a note to try again', async () => {
  const { slack, dana, plans } = stage;
  slack.fault({ method: 'views.open', error: 'expired_trigger_id', times: 1 });
  await stage.type(dana, '/subscribe', plans);
  await slack.waitForEphemeral(dana, 'Slack took too long to open the form. Try again.');
});

test('a request that the service refused can be sent again as it was filled in', async () => {
  const { slack, dana } = stage;
  const channel = slack.addChannel({ name: 'refused', members: [dana] });
  await secondStep(channel, dana, 'https://studio.example/projects/999999999');
  await slack.submitView({ user: dana, values: { types: ['delete'] } });
  const answer = await slack.waitForEphemeral(dana, (message) => message.channelId === channel.id);
  expect(answer.text).toContain('/subscribe project 999-999-999 only delete');
  expect(slack.messages(channel)).toEqual([]);
});

test('Slack objected to nothing the bot showed', () => {
  expect(stage.slack.violations.filter(({ kind }) => kind !== 'rate')).toEqual([]);
});
