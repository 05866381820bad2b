import { afterAll, beforeAll, expect, test } from 'vitest';
import { findElements, labelOf } from '../../sandbox/slack/find-elements.ts';
import { type Stage, setStage } from '../support/stage.ts';
import { held, makeStageActions } from '../support/stage-actions.ts';

const project = '412-873-550';
const tower = 'Harbour Tower';
let stage: Stage;
beforeAll(async () => {
  stage = await setStage({ name: 'lists', skipsPauses: true });
  await stage.link(stage.dana, 'dana@example.com');
  stage.sam.tz = 'America/New_York';
  await stage.link(stage.sam, 'sam@example.com');
});
afterAll(() => stage.close());

const { newChannel, following, followingMany, listOf, press, chooseInMenu, query } = makeStageActions(
  () => stage,
);

test('200 subscriptions are paged through, each with its buttons, and removing one stays on its page', async () => {
  const { slack, sam } = stage;
  const channel = newChannel('two hundred', [stage.dana, stage.sam]);
  await followingMany(sam, channel, 200);
  const list = await listOf(sam, channel);
  const seen: string[] = [];
  for (let page = 1; page <= 20; page += 1) {
    await expect.poll(() => list.text, { timeout: 10_000 }).toContain(`page ${page} of 20`);
    const buttons = findElements(list.blocks).filter((found) => labelOf(found) === 'Remove');
    expect(buttons).toHaveLength(10);
    seen.push(...buttons.map(({ element }) => String(element.value)));
    if (page < 20) await press(sam, list, 'Next');
  }
  expect(new Set(seen).size).toBe(200);
  await press(sam, list, 'Remove');
  await expect.poll(() => list.text, { timeout: 10_000 }).toMatch(/199 subscriptions \(page 20 of 20\)/);
  await slack.waitForMessage(channel, 'Sam Okafor removed');
}, 60_000);

test('I press Remove on a row that a colleague removed just before: the list shows what is there now', async () => {
  const { slack, dana, sam } = stage;
  const channel = newChannel('removed by two', [dana, sam]);
  // A member has thirty actions a minute.
  stage.advance(61_000);
  await following(dana, channel);
  await stage.type(dana, '/subscribe session 731-450-286', channel);
  await slack.waitForMessage(channel, 'session 731-450-286');
  const list = await listOf(dana, channel);
  await stage.type(sam, `/unsubscribe project ${project}`, channel);
  await slack.waitForMessage(channel, 'Sam Okafor removed');
  await press(dana, list, 'Remove');
  await expect.poll(() => list.text).toContain('This channel has 1 subscription');
  expect(slack.textOf(list)).not.toContain(project);
});

test("Edit opens the form with the subscription's settings, and saving changes only what was edited", async () => {
  const { slack, service, dana, sam } = stage;
  const channel = newChannel('edited', [stage.dana, stage.sam]);
  await slack.command({
    user: dana,
    channel,
    command: '/subscribe',
    text: `project ${project} only create in "Plans/**" "!**/*.bak" by lee@example.com <@${sam.id}> digest daily 9:15 threads on`,
  });
  await slack.waitForMessage(channel, 'to this channel');
  const before = service.subscriptions.all().length;
  const list = await listOf(dana, channel);
  await chooseInMenu(dana, list, 'edit');
  const form = await slack.waitForView(dana, 'Folder patterns');
  expect(slack.textOf(form)).toContain('*Project 412-873-550* in ');
  expect(held(form, 'types')).toEqual([expect.objectContaining({ value: 'create' })]);
  expect(held(form, 'paths')).toBe('Plans/**\n!**/*.bak');
  expect(held(form, 'people')).toMatchObject([{ value: 'lee@example.com' }, { value: sam.id }]);
  expect(held(form, 'at')).toBe('09:15');
  await slack.click({ user: dana, view: form, actionId: 'form_preview' });
  await slack.waitForView(
    dana,
    'Posting added by lee@example.com or Sam Okafor in `Plans/**`, except in `**/*.bak`, in a daily digest at 9:15',
  );
  await slack.closeView({ user: dana });
  // Saved without changes, nothing changes, and only the person gets an answer.
  await slack.submitView({ user: dana });
  await slack.waitForEphemeral(dana, /This channel already follows .*Posting added by .* in/s);
  await chooseInMenu(dana, list, 'edit');
  const again = await slack.waitForView(dana, 'Folder patterns');
  for (const [when, words] of [
    ['live', 'bak`. Later changes'],
    ['daily', 'in a daily digest at 9:15 London time. Later changes'],
  ] as const) {
    await slack.click({ user: dana, view: again, actionId: 'form_preview', state: { when } });
    await slack.waitForView(dana, words);
    await slack.closeView({ user: dana });
  }
  const sent = await slack.submitView({ user: dana, values: { paths: '', types: ['create', 'delete'] } });
  expect(sent.outcome).toBe('closed');
  const shown = slack.textOf(await slack.waitForMessage(channel, 'changed the subscription'));
  expect(shown).toMatch(/added and deleted by lee@example.com or Sam Okafor/);
  expect(shown).not.toContain('When:');
  expect(shown).not.toContain('Threads:');
  expect(service.subscriptions.all().length).toBe(before);
});

test('filters that a colleague adds while I have the short Edit form open are still there after I save it', async () => {
  const { slack, dana, sam } = stage;
  const channel = newChannel('edited by two', [dana, sam]);
  const type = (rest: string) =>
    slack.command({ user: dana, channel, command: '/subscribe', text: `project ${project} ${rest}` });
  await type('live');
  await slack.waitForMessage(channel, 'to this channel');
  await chooseInMenu(dana, await listOf(dana, channel), 'edit');
  const form = await slack.waitForView(dana, 'More options');
  await type('in "Plans/**" not by lee@example.com threads');
  await slack.waitForMessage(channel, 'Plans/**');
  await slack.submitView({ user: dana, viewId: form, values: { types: ['create'] } });
  const rows = () =>
    query(`select filters, threads from plancast.subscriptions where channel_id = $1`, [channel.id]);
  await expect.poll(rows).toMatchObject([{ filters: { only: ['create'] } }]);
  expect(await rows()).toEqual([
    {
      filters: { only: ['create'], paths: ['Plans/**'], by: [], notBy: [{ email: 'lee@example.com' }] },
      threads: true,
    },
  ]);
});

test('a colleague in another time zone who edits a digest sees which zone its time is in, and does not move it', async () => {
  const { slack, dana, teamId } = stage;
  const nia = slack.addUser({
    teamId,
    realName: 'Nia Newman',
    email: 'lee@example.com',
    tz: 'America/New_York',
  });
  const channel = newChannel('across zones', [dana, nia]);
  await stage.link(nia, 'lee@example.com', channel);
  await following(dana, channel, `/subscribe project ${project} digest daily 9:15`);
  const list = await listOf(nia, channel);
  await chooseInMenu(nia, list, 'edit');
  const form = await slack.waitForView(nia, 'in this digest’s time zone (Europe/London)');
  expect(held(form, 'at')).toBe('09:15');
  await slack.click({ user: nia, view: form, actionId: 'form_preview', state: { at: '10:30' } });
  await slack.waitForView(nia, '10:30 London time');
  await slack.closeView({ user: nia });
  await slack.submitView({ user: nia });
  await slack.waitForMessage(channel, '10:30 London time');

  await chooseInMenu(dana, await listOf(dana, channel), 'edit');
  const own = await slack.waitForView(dana, 'in your time zone (Europe/London)');
  await slack.click({ user: dana, view: own, actionId: 'form_preview' });
  await slack.waitForView(dana, '10:30 London time');
});

test('a paused subscription posts nothing while others do, and posts everything in one summary when resumed', async () => {
  const { slack, service, dana, sam } = stage;
  const channel = newChannel('paused', [stage.dana, stage.sam]);
  await following(dana, channel);
  await stage.type(dana, '/subscribe session 731-450-286', channel);
  await slack.waitForMessage(channel, 'session 731-450-286');
  const list = await listOf(dana, channel);
  await press(dana, list, 'Pause');
  const paused = await slack.waitForMessage(channel, 'Dana Reyes paused');
  await expect.poll(() => slack.textOf(list)).toContain('Paused by Dana Reyes');
  service.act('dana@example.com', { action: 'add-files', project: tower, count: 4, prefix: 'Quiet' });
  service.act('dana@example.com', { action: 'add-document', session: '731-450-286', name: 'Loud.pdf' });
  await slack.waitForMessage(channel, 'Loud.pdf');
  await service.settled();
  await expect
    .poll(() =>
      query("select count(*)::int from plancast.events where reason = 'paused' and channel_id = $1", [
        channel.id,
      ]),
    )
    .toEqual([{ count: 4 }]);
  expect(slack.messages(channel).filter(({ text }) => text.includes('Quiet'))).toEqual([]);

  await press(sam, paused, 'Resume');
  // The announcement and the summary are one message.
  const resumed = await slack.waitForMessage(channel, 'Sam Okafor resumed');
  expect(resumed.text).toContain('While paused: 4 changes since');
  expect(resumed.text).toMatch(/Dana Reyes added 4 files.*Quiet/s);
  // A member who presses it again reads that it is already done.
  await press(dana, paused, 'Resume');
  await slack.waitForEphemeral(dana, 'nothing to change');
  await service.settled();
  expect(slack.messages(channel).filter(({ text }) => text.includes('Quiet'))).toEqual([resumed]);
});

test('a digest waits while its subscription is paused', async () => {
  const { slack, service, dana } = stage;
  const channel = newChannel('paused digest', [stage.dana, stage.sam]);
  await following(dana, channel, `/subscribe project ${project} digest hourly`);
  service.act('dana@example.com', { action: 'create-file', project: tower, name: 'Held.pdf' });
  await service.settled();
  const list = await listOf(dana, channel);
  const replies = slack.callsOf('response_url').length;
  await press(dana, list, 'Pause');
  const paused = await slack.waitForMessage(channel, 'Dana Reyes paused');
  // The list is replaced too, for which Slack allows only half an hour.
  await slack.waitForCall('response_url', (call) => slack.callsOf('response_url').indexOf(call) >= replies);
  stage.advance(3_600_000);
  await stage.bot.runChore('sweep');
  expect(slack.messages(channel).at(-1)).toBe(paused);
  await press(dana, paused, 'Resume');
  await slack.waitForMessage(channel, 'Dana Reyes resumed');
  await stage.bot.runChore('sweep');
  await slack.waitForMessage(channel, 'Held.pdf');
});

test('the list leads with the name, then health and last activity, and its menu checks and explains', async () => {
  const { slack, service, dana } = stage;
  const channel = newChannel('hierarchy', [stage.dana, stage.sam]);
  await following(dana, channel);
  const quiet = await listOf(dana, channel);
  expect(slack.textOf(quiet)).toContain('This channel has 1 subscription');
  expect(slack.textOf(quiet)).toMatch(/🟢 Working · no activity yet/);
  service.act('dana@example.com', { action: 'create-file', project: tower, name: 'Heard.pdf' });
  await slack.waitForMessage(channel, 'Heard.pdf');
  const last = () =>
    query('select last_event_at from plancast.subscriptions where channel_id = $1', [channel.id]);
  await expect.poll(last).toEqual([{ last_event_at: expect.any(Date) }]);
  const list = await listOf(dana, channel);
  expect(slack.textOf(list)).toMatch(/🟢 Working · last activity <!date/);
  await slack.command({ user: dana, channel, command: '/subscribe', text: 'session 731-450-286' });
  await slack.waitForMessage(channel, 'session 731-450-286');
  await chooseInMenu(dana, list, 'activity');
  const activity = await slack.waitForEphemeral(dana, (message) => /Heard\.pdf/.test(slack.textOf(message)));
  expect(slack.textOf(activity)).not.toContain('731-450-286');
  await chooseInMenu(dana, list, 'check');
  const before = new Set(slack.ephemerals(dana, channel).map(({ id }) => id));
  await slack.waitForEphemeral(
    dana,
    (message) => message.channelId === channel.id && (before.has(message.id) || /link/i.test(message.text)),
  );
});

test('Slack objected to nothing the bot showed', () => {
  expect(stage.slack.violations.filter(({ kind }) => kind !== 'rate')).toEqual([]);
});
