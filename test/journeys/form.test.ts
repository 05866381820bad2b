import { afterAll, beforeAll, expect, test } from 'vitest';
import type { View } from '../../sandbox/slack/views.ts';
import { held } from '../support/hands.ts';
import { type Stage, setStage } from '../support/stage.ts';

const project = '412-873-550';
let stage: Stage;
beforeAll(async () => {
  stage = await setStage({ name: 'form' });
  await stage.link(stage.dana, 'dana@example.com');
});
afterAll(() => stage.close());

/** The form that opens next, in place of any that is open still. */
async function newForm(user: typeof stage.dana, open: () => Promise<unknown>): Promise<View> {
  const before = stage.slack.lastView(user)?.id;
  await open();
  return stage.slack.waitForView(
    user,
    (view) => view.id !== before && stage.slack.textOf({ ...view, text: '' }).includes('What to follow'),
  );
}

const openForm = (line = '/subscribe', channel = stage.plans, user = stage.dana) =>
  newForm(user, () => stage.type(user, line, channel));
const callShortcut = (user = stage.dana) =>
  newForm(user, () => stage.slack.shortcut({ user, callbackId: 'subscribe' }));

test('three faults of a form are told at their fields, all at once, and what is mended is then carried out', async () => {
  const { slack, dana } = stage;
  const channel = slack.addChannel({ name: 'mended', members: [dana] });
  const form = await openForm('/subscribe', channel);
  const faulty = { kind: 'project', resource: '412-87', paths: 'Plans/**\n!', by_emails: 'dana.example.com' };
  // Before it is sent the form says only which field is not understood; what was expected is told once, at the field.
  await slack.click({ user: dana, view: form, actionId: 'form_preview', state: faulty });
  const told = await slack.waitForView(dana, '“412-87” is not understood yet');
  expect(slack.textOf({ ...told, text: '' })).not.toContain('I expected');
  const wrong = await slack.submitView({ user: dana, values: faulty });
  expect(wrong.outcome).toBe('errors');
  expect(new Set(Object.keys(wrong.errors))).toEqual(new Set(['resource', 'paths', 'by_emails']));
  expect(wrong.errors.resource).toMatch(/“412-87”.*9-digit id of a project/);
  expect(wrong.errors.paths).toMatch(/“!”.*a path/);
  expect(wrong.errors.by_emails).toMatch(/“dana.example.com”.*e-mail/);
  expect(slack.messages(channel)).toEqual([]);

  const right = await slack.submitView({
    user: dana,
    values: {
      resource: '412 873 550',
      paths: 'Plans/Level 1/**\n"!Archive/**"',
      by_emails: 'sam@example.com',
    },
  });
  expect(right.outcome).toBe('closed');
  const made = await slack.waitForMessage(channel, 'subscribed this channel');
  expect(made.text).toMatch(/Dana Reyes subscribed this channel to project 412-873-550/);
  const text = slack.textOf(made).replaceAll('\u200b', '');
  expect(text).toContain('Plans/Level 1/**');
  expect(text).toContain('nothing in `Archive/**`');
  expect(text).toContain('sam@example.com');
});

test('a link says by itself what it leads to, and a bare id is asked about at the field', async () => {
  const { slack, dana } = stage;
  const channel = slack.addChannel({ name: 'links', members: [dana] });
  await openForm('/plancast subscribe', channel);
  const bare = await slack.submitView({ user: dana, values: { resource: '731450286' } });
  expect(bare.errors).toEqual({ kind: expect.stringContaining('731-450-286 can be a project or a session') });
  const linked = await slack.submitView({
    user: dana,
    values: { resource: 'https://studio.example/sessions/731450286?tab=a&b=c', extent: 'plain' },
  });
  expect(linked.outcome).toBe('closed');
  const made = await slack.waitForMessage(channel, 'subscribed this channel');
  expect(made.text).toContain('session 731-450-286 itself');
});

test('a form that is sent twice makes one subscription', async () => {
  const { slack, service, dana } = stage;
  const channel = slack.addChannel({ name: 'twice', members: [dana] });
  await openForm('/subscribe', channel);
  const before = service.subscriptions.all().length;
  const sent = await slack.submitView({ user: dana, values: { kind: 'project', resource: project } });
  const again = await sent.replay();
  expect(again.status).toBe(200);
  await slack.waitForMessage(channel, 'subscribed this channel');
  await stage.bot.runChore('sweep');
  expect(service.subscriptions.all().length).toBe(before + 1);
  // A second one would have said privately that the channel follows it already.
  expect(slack.ephemerals(dana, channel)).toEqual([]);
});

test('the form shows the fields of what was chosen, keeps what was typed, and tells what would be posted', async () => {
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
  await slack.click({ user: dana, view: form, actionId: 'form_when', value: 'daily' });
  await expect.poll(() => held(form, 'form_at')).toBe('09:00');
  expect(JSON.stringify(form.blocks)).toContain('Europe/London');
  await slack.click({
    user: dana,
    view: form,
    actionId: 'form_preview',
    state: { kind: 'project', resource: project, paths: 'Details/**', by_users: [dana.id] },
  });
  const told = await slack.waitForView(dana, /would have been posted/);
  const text = slack.textOf({ ...told, text: '' });
  expect(text).toMatch(/only in `Details\/\*\*`; only what Dana Reyes does/);
  expect(text).toMatch(/in a daily digest at 09:00 \(Europe\/London\)/);
  const [, of, posted] = /Of the last (\d+) events of this project (\d+) would/.exec(text) ?? [];
  expect(Number(of)).toBeGreaterThan(Number(posted));
  expect(Number(posted)).toBe(3);
  expect(text).toContain(`/subscribe project ${project} in "Details/**" by`);
  expect(held(told, 'form_paths')).toBe('Details/**');
  expect(held(told, 'form_resource')).toBe(project);

  // Sam is not in the channel whose events these are, and may not learn how many there were.
  await stage.link(sam, 'sam@example.com');
  const sams = await openForm('/subscribe', elsewhere, sam);
  await slack.click({
    user: sam,
    view: sams,
    actionId: 'form_preview',
    state: { kind: 'project', resource: project },
  });
  await slack.waitForView(sam, 'no events of this project yet');
});

test('choosing a folder asks for its id too, and its fault has a place even before that field is shown', async () => {
  const { slack, service, dana } = stage;
  const channel = slack.addChannel({ name: 'folder', members: [dana] });
  const form = await openForm('/subscribe', channel);
  const early = await slack.submitView({ user: dana, values: { kind: 'folder', resource: project } });
  expect(early.errors).toEqual({ resource: expect.stringContaining('the id of the folder') });
  await slack.click({ user: dana, view: form, actionId: 'form_kind', value: 'folder' });
  await expect.poll(() => JSON.stringify(form.blocks)).toContain('Id of the folder');
  expect(JSON.stringify(form.blocks)).not.toContain('How much of it');
  const { data } = service;
  const folder = data.item(data.project(project), 'Plans').id;
  await slack.submitView({ user: dana, values: { item: folder } });
  const made = await slack.waitForMessage(channel, 'subscribed this channel');
  expect(made.text).toContain(`folder \`${folder}\` in project 412-873-550`);
});

test('what something wider covers is asked in the form, and not again once that was answered', async () => {
  const { slack, service, dana } = stage;
  const channel = slack.addChannel({ name: 'covered', members: [dana] });
  await stage.type(dana, '/subscribe session 731-450-286', channel);
  await slack.waitForMessage(channel, 'subscribed this channel');
  const { data } = service;
  const document = data.document(data.session('731-450-286'), 'Curtain wall.pdf').id;
  const form = await openForm('/subscribe', channel);
  await slack.click({ user: dana, view: form, actionId: 'form_kind', value: 'document' });
  await expect.poll(() => JSON.stringify(form.blocks)).toContain('Id of the document');
  await slack.click({
    user: dana,
    view: form,
    actionId: 'form_preview',
    state: { resource: '731450286', item: document },
  });
  await slack.waitForView(dana, 'which covers this');
  await slack.submitView({ user: dana, values: { anyway: ['anyway'] } });
  await slack.waitForMessage(channel, `document \`${document}\``);

  // Whoever does not look at the form so long is asked afterwards.
  const other = slack.addChannel({ name: 'covered too', members: [dana] });
  await stage.type(dana, '/subscribe session 731-450-286', other);
  await slack.waitForMessage(other, 'subscribed this channel');
  const second = await openForm('/subscribe', other);
  await slack.click({ user: dana, view: second, actionId: 'form_kind', value: 'document' });
  await expect.poll(() => JSON.stringify(second.blocks)).toContain('Id of the document');
  await slack.submitView({ user: dana, values: { resource: '731450286', item: document } });
  const question = await slack.waitForEphemeral(dana, 'Add it anyway?');
  expect(question.channelId).toBe(other.id);
  await slack.click({ user: dana, message: question, element: slack.button(question, 'Add anyway') });
  await slack.waitForMessage(other, `document \`${document}\``);
});

test('a question about a request that fits into no button is asked all the same', async () => {
  const { slack, dana } = stage;
  const channel = slack.addChannel({ name: 'long', members: [dana], isExtShared: true });
  await openForm('/subscribe', channel);
  const paths = Array.from({ length: 45 }, (_, index) => `Plans/Level ${index}/${'Drawings/'.repeat(5)}**`);
  await slack.submitView({
    user: dana,
    values: { kind: 'project', resource: project, paths: paths.join('\n') },
  });
  const question = await slack.waitForEphemeral(dana, ({ channelId }) => channelId === channel.id);
  await slack.click({ user: dana, message: question, element: slack.button(question, 'Subscribe anyway') });
  await slack.waitForMessage(channel, 'or 41 more');
});

test('whoever is not linked fills the form in, links, and it is then carried out by itself', async () => {
  const { slack, ravi } = stage;
  const channel = slack.addChannel({ name: 'not linked', members: [ravi] });
  await openForm('/subscribe', channel, ravi);
  await slack.submitView({ user: ravi, values: { kind: 'project', resource: project, types: ['delete'] } });
  const offer = await slack.waitForEphemeral(ravi, 'is then carried out by itself');
  const page = await stage.linkInBrowser(String(slack.button(offer, 'Link').element.url), 'lee@example.com');
  const code = /\b[A-HJ-NP-Z2-9]{6}\b/.exec(page.replaceAll(/<[^>]*>/g, ' '))?.[0] ?? '';
  await stage.type(ravi, `/plancast link ${code}`, channel);
  const made = await slack.waitForMessage(channel, 'subscribed this channel');
  expect(slack.textOf(made)).toContain('Posting deleted');
});

test('the shortcut asks for the channel, and only somebody who is in it may have it follow something', async () => {
  const { slack, dana, sam } = stage;
  const channel = slack.addChannel({ name: 'by shortcut', members: [dana] });
  await callShortcut();
  await slack.submitView({
    user: dana,
    values: { channel: channel.id, kind: 'project', resource: project },
  });
  await slack.waitForMessage(channel, 'Dana Reyes subscribed this channel');

  const others = slack.addChannel({ name: 'of others', members: [dana] });
  await callShortcut(sam);
  await slack.submitView({ user: sam, values: { channel: others.id, kind: 'project', resource: project } });
  await slack.waitForEphemeral(sam, 'Only people in the channel can do that');
  expect(slack.messages(others)).toEqual([]);
});

test('a private channel without the bot: said before the form is filled in, and when it is chosen in the form', async () => {
  const { slack, service, dana, secret } = stage;
  const before = service.subscriptions.all().length;
  await stage.type(dana, '/subscribe', secret);
  const answer = await slack.waitForEphemeral(dana, 'I’m not in this channel');
  expect(answer.channelId).toBe(secret.id);
  const form = await callShortcut();
  await slack.click({ user: dana, view: form, actionId: 'form_channel', value: secret.id });
  await slack.waitForView(dana, 'I’m not in that channel');
  await slack.submitView({ user: dana, values: { kind: 'project', resource: project } });
  await slack.waitForEphemeral(dana, 'I cannot see now whether you are');
  expect(service.subscriptions.all().length).toBe(before);
});

test('in a channel with people of other organisations it is asked first, once', async () => {
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

test('a form that Slack did not let open in time is said so', async () => {
  const { slack, dana, plans } = stage;
  slack.fault({ method: 'views.open', error: 'expired_trigger_id', times: 1 });
  await stage.type(dana, '/subscribe', plans);
  await slack.waitForEphemeral(dana, 'did not let me open the form');
});

test('nothing the bot showed was refused or disliked by Slack', () => {
  expect(stage.slack.offences.filter(({ kind }) => kind !== 'rate')).toEqual([]);
});
