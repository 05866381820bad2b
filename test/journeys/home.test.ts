import { afterAll, beforeAll, expect, test } from 'vitest';
import { findElements, labelOf } from '../../sandbox/slack/find-elements.ts';
import type { View } from '../../sandbox/slack/views.ts';
import { type Stage, setStage } from '../support/stage.ts';
import { makeStageActions } from '../support/stage-actions.ts';

const project = '412-873-550';
const { choose, chooseInMenu, openForm } = makeStageActions(() => stage);
let stage: Stage;
beforeAll(async () => {
  stage = await setStage({ name: 'home', skipsPauses: true });
});
afterAll(() => stage.close());

type Person = Stage['dana'];

test('an admin reads in Home what is off because the workspace has not granted it; others do not', async () => {
  const { slack, dana, sam, workspace, bot } = stage;
  const { botScopes } = workspace;
  workspace.botScopes = botScopes.filter((scope) => !/public|email|mentions|links/.test(scope));
  const other = await stage.addBot({ env: { SERVICE_PROJECT_URL: 'https://plans.example/{project}' } });
  sam.isAdmin = true;
  await stage.forgetSlack();
  const off =
    'Off in this workspace for lack of permissions: posting in public channels without an invitation,' +
    ' matching people by email address, answers to mentions and previews of links';
  expect(textOf(await openHome(sam))).toContain(
    `${off}. <https://api.slack.com/apps|Install Plancast again>`,
  );
  expect(textOf(await openHome(dana))).not.toContain('Off in this workspace');
  workspace.botScopes = botScopes;
  sam.isAdmin = false;
  await stage.forgetSlack();
  await other.stop();
  slack.botRequestUrl = `${bot.publicUrl}/slack/events`;
});

const textOf = (view: View) => stage.slack.textOf(view);
const labels = (view: View) => findElements(view.blocks).map((found) => labelOf(found));

async function openHome(user: Person): Promise<View> {
  const shown = stage.slack.homeView(user)?.updates ?? -1;
  await stage.slack.openHome(user);
  return stage.slack.waitForHome(user, ({ updates }) => updates > shown);
}

const press = (user: Person, view: View, button: string) =>
  stage.slack.click({ user, view, element: stage.slack.button(view, button) });

test('before linking, the Home tab explains in three steps what to do, and Link starts it there', async () => {
  const { slack, dana } = stage;
  const home = await openHome(dana);
  const text = textOf(home);
  expect(text).toContain('You’re not linked to Practice');
  expect(text).toMatch(/1\. .*2\. .*3\. /s);
  expect(slack.button(home, 'Help')).toBeDefined();
  await press(dana, home, 'Link');
  const offer = await slack.waitForView(dana, 'Link your account');
  await stage.linkInBrowser(String(slack.button(offer, 'Link').element.url), 'dana@example.com');
  await slack.waitForHome(dana, 'linked to Practice as *dana@example.com*');
});

test('the Home tab opened thirty times while it is being drawn is not drawn each time', async () => {
  const { slack, ravi } = stage;
  await openHome(ravi);
  const before = slack.callsOf('views.publish').length;
  const count = () => slack.callsOf('views.publish').length - before;
  slack.fault({ method: 'views.publish', delayMs: 1_500, stored: true });
  await slack.openHome(ravi);
  await expect.poll(count).toBe(1);
  await Promise.all(Array.from({ length: 30 }, () => slack.openHome(ravi)));
  await openHome(ravi);
  // Two more would do; on a busy machine some are opened only after the slow drawing.
  expect(count()).toBeLessThan(20);
});

test('Subscribe a channel opens the form, and the subscription is then listed below its channel', async () => {
  const { slack, dana } = stage;
  const channel = slack.addChannel({ name: 'from home', members: [dana] });
  const home = await openHome(dana);
  await choose(dana, await openForm(dana, () => press(dana, home, 'Subscribe a channel')), project);
  await slack.submitView({ user: dana, values: { channel: channel.id, types: ['create'] } });
  await slack.waitForMessage(channel, 'to this channel');
  const after = await slack.waitForHome(dana, 'Project 412-873-550 · project and contents');
  expect(textOf(after)).toContain(`<#${channel.id}>`);
  expect(textOf(after)).toMatch(/You have 1 subscription.*\*<#C\w+>\*.*🟢 Working · no activity yet/s);
  expect(labels(after)).toEqual(expect.arrayContaining(['Pause', 'Remove', 'Unlink']));
});

test('Pause, Resume, Edit and Remove work from the Home tab and are announced in the channel', async () => {
  const { slack, dana } = stage;
  const channel = slack.channels.get(
    [...slack.channels.values()].find(({ name }) => name === 'from home')?.id ?? '',
  );
  if (!channel) throw new Error('there is no such channel');
  const home = await openHome(dana);
  await press(dana, home, 'Pause');
  await slack.waitForMessage(channel, 'Dana Reyes paused');
  await slack.waitForHome(dana, 'Paused by *Dana Reyes*');
  await chooseInMenu(dana, home, 'edit');
  await slack.waitForView(dana, 'Edit subscription');
  await slack.submitView({ user: dana, values: { when: 'hourly' } });
  await slack.waitForMessage(channel, 'Dana Reyes changed');
  // Editing must only change the settings.
  const paused = await slack.waitForHome(dana, 'Posting added, in an hourly digest');
  expect(textOf(paused)).toContain('Paused by *Dana Reyes*');
  await press(dana, paused, 'Resume');
  await slack.waitForMessage(channel, 'Dana Reyes resumed');
  await slack.waitForHome(dana, 'Working');
  await press(dana, home, 'Remove');
  await slack.waitForMessage(channel, 'Dana Reyes removed');
  await slack.waitForHome(dana, 'You have no subscriptions yet');
});

test('a channel that the person has left is not shown, and nothing can be done there', async () => {
  const { slack, dana } = stage;
  const channel = slack.addChannel({ name: 'left', kind: 'private', members: [dana] });
  await stage.type(dana, `/subscribe project ${project}`, channel);
  await slack.waitForMessage(channel, 'to this channel');
  const home = await openHome(dana);
  const remove = slack.button(home, 'Remove');
  channel.members.delete(dana.id);
  await slack.event({ type: 'member_left_channel', channel: channel.id, user: dana.id, team: stage.teamId });
  const after = await slack.waitForHome(dana, 'In a channel I can’t show you');
  expect(textOf(after)).not.toContain(channel.id);
  expect(labels(after)).not.toContain('Remove');
  await slack.click({ user: dana, view: after, element: remove });
  await slack.waitForView(dana, 'Only people in the channel can do that');
  const { rows } = await stage.database
    .connect()
    .pool.query('select state from plancast.subscriptions where channel_id = $1', [channel.id]);
  expect(rows).toEqual([{ state: 'active' }]);
});

test('Subscribe just for me opens the form for it, and the subscription can be removed from the Home tab', async () => {
  const { slack, dana } = stage;
  const home = await openHome(dana);
  const first = await openForm(dana, () => press(dana, home, 'Subscribe just for me'));
  const form = await choose(dana, first, 'https://studio.example/sessions/731450286');
  expect(textOf(form)).not.toContain('Choose a channel');
  await slack.submitView({ user: dana });
  const made = await slack.waitForDirectMessage(dana, 'You now follow session 731-450-286');
  expect(() => slack.button(made, 'Stop following')).not.toThrow();
  const listed = await slack.waitForHome(dana, 'Your direct messages with me');
  expect(textOf(listed)).toContain('Session 731-450-286 · session and documents');
  const { updates: shown } = listed;
  const removes = findElements(listed.blocks).filter((found) => labelOf(found) === 'Remove');
  const last = removes.at(-1);
  if (!last) throw new Error('there is nothing to remove');
  await slack.click({ user: dana, view: listed, element: last });
  await slack.waitForDirectMessage(dana, 'You removed the subscription to session 731-450-286');
  const after = await slack.waitForHome(dana, ({ updates }) => updates > shown);
  expect(textOf(after)).not.toContain('Your direct messages with me');
});

test('a new person gets a greeting from the bot first, and links before the subscription is made', async () => {
  const { slack, teamId } = stage;
  const lena = slack.addUser({ teamId, name: 'Lena New', realName: 'Lena New', email: 'lee@example.com' });
  await press(lena, await openHome(lena), 'Subscribe just for me');
  await slack.waitForDirectMessage(lena, () => slack.directMessages(lena).length > 0);
  const form = await slack.waitForView(lena, 'Project, session or link');
  await choose(lena, form, 'https://studio.example/sessions/731450286');
  await slack.submitView({ user: lena });
  const offer = await slack.waitForDirectMessage(lena, 'Link your account at Practice to continue');
  await stage.linkInBrowser(String(slack.button(offer, 'Link').element.url), 'lee@example.com');
  await slack.waitForDirectMessage(lena, 'You now follow session 731-450-286');
});

test('Unlink in the Home tab lists what stops and asks, and the tab then starts over', async () => {
  const { slack, dana } = stage;
  const home = await openHome(dana);
  await press(dana, home, 'Unlink');
  const question = await slack.waitForView(dana, 'Unlink your account');
  expect(textOf(question)).toContain('1 subscription will pause');
  await press(dana, question, 'Keep the link');
  await slack.waitForView(dana, 'OK, nothing changed.');
  await press(dana, home, 'Unlink');
  await press(dana, await slack.waitForView(dana, 'Unlink your account'), 'Unlink');
  await slack.waitForView(dana, 'You’re no longer linked to Practice');
  await slack.waitForHome(dana, 'You’re not linked to Practice');
});

test('a person with another address at the service types the code that the browser shows, without leaving the Home tab', async () => {
  const { slack, ravi } = stage;
  const home = await openHome(ravi);
  await press(ravi, home, 'Link');
  const offer = await slack.waitForView(ravi, 'Link your account');
  const link = String(slack.button(offer, 'Link').element.url);
  const page = await stage.linkInBrowser(link, 'lee@example.com');
  await press(ravi, offer, 'Enter code');
  await slack.waitForView(ravi, 'a code of six letters and digits');
  const sent = await slack.submitView({
    user: ravi,
    values: { code: makeStageActions(() => stage).codeOn(page) },
  });
  expect(sent.outcome).toBe('cleared');
  expect(slack.openViews(ravi)).toEqual([]);
  await slack.waitForHome(ravi, 'as *lee@example.com*');
  await slack.waitForDirectMessage(ravi, 'You’re now linked');
  expect(slack.directMessages(ravi).map(({ text }) => text)).toHaveLength(1);
});

test('the Home tab of a guest says what a guest can do, and offers no button', async () => {
  const home = await openHome(stage.guest);
  expect(textOf(home)).toContain('You can read what I post');
  expect(labels(home)).toEqual([]);
});

test('Slack objected to nothing the bot showed', () => {
  expect(stage.slack.violations.filter(({ kind }) => kind !== 'rate')).toEqual([]);
});
