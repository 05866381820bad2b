import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Channel } from '../../sandbox/slack/directory.ts';
import { findElements, labelOf } from '../../sandbox/slack/find-elements.ts';
import type { View } from '../../sandbox/slack/views.ts';
import { followed } from '../support/followed.ts';
import { type Notice, notify } from '../support/notify.ts';
import { type Stage, setStage } from '../support/stage.ts';
import { held, makeStageActions } from '../support/stage-actions.ts';

let stage: Stage;
beforeAll(async () => {
  stage = await setStage({ name: 'quiet hours', skipsPauses: true });
  await stage.link(stage.dana, 'dana@example.com');
});
afterAll(() => stage.close());

const { listOf, query, press, following } = makeStageActions(() => stage);

/** Lets the next moment come that clocks in London, where Dana is, show this time; on a Wednesday, unless another day is named. */
function until(time: string, weekday = 3): void {
  const [hour = 0, minute = 0] = time.split(':').map(Number);
  const at = stage.now();
  at.setUTCHours(hour, minute, 0, 0);
  while (at <= stage.now() || at.getUTCDay() !== weekday) at.setUTCDate(at.getUTCDate() + 1);
  stage.advance(at.getTime() - stage.now().getTime());
}

/** Makes a channel that Dana subscribed. `send` sends a notification about a file of that name. */
async function channelOf(name: string) {
  const { channel, uri } = await followed(stage, name);
  const send = (file: string, more: Partial<Notice> = {}) =>
    notify(uri, { item: file, name: file, at: stage.now(), ...more });
  return { channel, send };
}

async function quiet(channel: Channel, line: string) {
  await stage.type(stage.dana, `/plancast ${line}`, channel);
  return stage.slack.waitForMessage(channel, 'Dana Reyes set quiet hours for this channel');
}

/** Returns the outcome of each event of a channel, by the name of its item. */
async function outcomes({ id }: Channel): Promise<Record<string, string>> {
  const rows = await query(
    `select notification ->> 'name' as name, state, reason from plancast.events where channel_id = $1 order by seq`,
    [id],
  );
  return Object.fromEntries(
    rows.map(({ name, state, reason }) => [name, reason ? `${state}: ${reason}` : state]),
  );
}

/** Returns until when a channel is muted, in London. */
async function mutedUntil({ id }: Channel): Promise<string> {
  const [lane] = await query(`select muted_until as at from plancast.lanes where channel_id = $1`, [id]);
  const at = new Date(String(lane?.at));
  return `${at.toISOString().slice(11, 16)} on day ${at.getUTCDay()}`;
}

const textsOf = (channel: Channel) => stage.slack.messages(channel).map(({ text }) => text);
const sweep = () => stage.bot.runChore('sweep');

test('Dana sets quiet hours: the channel reads them with her time zone, the night is silent but for deletions, and the morning has one summary', async () => {
  until('12:00');
  const { channel, send } = await channelOf('night');
  const set = await quiet(channel, 'quiet 18:00-7:00 weekends except deleted');
  expect(set.text).toContain(
    '18:00 to 7:00 London time, and all of Saturday and Sunday; deletions are still posted.',
  );
  await send('Noon.pdf');
  await stage.slack.waitForMessage(channel, 'Noon.pdf');
  const shown = textsOf(channel).length;

  until('18:00');
  await send('Evening.pdf');
  await send('Gone.pdf', { eventType: 'Delete' });
  await stage.slack.waitForMessage(channel, 'Gone.pdf');
  until('03:00', 4);
  await send('Late.pdf');
  await sweep();
  await expect
    .poll(() => outcomes(channel))
    .toMatchObject({ 'Evening.pdf': 'pending: muted', 'Gone.pdf': 'posted', 'Late.pdf': 'pending: muted' });
  expect(textsOf(channel).slice(shown)).toEqual([expect.stringContaining('Gone.pdf')]);

  until('07:00', 4);
  await sweep();
  await stage.slack.waitForMessage(channel, 'Late.pdf');
  expect(textsOf(channel).slice(shown + 1)).toEqual([
    expect.stringMatching(/^During quiet hours: 2 changes.*Evening\.pdf.*Late\.pdf/s),
  ]);
  // Nothing came in the next night, so nothing is posted after it.
  until('07:00', 5);
  await sweep();
  await send('Friday.pdf');
  await stage.slack.waitForMessage(channel, 'Friday.pdf');
  expect(textsOf(channel)).toHaveLength(shown + 3);
});

test('a process that sleeps through the end of the quiet hours posts what they held before what comes next', async () => {
  until('17:00');
  const { channel, send } = await channelOf('asleep');
  await quiet(channel, 'quiet 18:00 to 7:00');
  until('20:00');
  await send('Held.pdf');
  await expect.poll(() => outcomes(channel)).toEqual({ 'Held.pdf': 'pending: muted' });
  until('07:00', 4);
  await send('Morning.pdf');
  await stage.slack.waitForMessage(channel, 'Morning.pdf');
  const texts = textsOf(channel);
  expect(texts.findIndex((text) => text.includes('Held.pdf'))).toBeLessThan(
    texts.findIndex((text) => text.includes('Morning.pdf')),
  );
});

test('a digest that is due at night, and what its subscription posts right away, wait for the one summary in the morning', async () => {
  until('17:00');
  const { slack, dana, service } = stage;
  const channel = slack.addChannel({ name: 'digests at night', members: [dana] });
  await following(dana, channel, '/subscribe project 412-873-550 digest daily 22:00 except deleted');
  await quiet(channel, 'quiet 18:00-7:00');
  const uri = service.subscriptions.all().at(-1)?.uri ?? '';
  await notify(uri, { item: 'a', name: 'Added.pdf', at: stage.now() });
  const shown = textsOf(channel).length;
  until('22:30');
  await sweep();
  await notify(uri, { item: 'b', name: 'Deleted.pdf', eventType: 'Delete', at: stage.now() });
  await expect
    .poll(() => outcomes(channel))
    .toEqual({ 'Added.pdf': 'pending: muted', 'Deleted.pdf': 'pending: muted' });
  until('07:00', 4);
  await sweep();
  await slack.waitForMessage(channel, 'Deleted.pdf');
  expect(textsOf(channel).slice(shown)).toEqual([
    expect.stringMatching(/During quiet hours: 2 changes since.* 1 added, 1 deleted/s),
  ]);
});

test('a digest that is due when quiet hours end is in their one summary', async () => {
  until('17:00');
  const { slack, dana, service } = stage;
  const { channel, send } = await channelOf('digest at the end');
  await following(dana, channel, '/subscribe project 538-204-917 digest daily 09:00');
  await expect.poll(() => slack.messages(channel).length).toBe(2);
  const uri = service.subscriptions.all().at(-1)?.uri ?? '';
  await quiet(channel, 'quiet 18:00-9:00');
  const roof = (name: string) => notify(uri, { item: name, name, projectId: '538-204-917', at: stage.now() });
  await roof('Afternoon.pdf');
  until('20:00');
  await send('Night.pdf');
  await expect
    .poll(() => outcomes(channel))
    .toEqual({ 'Afternoon.pdf': 'pending: digest', 'Night.pdf': 'pending: muted' });
  const shown = textsOf(channel).length;
  until('09:00', 4);
  // An event may settle the channel before the sweep looks for digests.
  await send('Morning.pdf');
  await slack.waitForMessage(channel, 'Morning.pdf');
  await sweep();
  await expect.poll(() => outcomes(channel)).toMatchObject({ 'Afternoon.pdf': 'posted' });
  expect(textsOf(channel).slice(shown)).toEqual([
    expect.stringMatching(/^During quiet hours: 2 changes.*Afternoon\.pdf.*Night\.pdf/s),
    expect.stringContaining('Morning.pdf'),
  ]);

  // Without anything else, it is a digest as ever.
  await roof('Noon.pdf');
  until('09:00', 5);
  await sweep();
  await slack.waitForMessage(channel, 'Noon.pdf');
  expect(textsOf(channel).slice(shown + 2)).toEqual([expect.not.stringContaining('quiet hours')]);
});

test('it is quiet in my direct messages, where I can type nothing: Home has Unmute for tonight', async () => {
  const { slack, sam, service } = stage;
  until('12:00');
  await stage.link(sam, 'sam@example.com');
  await stage.type(sam, '/subscribe project 412-873-550 to me');
  await slack.waitForDirectMessage(sam, 'You now follow');
  const uri = service.subscriptions.all().at(-1)?.uri ?? '';
  const pressHome = async (label: string) => {
    await slack.openHome(sam);
    const view = await slack.waitForHome(sam, (home) => JSON.stringify(home.blocks).includes(`"${label}"`));
    await slack.click({ user: sam, view, element: slack.button(view, label) });
  };
  await pressHome('Quiet hours');
  await slack.waitForView(sam, 'quiet hours');
  await slack.submitView({ user: sam, values: { quiet_days: 'every' } });
  await slack.waitForDirectMessage(sam, 'You set quiet hours');
  until('19:00');
  await notify(uri, { item: 'evening', name: 'Evening.pdf', at: stage.now() });
  await pressHome('Unmute');
  await slack.waitForDirectMessage(sam, /You unmuted me.*Quiet hours begin again.*Evening\.pdf/s);
});

test('the bot comes back to a channel in its quiet hours: it does not say that nothing changed, and the morning has what did', async () => {
  const { slack, dana } = stage;
  until('12:00');
  const { channel, send } = await channelOf('away at night');
  await quiet(channel, 'quiet 18:00-7:00');
  until('19:00');
  await slack.removeBot(channel, dana);
  await send('Missed.pdf');
  await slack.inviteBot(channel, dana);
  const back = await slack.waitForMessage(channel, 'I’m posting here again');
  expect(back.text).not.toContain('No changes');
  until('07:00', 4);
  await sweep();
  await slack.waitForMessage(channel, /^During quiet hours: 1 change.*Missed\.pdf/s);
});

test('Unmute ends tonight’s quiet hours, and tomorrow’s begin as ever', async () => {
  until('17:00');
  const { channel, send } = await channelOf('unmuted');
  await quiet(channel, 'quiet 18:00-7:00');
  until('20:00');
  await send('One.pdf');
  await expect.poll(() => outcomes(channel)).toEqual({ 'One.pdf': 'pending: muted' });
  const shown = textsOf(channel).length;
  await stage.type(stage.dana, '/plancast unmute', channel);
  await stage.slack.waitForMessage(channel, 'One.pdf');
  expect(textsOf(channel).slice(shown)).toEqual([
    expect.stringMatching(
      /Dana Reyes unmuted this channel\..*Quiet hours begin again.*During quiet hours: 1 change.*One\.pdf/s,
    ),
  ]);
  await send('Tonight.pdf');
  await stage.slack.waitForMessage(channel, 'Tonight.pdf');
  until('18:30', 4);
  await send('Tomorrow.pdf');
  await expect.poll(() => outcomes(channel)).toMatchObject({ 'Tomorrow.pdf': 'pending: muted' });
});

test('a mute that ends within quiet hours ends with them, as its announcement says, with one summary', async () => {
  until('17:00');
  const { channel, send } = await channelOf('muted into the night');
  await quiet(channel, 'quiet 18:00-7:00');
  await stage.type(stage.dana, '/plancast mute 2h', channel);
  const muted = await stage.slack.waitForMessage(channel, 'Dana Reyes muted this channel until');
  const morning = new Date(stage.now());
  morning.setUTCDate(morning.getUTCDate() + 1);
  morning.setUTCHours(7, 0, 0, 0);
  expect(JSON.stringify(muted.blocks)).toContain(String(morning.getTime() / 1_000));
  const shown = textsOf(channel).length;
  await send('Before.pdf');
  until('21:00');
  await sweep();
  await send('After.pdf');
  await expect
    .poll(() => outcomes(channel))
    .toEqual({ 'Before.pdf': 'pending: muted', 'After.pdf': 'pending: muted' });
  until('07:00', 4);
  await sweep();
  await stage.slack.waitForMessage(channel, 'After.pdf');
  expect(textsOf(channel).slice(shown)).toEqual([
    expect.stringMatching(/^While muted: 2 changes.*Before\.pdf.*After\.pdf/s),
  ]);
});

test('a mute in the night that Unmute made loud ends when it was to end, its summary says so, and one of the next night ends with that', async () => {
  until('17:00');
  const { channel, send } = await channelOf('muted after Unmute');
  await quiet(channel, 'quiet 18:00-7:00');
  until('20:00');
  await stage.type(stage.dana, '/plancast unmute', channel);
  await stage.slack.waitForMessage(channel, 'Quiet hours begin again');
  await stage.type(stage.dana, '/plancast mute 1h', channel);
  await stage.slack.waitForMessage(channel, 'muted this channel until');
  await send('While muted.pdf');
  await expect.poll(() => outcomes(channel)).toEqual({ 'While muted.pdf': 'pending: muted' });
  until('21:01');
  await sweep();
  await stage.slack.waitForMessage(channel, /^While muted: 1 change.*While muted\.pdf/s);
  await stage.type(stage.dana, '/plancast mute 1d', channel);
  await expect.poll(() => mutedUntil(channel)).toBe('07:00 on day 5');
});

test('a mute that ends within quiet hours that are set later ends with them', async () => {
  until('16:00');
  const { channel } = await channelOf('muted before quiet hours');
  await stage.type(stage.dana, '/plancast mute 4h', channel);
  await stage.slack.waitForMessage(channel, 'muted this channel until');
  await quiet(channel, 'quiet 21:00-7:00');
  expect(await mutedUntil(channel)).toBe('20:00 on day 3');
  await stage.type(stage.dana, '/plancast quiet 18:00-7:00', channel);
  await expect.poll(() => mutedUntil(channel)).toBe('07:00 on day 4');
});

test('Dana changes quiet hours, or turns them off: a mute that they had extended ends when she wanted', async () => {
  until('16:00');
  const { channel, send } = await channelOf('muted, then loud');
  const { dana } = stage;
  await quiet(channel, 'quiet 18:00-7:00');
  await stage.type(dana, '/plancast mute 4h', channel);
  await expect.poll(() => mutedUntil(channel)).toBe('07:00 on day 4');
  await stage.type(dana, '/plancast quiet 21:00-7:00', channel);
  await expect.poll(() => mutedUntil(channel)).toBe('20:00 on day 3');
  until('18:30');
  await stage.type(dana, '/plancast quiet off', channel);
  const off = await stage.slack.waitForMessage(
    channel,
    /turned off quiet hours.*I’m still muted here until/s,
  );
  expect(stage.slack.button(off, 'Unmute')).toBeDefined();
  expect(await mutedUntil(channel)).toBe('20:00 on day 3');
  await stage.type(dana, '/plancast quiet 18:00-7:00', channel);
  await expect.poll(() => mutedUntil(channel)).toBe('07:00 on day 4');

  until('20:30');
  await send('Held.pdf');
  await expect.poll(() => outcomes(channel)).toEqual({ 'Held.pdf': 'pending: muted' });
  await stage.type(dana, '/plancast quiet off', channel);
  await stage.slack.waitForMessage(channel, /Dana Reyes turned off quiet hours.*Held\.pdf/s);
  await send('Next.pdf');
  await stage.slack.waitForMessage(channel, 'Next.pdf');
});

test('an hourly digest that fell due at night waited for the quiet hours, and a mute of the afternoon is one', async () => {
  until('17:00');
  const { slack, dana, service } = stage;
  const channel = slack.addChannel({ name: 'hourly', members: [dana] });
  await following(dana, channel, '/subscribe project 412-873-550 digest hourly');
  await quiet(channel, 'quiet 18:00-7:00');
  const uri = service.subscriptions.all().at(-1)?.uri ?? '';
  until('17:30');
  await notify(uri, { item: 'a', name: 'Added.pdf', at: stage.now() });
  until('18:00');
  await sweep();
  await expect.poll(() => outcomes(channel)).toEqual({ 'Added.pdf': 'pending: muted' });
  until('07:00', 4);
  await sweep();
  await slack.waitForMessage(channel, /^During quiet hours: 1 change.*Added\.pdf/s);

  until('13:00', 4);
  await stage.type(dana, '/subscribe project 412-873-550 live', channel);
  await slack.waitForMessage(channel, 'changed the subscription');
  await stage.type(dana, '/plancast mute 1h', channel);
  await slack.waitForMessage(channel, 'muted this channel');
  await notify(uri, { item: 'b', name: 'Lunch.pdf', at: stage.now() });
  await expect.poll(() => outcomes(channel)).toMatchObject({ 'Lunch.pdf': 'pending: muted' });
  until('14:01', 4);
  await sweep();
  await slack.waitForMessage(channel, /^While muted: 1 change.*Lunch\.pdf/s);
});

/** Opens the form for quiet hours with what a person presses or types. */
async function openQuietForm(open: () => Promise<unknown>) {
  const { slack, dana } = stage;
  const before = slack.lastView(dana)?.id;
  await open();
  return slack.waitForView(dana, (view) => view.id !== before && slack.textOf(view).includes('Quiet hours'));
}

/** Returns what the form's fields hold: days, begin, end, exceptions. */
function filledIn(form: View) {
  const chosen = (held: unknown) => (held as { value?: string } | null)?.value ?? held;
  return ['quiet_days', 'quiet_from', 'quiet_to', 'quiet_except'].map((id) => {
    const found = held(form, id);
    return Array.isArray(found) ? found.map(chosen) : chosen(found);
  });
}

test('the list and Home open a form with begin, end, weekends and exceptions; the doctor and why name what is set', async () => {
  until('20:00');
  const { slack, dana } = stage;
  // Home shows ten subscriptions a page.
  await query(`update plancast.subscriptions set state = 'ended', ended_at = now()`);
  const { channel, send } = await channelOf('shown');
  const usual = await openQuietForm(async () => press(dana, await listOf(dana, channel), 'Quiet hours'));
  expect(filledIn(usual)).toEqual(['weekends', '18:00', '07:00', []]);
  const submit = (view: View, values: Readonly<Record<string, unknown>>) =>
    slack.submitView({ user: dana, viewId: view, values });
  expect(await submit(usual, { quiet_to: '18:00' })).toMatchObject({
    errors: { quiet_to: 'Choose another time than the first.' },
  });
  await submit(usual, { quiet_days: 'every', quiet_to: '06:30', quiet_except: ['delete'] });
  await slack.waitForMessage(
    channel,
    'set quiet hours for this channel: 18:00 to 6:30 London time; deletions are still posted.',
  );
  await send('Waits.pdf');
  await expect.poll(() => outcomes(channel)).toEqual({ 'Waits.pdf': 'pending: muted' });
  expect(slack.textOf(await listOf(dana, channel))).toContain('🌙 Quiet hours: 18:00 to 6:30 London time');

  await stage.type(dana, '/plancast doctor', channel);
  const doctor = await slack.waitForEphemeral(
    dana,
    ({ text, channelId }) => channelId === channel.id && /quiet/.test(text),
  );
  expect(slack.textOf(doctor)).toContain('It’s quiet here until');
  await stage.type(dana, '/plancast why', channel);
  const why = await slack.waitForEphemeral(
    dana,
    ({ text, channelId }) => channelId === channel.id && text.includes('Waits.pdf'),
  );
  expect(slack.textOf(why)).toContain('waiting for quiet hours to end');

  await slack.openHome(dana);
  const home = await slack.waitForHome(dana, channel.id);
  expect(JSON.stringify(home.blocks)).toContain('Quiet hours: 18:00 to 6:30 London time');
  const change = findElements(home.blocks).find((found) => labelOf(found) === 'Change quiet hours');
  if (!change) throw new Error('Home cannot change them');
  const set = await openQuietForm(() => slack.click({ user: dana, view: home, element: change }));
  expect(filledIn(set)).toEqual(['every', '18:00', '06:30', ['delete']]);
  await submit(set, { quiet_days: 'off' });
  await slack.waitForMessage(
    channel,
    /Dana Reyes turned off quiet hours.*During quiet hours: 1 change.*Waits\.pdf/s,
  );
  expect(slack.textOf(await listOf(dana, channel))).not.toContain('Quiet hours:');
  await stage.type(dana, '/plancast quiet off', channel);
  await slack.waitForEphemeral(dana, 'There are no quiet hours in this channel.');
});

test('"/plancast quiet" opens the same form, and changes nothing by itself', async () => {
  const { channel } = await channelOf('asked');
  const form = await openQuietForm(() => stage.type(stage.dana, '/plancast quiet', channel));
  expect(filledIn(form)).toEqual(['weekends', '18:00', '07:00', []]);
  expect(textsOf(channel)).toHaveLength(1);
});

test.each([
  ['quiet weekends', '`quiet` needs two times like 18:00 to 7:00, or off', ['quiet 18:00-07:00 weekends']],
  ['quiet no weekends', '`quiet` can’t be `weekends and off`', ['quiet 18:00-07:00', 'quiet off']],
  [
    'quiet off except deleted',
    '`quiet` can’t be `except and off`',
    ['quiet 18:00-07:00 except deleted', 'quiet off'],
  ],
  ['quiet 18:00', '`quiet` can’t be `18:00`', ['quiet 18:00-07:00', 'quiet off']],
  ['quiet 18:00-18:00', '`quiet` can’t be `18:00 and 18:00`', ['quiet 18:00-07:00', 'quiet off']],
  [
    'quiet 9-5 except',
    '`except` needs added, changed or deleted',
    [
      'quiet 09:00-05:00 except added',
      'quiet 09:00-05:00 except changed',
      'quiet 09:00-05:00 except deleted',
    ],
  ],
])(
  '"/plancast %s" changes nothing, and is answered with a button for each that there is',
  async (line, answer, buttons) => {
    const { slack, dana } = stage;
    const { channel } = await channelOf('wrong');
    await stage.type(dana, `/plancast ${line}`, channel);
    const reply = await slack.waitForEphemeral(
      dana,
      ({ text, channelId }) => channelId === channel.id && text.includes(answer),
    );
    const labels = findElements(reply.blocks)
      .filter(({ element }) => element.type === 'button')
      .map(labelOf);
    expect(labels).toEqual(expect.arrayContaining(buttons));
    expect(textsOf(channel)).toHaveLength(1);
  },
);

test('the clocks go forward at night: quiet hours end when local clocks say so', async () => {
  const { slack, service, teamId } = stage;
  stage.advance(new Date('2027-03-27T17:00:00Z').getTime() - stage.now().getTime());
  const nora = slack.addUser({ teamId, realName: 'Nora', name: 'Nora', email: 'dana@example.com' });
  stage.plans.members.add(nora.id);
  await stage.link(nora, 'dana@example.com');
  const channel = slack.addChannel({ name: 'spring', members: [nora] });
  await following(nora, channel);
  const uri = service.subscriptions.all().at(-1)?.uri ?? '';
  await stage.type(nora, '/plancast quiet 18:00-7:00', channel);
  await slack.waitForMessage(channel, 'Nora set quiet hours');
  stage.advance(5 * 3_600_000);
  await notify(uri, { item: 'night', name: 'Night.pdf', at: stage.now() });
  await expect.poll(() => outcomes(channel)).toEqual({ 'Night.pdf': 'pending: muted' });
  // Clocks in London show 6:59:30 then: an hour ago in UTC.
  stage.advance(new Date('2027-03-28T05:59:30Z').getTime() - stage.now().getTime());
  await sweep();
  expect(await outcomes(channel)).toEqual({ 'Night.pdf': 'pending: muted' });
  stage.advance(31_000);
  await sweep();
  await slack.waitForMessage(channel, 'Night.pdf');
});

test('Slack objected to nothing of this', () => {
  expect(stage.slack.violations.filter(({ kind }) => kind !== 'rate')).toEqual([]);
});
