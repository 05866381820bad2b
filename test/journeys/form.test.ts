import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import type { View } from '../../sandbox/slack/views.ts';
import * as seenRequests from '../../src/store/tables/seen-requests.ts';
import { notify } from '../support/notify.ts';
import { settingsReads } from '../support/settings-reads.ts';
import { type Stage, setStage } from '../support/stage.ts';
import { held, makeStageActions } from '../support/stage-actions.ts';

const project = '412-873-550';
let stage: Stage;
beforeAll(async () => {
  stage = await setStage({ name: 'form' });
  await stage.link(stage.dana, 'dana@example.com');
});
const { chooseInMenu, following, listOf, query } = makeStageActions(() => stage);
// A member has thirty actions a minute, and this file needs more.
beforeEach(() => stage.advance(61_000));
afterAll(() => stage.close());

/** Returns the form that opens next, ignoring any form that is still open. */
async function newForm(user: typeof stage.dana, open: () => Promise<unknown>): Promise<View> {
  const before = stage.slack.lastView(user)?.id;
  await open();
  return stage.slack.waitForView(
    user,
    (view) => view.id !== before && stage.slack.textOf(view).includes('Link or id'),
  );
}

const openForm = (line = '/subscribe', channel = stage.plans, user = stage.dana) =>
  newForm(user, () => stage.type(user, line, channel));
const callShortcut = (user = stage.dana) =>
  newForm(user, () => stage.slack.shortcut({ user, callbackId: 'subscribe' }));

const link = `https://studio.example/projects/${project}`;
const wordsOf = (view: View) => stage.slack.textOf(view);

/** Enters a link or id and waits until the form has reacted to it. */
async function enter(form: View, resource: string, until: string, user = stage.dana): Promise<void> {
  await stage.slack.click({ user, view: form, actionId: 'form_resource', value: resource });
  await expect.poll(() => JSON.stringify(form.blocks)).toContain(until);
}

/** Returns a function that waits until Slack has answered every redraw requested since this call. */
function watchRedraws(): () => Promise<void> {
  const { slack } = stage;
  const before = slack.callsOf('views.update').length;
  const outcomes = () =>
    slack
      .callsOf('views.update')
      .slice(before)
      .map(({ outcome }) => outcome);
  return () => expect.poll(outcomes).not.toContain(undefined);
}

async function openMore(form: View, user = stage.dana): Promise<void> {
  await stage.slack.click({ user, view: form, actionId: 'form_more' });
  await expect.poll(() => JSON.stringify(form.blocks)).toContain('Ignore changes by');
}

test('three faults of a form are shown at their fields, all at once, and the corrected form subscribes', async () => {
  const { slack, dana } = stage;
  const channel = slack.addChannel({ name: 'corrected', members: [dana] });
  const form = await openForm('/subscribe', channel);
  await openMore(form);
  const faulty = { resource: '412-87', paths: 'Plans/**\n!', by_emails: 'dana.example.com' };
  const wrong = await slack.submitView({ user: dana, values: faulty });
  expect(wrong.outcome).toBe('errors');
  expect(new Set(Object.keys(wrong.errors))).toEqual(new Set(['resource', 'paths', 'by_emails']));
  expect(wrong.errors.resource).toMatch(/“412-87” doesn’t work here.*9-digit id/);
  expect(wrong.errors.paths).toMatch(/“!”.*a path/);
  expect(wrong.errors.by_emails).toMatch(/“dana.example.com”.*email/);
  expect(slack.messages(channel)).toEqual([]);
  // Preview lists the same faults when a form cannot be previewed, and leaves the form unchanged.
  await slack.click({ user: dana, view: form, actionId: 'form_preview' });
  const first = await slack.waitForView(dana, 'Fix this first');
  expect(wordsOf(first)).toMatch(/Link or id: “412-87”.*Only changes by \(email\): “dana.example.com”/s);
  await slack.closeView({ user: dana });
  expect(held(form, 'form_paths')).toBe(faulty.paths);

  const right = await slack.submitView({
    user: dana,
    values: { resource: link, paths: 'Plans/Level 1/**\n"!Archive/**"', by_emails: 'sam@example.com' },
  });
  expect(right.outcome).toBe('closed');
  const made = await slack.waitForMessage(channel, 'subscribed this channel');
  expect(made.text).toMatch(/Dana Reyes subscribed this channel to project 412-873-550/);
  const text = slack.textOf(made);
  expect(text).toContain('Plans/Level 1/**');
  expect(text).toContain('Archive/**');
  expect(text).toContain('sam@example.com');
});

test('a link decides the kind and offers only what fits it; half a link changes nothing yet', async () => {
  const { slack, dana } = stage;
  const channel = slack.addChannel({ name: 'links', members: [dana] });
  const form = await openForm('/plancast subscribe', channel);
  expect(wordsOf(form)).not.toContain('Scope');
  const shown = form.updates;
  await slack.click({
    user: dana,
    view: form,
    actionId: 'form_resource',
    value: 'https://studio.example/ses',
  });
  await stage.bot.runChore('sweep');
  expect(form.updates).toBe(shown);
  await enter(form, 'https://studio.example/sessions/731450286?tab=a&b=c', 'Detected from the link');
  expect(wordsOf(form)).toContain('A document in it');
  expect(wordsOf(form)).not.toContain('A folder in it');
  expect(wordsOf(form)).toMatch(/Scope.*Session and its documents.*Session itself, without its documents/s);
  await slack.submitView({ user: dana, values: { scope: 'plain' } });
  const made = await slack.waitForMessage(channel, 'subscribed this channel');
  expect(made.text).toContain('session 731-450-286');
});

test('for a bare id the form asks what it is, even if it was sent at once, and nothing typed is lost', async () => {
  const { slack, dana } = stage;
  const channel = slack.addChannel({ name: 'bare', members: [dana] });
  const form = await openForm('/subscribe', channel);
  const bare = await slack.submitView({ user: dana, values: { resource: '731450286', types: ['delete'] } });
  expect(bare.outcome).toBe('updated');
  expect(wordsOf(form)).toContain('What is 731-450-286?');
  expect(held(form, 'form_resource')).toBe('731450286');
  const sent = await slack.submitView({ user: dana, values: { kind: 'session' } });
  expect(sent.outcome).toBe('closed');
  const made = await slack.waitForMessage(channel, 'subscribed this channel');
  expect(made.text).toContain('session 731-450-286');
  expect(slack.textOf(made)).toContain('deleted');
  expect(slack.textOf(made)).not.toContain('added');
});

test('a daily digest on weekdays at a time I chose, deletions right away, under a name I chose', async () => {
  const { slack, dana } = stage;
  const channel = slack.addChannel({ name: 'digest', members: [dana] });
  const form = await openForm('/subscribe', channel);
  await slack.click({ user: dana, view: form, actionId: 'form_when', value: 'daily' });
  await expect.poll(() => held(form, 'form_at')).toBe('09:00');
  expect(wordsOf(form)).toContain('In your time zone (Europe/London)');
  await slack.click({ user: dana, view: form, actionId: 'form_at', value: '07:30' });
  // Fields that disappear while another choice is tried keep their values.
  await slack.click({ user: dana, view: form, actionId: 'form_when', value: 'live' });
  await expect.poll(() => wordsOf(form)).not.toContain('Monday to Friday');
  await slack.click({ user: dana, view: form, actionId: 'form_when', value: 'daily' });
  await expect.poll(() => held(form, 'form_at')).toBe('07:30');
  await openMore(form);
  await slack.submitView({
    user: dana,
    values: { resource: link, days: 'weekdays', except: ['delete'], name: 'Harbour Tower' },
  });
  await slack.waitForMessage(channel, 'subscribed this channel');
  const { rows } = await stage.database
    .connect()
    .pool.query('select delivery from plancast.subscriptions where channel_id = $1', [channel.id]);
  expect(rows).toEqual([
    {
      delivery: { when: 'daily', at: '07:30', zone: 'Europe/London', weekdays: true, except: ['delete'] },
    },
  ]);
});

test('a change that reaches the bot after a newer one does not reset the form', async () => {
  const { slack, dana } = stage;
  const form = await openForm();
  const { botRequestUrl } = slack;
  slack.botRequestUrl = `${stage.bot.publicUrl}/elsewhere`;
  const late = await slack.click({ user: dana, view: form, actionId: 'form_when', value: 'live' });
  slack.botRequestUrl = botRequestUrl;
  await slack.click({ user: dana, view: form, actionId: 'form_when', value: 'daily' });
  await expect.poll(() => held(form, 'form_at')).toBe('09:00');
  expect((await late.replay()).status).toBe(200);
  // Later clicks are still answered.
  await slack.click({ user: dana, view: form, actionId: 'form_preview' });
  await slack.waitForView(dana, 'Fix this first');
  await slack.closeView({ user: dana });
  expect(wordsOf(form)).toContain('Monday to Friday');
});

test('of two changes at once the form shows the newer one, even if Slack draws the older one last', async () => {
  const { slack, dana } = stage;
  const form = await openForm();
  const redrawn = watchRedraws();
  slack.fault({ method: 'views.update', delayMs: 300, times: 1 });
  await Promise.all(
    ['live', 'daily'].map((value) => slack.click({ user: dana, view: form, actionId: 'form_when', value })),
  );
  await expect.poll(() => wordsOf(form)).toContain('Monday to Friday');
  await redrawn();
  expect(wordsOf(form)).toContain('Monday to Friday');
});

test('a change that I make at once in the Edit form is not undone by what the form looks up', async () => {
  const { slack, dana } = stage;
  const channel = slack.addChannel({ name: 'edited at once', members: [dana] });
  await following(dana, channel);
  const list = await listOf(dana, channel);
  const redrawn = watchRedraws();
  const lookedUp = slack.fault({ method: 'views.update', delayMs: 300, times: 1 });
  await chooseInMenu(dana, list, 'edit');
  const form = await slack.waitForView(dana, 'Edit subscription');
  await expect.poll(lookedUp.hits).toBe(1);
  await slack.click({ user: dana, view: form, actionId: 'form_more' });
  await expect.poll(() => wordsOf(form)).toContain('Ignore changes by');
  await redrawn();
  expect(wordsOf(form)).toContain('Ignore changes by');
  await slack.closeView({ user: dana });
});

test('More options stays open if something else was changed before the form showed it', async () => {
  const { slack, dana } = stage;
  const form = await openForm();
  const redrawn = watchRedraws();
  const slow = slack.fault({ method: 'views.update', delayMs: 300, times: 2 });
  await slack.click({ user: dana, view: form, actionId: 'form_more' });
  await slack.click({ user: dana, view: form, actionId: 'form_when', value: 'daily' });
  await expect.poll(() => wordsOf(form)).toContain('Monday to Friday');
  await expect.poll(() => wordsOf(form)).toContain('Ignore changes by');
  await redrawn();
  expect(wordsOf(form)).toContain('Ignore changes by');
  slow.clear();
});

test('More options stays open if a later change overtakes the press', async () => {
  const { slack, dana } = stage;
  const form = await openForm();
  const redrawn = watchRedraws();
  // Until the later change is being drawn, the database does not get to record the press.
  const inTheWay = await stage.database.connect().db.startTransaction().execute();
  await seenRequests.noteMore(inTheWay, form.id, stage.now());
  const drawing = slack.fault({ method: 'views.update', delayMs: 500, times: 1 });
  await slack.click({ user: dana, view: form, actionId: 'form_more' });
  await slack.click({ user: dana, view: form, actionId: 'form_when', value: 'daily' });
  await expect.poll(drawing.hits).toBe(1);
  await inTheWay.rollback().execute();
  await expect.poll(() => wordsOf(form)).toContain('Ignore changes by');
  await redrawn();
  expect(wordsOf(form)).toContain('Monday to Friday');
});

test('a form that is sent twice makes one subscription', async () => {
  const { slack, service, dana } = stage;
  const channel = slack.addChannel({ name: 'twice', members: [dana] });
  await openForm('/subscribe', channel);
  const before = service.subscriptions.all().length;
  const sent = await slack.submitView({ user: dana, values: { resource: link } });
  const again = await sent.replay();
  expect(again.status).toBe(200);
  await slack.waitForMessage(channel, 'subscribed this channel');
  await stage.bot.runChore('sweep');
  expect(service.subscriptions.all().length).toBe(before + 1);
  // A second subscription would have been answered privately: the channel already has it.
  expect(slack.ephemerals(dana, channel)).toEqual([]);
});

test('folders are offered by name, and the preview shows the messages that would have been posted', async () => {
  const { slack, service, dana, sam } = stage;
  const channel = slack.addChannel({ name: 'preview', members: [dana] });
  await stage.type(dana, `/subscribe project ${project}`, channel);
  await slack.waitForMessage(channel, 'subscribed this channel');
  for (let number = 1; number <= 3; number += 1) {
    service.act('dana@example.com', {
      action: 'create-file',
      project: 'Harbour Tower',
      parent: 'Details',
      name: `D-${number}.pdf`,
    });
  }
  service.act('sam@example.com', {
    action: 'create-file',
    project: 'Harbour Tower',
    parent: 'Specifications',
    name: 'Steel.docx',
  });
  await service.settled();
  await slack.waitForMessage(channel, 'Steel.docx');
  const elsewhere = slack.addChannel({ name: 'preview elsewhere', members: [dana, sam] });

  const form = await openForm('/subscribe', elsewhere);
  await enter(form, link, 'Detected from the link');
  await openMore(form);
  // Folders that this person's subscriptions have mentioned are offered by name.
  expect(wordsOf(form)).toContain('Details');
  await slack.click({
    user: dana,
    view: form,
    actionId: 'form_preview',
    state: { folders: ['Details/**'], by_users: [dana.id, sam.id] },
  });
  const preview = await slack.waitForView(dana, /would have been posted/);
  const [, posted, of] = /(\d+) of the last (\d+) changes to this project/.exec(wordsOf(preview)) ?? [];
  expect(Number(of)).toBeGreaterThan(Number(posted));
  expect(Number(posted)).toBe(3);
  // The same messages that the channel got, without their buttons and menus.
  for (const name of ['D-1.pdf', 'D-2.pdf', 'D-3.pdf']) expect(wordsOf(preview)).toContain(name);
  expect(wordsOf(preview)).not.toContain('Steel.docx');
  await slack.closeView({ user: dana });
  // People are named in the line to type, as in Slack, and not by their ids.
  await enter(form, link, 'by me @Sam Okafor`');
  expect(held(form, 'form_folders')).toEqual([expect.objectContaining({ value: 'Details/**' })]);
  await slack.submitView({ user: dana });
  const made = await slack.waitForMessage(elsewhere, 'subscribed this channel');
  expect(slack.textOf(made)).toContain('Details/**');

  // Sam is not in the channel with these events, and must not learn how many there were.
  await stage.link(sam, 'sam@example.com');
  const sams = await openForm('/subscribe', elsewhere, sam);
  await slack.click({
    user: sam,
    view: sams,
    actionId: 'form_preview',
    state: { resource: link },
  });
  await slack.waitForView(sam, 'No activity yet');
  await slack.closeView({ user: sam });
  await slack.closeView({ user: sam });
});

test('a folder is chosen by its name if it is known, or else by its id', async () => {
  const { slack, service, dana } = stage;
  const channel = slack.addChannel({ name: 'folder', members: [dana] });
  const { data } = service;
  const details = data.item(data.project(project), 'Details').id;
  const form = await openForm('/subscribe', channel);
  await enter(form, link, 'Detected from the link');
  await slack.click({ user: dana, view: form, actionId: 'form_kind_project', value: 'folder' });
  await expect.poll(() => wordsOf(form)).toContain('Or its id');
  expect(wordsOf(form)).toMatch(/Folder and its contents.*Folder itself, without its contents/s);
  const none = await slack.submitView({ user: dana });
  expect(none.errors).toEqual({ item: expect.stringContaining('the id of the folder') });
  await slack.submitView({ user: dana, values: { folder: details, scope: 'plain' } });
  const made = await slack.waitForMessage(channel, 'subscribed this channel');
  expect(made.text).toContain('folder “Details” itself, without its contents');
});

test('what a wider subscription of the channel posts already is said after I send the form', async () => {
  const { slack, service, dana } = stage;
  const channel = slack.addChannel({ name: 'covered', members: [dana] });
  await stage.type(dana, '/subscribe session 731-450-286', channel);
  await slack.waitForMessage(channel, 'subscribed this channel');
  const { data } = service;
  const document = data.document(data.session('731-450-286'), 'Curtain wall.pdf').id;
  const form = await openForm('/subscribe', channel);
  await enter(form, 'https://studio.example/sessions/731450286', 'Detected from the link');
  await slack.click({ user: dana, view: form, actionId: 'form_kind_session', value: 'document' });
  await expect.poll(() => wordsOf(form)).toContain('Id of the document');
  await slack.submitView({ user: dana, values: { item: document } });
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
  const form = await openForm('/subscribe', channel, sam);
  channel.members.delete(sam.id);
  await slack.event({ type: 'member_left_channel', channel: channel.id, user: sam.id, team: teamId });
  await notify(uri, { item: 'L1', name: 'Later.pdf', path: 'Root/Later/Later.pdf', idPath: 'root/L0/L1' });
  await slack.waitForMessage(channel, 'Later.pdf');
  await enter(form, link, 'Detected from the link', sam);
  await openMore(form, sam);
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
  expect(preview).toMatch(/deleted.*Gone\.pdf.*What the next digest would look like:.*12 changes/s);
  const [, digest = ''] = preview.split('What the next digest would look like:');
  expect(digest).toMatch(/Sam Okafor.* added 11 files to Root › Digested:.*Row 1\.pdf/);
  expect(digest).toMatch(/Dana Reyes.* added .*By Dana\.pdf/);
  expect(digest).not.toContain('Gone.pdf');
  expect(preview).not.toContain('The latest');
  await slack.closeView({ user: dana });
  await slack.closeView({ user: dana });
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
  const form = await openForm('/subscribe', channel, gil);
  await enter(form, link, 'Detected from the link', gil);
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
  await openMore(await openForm('/subscribe', channel));
  const paths = Array.from({ length: 45 }, (_, index) => `Plans/Level ${index}/${'Drawings/'.repeat(5)}**`);
  await slack.submitView({
    user: dana,
    values: { resource: link, paths: paths.join('\n') },
  });
  const question = await slack.waitForEphemeral(dana, ({ channelId }) => channelId === channel.id);
  await slack.click({ user: dana, message: question, element: slack.button(question, 'Subscribe anyway') });
  await slack.waitForMessage(channel, 'or 41 more');
});

test('a request from the form is completed once the person has linked their account', async () => {
  const { slack, ravi } = stage;
  const channel = slack.addChannel({ name: 'not linked', members: [ravi] });
  await openForm('/subscribe', channel, ravi);
  await slack.submitView({ user: ravi, values: { resource: link, types: ['delete'] } });
  const offer = await slack.waitForEphemeral(
    ravi,
    /I’ll finish `\/subscribe project 412-873-550 only deleted` as soon as you’re linked/,
  );
  const page = await stage.linkInBrowser(String(slack.button(offer, 'Link').element.url), 'lee@example.com');
  const code = /\b[A-HJ-NP-Z2-9]{6}\b/.exec(page.replaceAll(/<[^>]*>/g, ' '))?.[0] ?? '';
  await stage.type(ravi, `/plancast link ${code}`, channel);
  const made = await slack.waitForMessage(channel, 'subscribed this channel');
  expect(slack.textOf(made)).toContain('Posting deleted');
});

test('a form from outside a channel reads the workspace settings once when it is submitted', async () => {
  const { slack, dana } = stage;
  const channel = slack.addChannel({ name: 'read once', members: [dana] });
  const form = await callShortcut();
  const reads = settingsReads();
  await slack.submitView({
    user: dana,
    viewId: form,
    values: { form_channel: channel.id, form_resource: link },
  });
  await slack.waitForMessage(channel, 'subscribed this channel');
  expect(reads()).toBe(1);
});

test('the shortcut asks for the channel, and only a person in that channel can subscribe it', async () => {
  const { slack, dana, sam } = stage;
  const channel = slack.addChannel({ name: 'by shortcut', members: [dana] });
  await callShortcut();
  await slack.submitView({
    user: dana,
    values: { channel: channel.id, resource: link },
  });
  await slack.waitForMessage(channel, 'Dana Reyes subscribed this channel');

  const others = slack.addChannel({ name: 'of others', members: [dana] });
  await callShortcut(sam);
  await slack.submitView({ user: sam, values: { channel: others.id, resource: link } });
  await slack.waitForEphemeral(sam, 'Only people in the channel can do that');
  expect(slack.messages(others)).toEqual([]);
});

test('a private channel without the bot is refused before the form opens and when it is chosen in the form', async () => {
  const { slack, service, dana, secret } = stage;
  const before = service.subscriptions.all().length;
  await stage.type(dana, '/subscribe', secret);
  const answer = await slack.waitForEphemeral(dana, 'I’m not in this channel');
  expect(answer.channelId).toBe(secret.id);
  const form = await callShortcut();
  await slack.click({ user: dana, view: form, actionId: 'form_channel', value: secret.id });
  await slack.waitForView(dana, 'I’m not in that channel');
  await slack.submitView({ user: dana, values: { resource: link } });
  await slack.waitForEphemeral(dana, 'I can’t check right now whether you’re in it');
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
  await slack.waitForMessage(channel, 'subscribed this channel');
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
  await openForm('/subscribe', channel);
  await slack.submitView({
    user: dana,
    values: { resource: 'https://studio.example/projects/999999999', types: ['delete'] },
  });
  const answer = await slack.waitForEphemeral(dana, (message) => message.channelId === channel.id);
  expect(answer.text).toContain('/subscribe project 999-999-999 only delete');
  expect(slack.messages(channel)).toEqual([]);
});

test('Slack objected to nothing the bot showed', () => {
  expect(stage.slack.violations.filter(({ kind }) => kind !== 'rate')).toEqual([]);
});
