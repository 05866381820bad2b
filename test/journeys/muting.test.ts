import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Channel } from '../../sandbox/slack/directory.ts';
import { findElements } from '../../sandbox/slack/find-elements.ts';
import { dayMs } from '../../src/lib/durations.ts';
import { followed } from '../support/followed.ts';
import { notify } from '../support/notify.ts';
import { type Stage, setStage } from '../support/stage.ts';
import { makeStageActions, menuOf } from '../support/stage-actions.ts';

let stage: Stage;
beforeAll(async () => {
  stage = await setStage({ name: 'muting', skipsPauses: true });
  await stage.link(stage.dana, 'dana@example.com');
});
afterAll(() => stage.close());

const { listOf, press, query, chooseInMenu } = makeStageActions(() => stage);

/** Returns the outcome of each event of a channel, by the name of its item. */
async function outcomes(channel: Channel): Promise<Record<string, string>> {
  const rows = await query(
    `select coalesce(notification->>'name', notification->>'path') as name, state, reason from plancast.events
     where channel_id = $1 order by seq`,
    [channel.id],
  );
  return Object.fromEntries(
    rows.map(({ name, state, reason }) => [name, reason === null ? state : `${state}: ${reason}`]),
  );
}

/** Makes a channel that Dana subscribed and Sam is in, with one message about a file. */
async function channelWith(file: string) {
  const { channel, uri } = await followed(stage);
  channel.members.add(stage.sam.id);
  await notify(uri, { item: file, name: `${file}.pdf`, path: `Root/Plans/${file}.pdf` });
  return { channel, uri, message: await stage.slack.waitForMessage(channel, `${file}.pdf`) };
}

test('Sam mutes a file: the channel sees who did it, later changes of it are filtered, and the list can unmute it', async () => {
  const { slack, sam, dana } = stage;
  const { channel, uri, message } = await channelWith('Roof');
  await chooseInMenu(sam, message, 'mute');
  const announced = await slack.waitForMessage(channel, 'Sam Okafor muted');
  expect(slack.textOf(announced)).toContain('*Roof.pdf* in this channel');

  await notify(uri, { item: 'Roof', name: 'Roof 2.pdf', path: 'Root/Plans/Roof 2.pdf' });
  await notify(uri, { item: 'Wall', name: 'Wall.pdf', path: 'Root/Plans/Wall.pdf' });
  await slack.waitForMessage(channel, 'Wall.pdf');
  await expect
    .poll(() => outcomes(channel))
    .toEqual({ 'Roof.pdf': 'posted', 'Roof 2.pdf': 'filtered: item', 'Wall.pdf': 'posted' });
  await stage.type(dana, '/plancast why', channel);
  const why = await slack.waitForEphemeral(dana, 'Roof 2.pdf');
  expect(slack.textOf(why)).toContain('this item, or a folder it is in, is muted here');

  const list = await listOf(dana, channel);
  expect(slack.textOf(list)).toMatch(/Not shown in this channel.*Roof 2\.pdf.*muted by \*?Sam Okafor/s);
  await press(dana, list, 'Show again');
  await slack.waitForMessage(channel, 'Dana Reyes unmuted');
  await expect.poll(() => slack.textOf(list)).not.toContain('Not shown');
  await notify(uri, { item: 'Roof', name: 'Roof 3.pdf', path: 'Root/Plans/Roof 3.pdf' });
  await slack.waitForMessage(channel, 'Roof 3.pdf');
});

test('a mute that is typed twice is announced once, and a longer one again', async () => {
  const { slack, dana } = stage;
  const { channel } = await followed(stage);
  await stage.type(dana, '/plancast mute 2h', channel);
  await slack.waitForMessage(channel, 'muted this channel');
  await stage.type(dana, '/plancast mute 2h', channel);
  await slack.waitForEphemeral(dana, 'I’m already muted here until');
  await stage.type(dana, '/plancast mute 4h', channel);
  const announced = () =>
    slack.messages(channel).filter((message) => slack.textOf(message).includes('muted this channel'));
  await expect.poll(() => announced().length).toBe(2);
});

test('all that a mute held is older than a week: the channel reads that it was skipped, and why', async () => {
  const { slack, dana } = stage;
  const { channel, uri } = await followed(stage);
  await stage.type(dana, '/plancast mute 10d', channel);
  await slack.waitForMessage(channel, 'muted this channel');
  await notify(uri, { item: 'Old', name: 'Old.pdf', at: stage.now() });
  await expect.poll(() => outcomes(channel)).toEqual({ 'Old.pdf': 'pending: muted' });
  stage.advance(11 * dayMs);
  await stage.bot.runChore('sweep');
  await slack.waitForMessage(channel, /^While muted: 1 change older than a week was skipped/);
});

test('muting a folder mutes everything in it at any depth, and nothing beside it', async () => {
  const { slack, dana } = stage;
  const { channel, uri } = await followed(stage);
  const folder = { item: 'f1', itemType: 'Folder' as const, idPath: 'r/f1' };
  await notify(uri, { ...folder, name: 'Level 1', path: 'Root/Level 1' });
  const message = await slack.waitForMessage(channel, 'Level 1');
  await chooseInMenu(dana, message, 'mute');
  await slack.waitForMessage(channel, 'muted folder');
  await notify(uri, { item: 'x', idPath: 'r/f1/f2/x', name: 'Deep.pdf', path: 'Root/Level 1/A/Deep.pdf' });
  await notify(uri, { item: 'y', idPath: 'r/f11/y', name: 'Beside.pdf', path: 'Root/Level 11/Beside.pdf' });
  await slack.waitForMessage(channel, 'Beside.pdf');
  await expect
    .poll(() => outcomes(channel))
    .toMatchObject({ 'Deep.pdf': 'filtered: item', 'Beside.pdf': 'posted' });
});

test('Dana hides a person: their changes are filtered as person, and Show again in the announcement brings them back', async () => {
  const { slack, dana, sam } = stage;
  const { channel, uri } = await followed(stage);
  channel.members.add(sam.id);
  await notify(uri, { item: 'n1', name: 'Noise 1.pdf', user: 'scanner@example.com' });
  const message = await slack.waitForMessage(channel, 'Noise 1.pdf');
  await chooseInMenu(dana, message, 'hide');
  const announced = await slack.waitForMessage(channel, 'Dana Reyes hid');
  expect(slack.textOf(announced)).toContain('*scanner*’s changes in this channel.');
  expect(slack.textOf(await listOf(sam, channel))).toMatch(/scanner\*?’s changes.*hidden by \*?Dana Reyes/s);
  await notify(uri, { item: 'n2', name: 'Noise 2.pdf', user: 'Scanner@Example.com' });
  await notify(uri, { item: 'n3', name: 'Signal.pdf', user: 'dana@example.com' });
  await slack.waitForMessage(channel, 'Signal.pdf');
  await expect
    .poll(() => outcomes(channel))
    .toMatchObject({ 'Noise 2.pdf': 'filtered: person', 'Signal.pdf': 'posted' });

  await press(sam, announced, 'Show again');
  const shown = await slack.waitForMessage(channel, 'Sam Okafor stopped hiding');
  await press(dana, announced, 'Show again');
  await slack.waitForEphemeral(dana, 'nothing to change');
  await notify(uri, { item: 'n4', name: 'Noise 4.pdf', user: 'scanner@example.com' });
  expect(() => slack.button(shown, 'Undo')).toThrow();
  await chooseInMenu(dana, await slack.waitForMessage(channel, 'Noise 4.pdf'), 'hide');
  const hidden = () => slack.messages(channel).filter(({ text }) => text.includes('Dana Reyes hid'));
  await expect.poll(hidden).toHaveLength(2);
});

test('Sam mutes a file and hides a person: each press makes one message, and only if the channel gets none, one in private', async () => {
  const { slack, sam } = stage;
  const { channel, message } = await channelWith('Plinth');
  const answers = () => slack.ephemerals(sam).filter(({ channelId }) => channelId === channel.id);
  for (const [act, announced] of [
    ['mute', 'Sam Okafor muted'],
    ['hide', 'Sam Okafor hid'],
  ] as const) {
    await chooseInMenu(sam, message, act);
    await slack.waitForMessage(channel, announced);
    // The list is what is answered next: nothing was before it.
    expect(slack.textOf(await listOf(sam, channel))).toContain('by');
  }
  expect(answers().map(({ text }) => text)).toEqual(
    Array(2).fill(expect.stringContaining('This channel has 1 subscription')),
  );

  const closed = await channelWith('Parapet');
  await slack.removeBot(closed.channel, stage.dana);
  const posted = slack.messages(closed.channel).length;
  await chooseInMenu(sam, closed.message, 'mute');
  const answer = await slack.waitForEphemeral(sam, 'Parapet.pdf');
  expect(answer.text).toContain('Sam Okafor muted “Parapet.pdf” in this channel.');
  expect(slack.messages(closed.channel)).toHaveLength(posted);
});

test('a file is deleted: nothing is offered that would mute or follow it, and the menu of its older message does neither', async () => {
  const { slack, dana } = stage;
  const { channel, uri, message } = await channelWith('Ramp');
  await notify(uri, { item: 'Ramp', name: 'Ramp.pdf', eventType: 'Delete' });
  const deleted = await slack.waitForMessage(channel, /deleted.*Ramp\.pdf/s);
  const options = menuOf(deleted)?.element.options as { text: { text: string } }[];
  expect(options.map(({ text }) => text.text)).toEqual([
    'Hide Sam Okafor’s changes here',
    'Edit subscription',
    'Why am I seeing this?',
  ]);
  const followed = slack.directMessages(dana).length;
  const refusals = () =>
    slack
      .ephemerals(dana)
      .filter(({ text }) => text === 'That was deleted, so there’s nothing to mute or follow.');
  for (const [index, act] of ['mute', 'follow'].entries()) {
    await chooseInMenu(dana, message, act);
    await expect.poll(() => refusals().length).toBe(index + 1);
  }
  expect(slack.directMessages(dana)).toHaveLength(followed);
  expect(await query('select 1 from plancast.exclusions where channel_id = $1', [channel.id])).toEqual([]);

  // It is restored from the trash, or another file gets its place.
  await notify(uri, { item: 'Ramp', name: 'Ramp again.pdf' });
  await slack.waitForMessage(channel, 'Ramp again.pdf');
  await chooseInMenu(dana, message, 'mute');
  await slack.waitForMessage(channel, 'Dana Reyes muted');
});

test('Home lists what is muted in the channels it shows, and can unmute it', async () => {
  const { slack, dana } = stage;
  const { channel, message } = await channelWith('Lift');
  await chooseInMenu(dana, message, 'mute');
  await slack.waitForMessage(channel, 'muted');
  const shownAt = slack.homeView(dana)?.updates ?? -1;
  await slack.openHome(dana);
  await expect.poll(() => slack.homeView(dana)?.updates ?? -1).toBeGreaterThan(shownAt);
  const home = slack.homeView(dana);
  if (!home) throw new Error('there is no Home tab');
  const row = findElements(home.blocks).find(
    ({ actionId, element }) =>
      actionId === 'show-again' && JSON.stringify(element.accessibility_label).includes('Lift.pdf'),
  );
  if (!row) throw new Error('Home does not list the muted file');
  await slack.click({ user: dana, view: home, element: row });
  await slack.waitForMessage(channel, 'Dana Reyes unmuted');
  await expect.poll(() => JSON.stringify(slack.homeView(dana)?.blocks)).not.toContain('Lift.pdf');
});

test('Dana mutes and unmutes again while Slack is slow to answer: the channel reads last that it is not muted', async () => {
  const { slack, dana } = stage;
  const { channel } = await followed(stage);
  const mutedUntil = async () =>
    (await query('select muted_until from plancast.lanes where channel_id = $1', [channel.id]))[0]
      ?.muted_until;
  await stage.type(dana, '/plancast mute 2h', channel);
  await slack.waitForMessage(channel, 'Dana Reyes muted');
  slack.fault({ method: 'chat.postMessage', channel: channel.id, stored: true, delayMs: 2_000 });
  await stage.type(dana, '/plancast unmute', channel);
  await slack.waitForMessage(channel, 'Dana Reyes unmuted');
  // Slack has the message; the bot waits for the answer.
  await stage.type(dana, '/plancast mute 2h', channel);
  await expect.poll(mutedUntil).not.toBeNull();
  await stage.type(dana, '/plancast unmute', channel);
  await expect.poll(mutedUntil).toBeNull();
  const announced = () =>
    slack.messages(channel).flatMap(({ text }) => /Dana Reyes (muted|unmuted)/.exec(text)?.[1] ?? []);
  await expect.poll(announced, { timeout: 6_000 }).toEqual(['muted', 'unmuted', 'muted', 'unmuted']);
});

test('Dana hides her own changes, which the announcement says without her name twice', async () => {
  const { slack, dana } = stage;
  // Dana pressed often in the tests before.
  stage.advance(60_000);
  const { channel, uri } = await followed(stage);
  // She has pressed and typed a lot by now, and 30 times a minute are allowed.
  stage.advance(60_000);
  await notify(uri, { item: 'own', name: 'Own.pdf', user: 'Dana@Example.com' });
  await chooseInMenu(dana, await slack.waitForMessage(channel, 'Own.pdf'), 'hide');
  await slack.waitForMessage(channel, 'Dana Reyes hid their own changes in this channel.');
});

test('Slack objected to nothing the bot showed', () => {
  expect(stage.slack.violations.filter(({ kind }) => kind !== 'rate')).toEqual([]);
});
