import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Channel } from '../../sandbox/slack/directory.ts';
import { findElements, labelOf } from '../../sandbox/slack/find-elements.ts';
import { followed } from '../support/followed.ts';
import { type Notice, notify } from '../support/notify.ts';
import { type Stage, setStage } from '../support/stage.ts';
import { makeStageActions } from '../support/stage-actions.ts';

let stage: Stage;
beforeAll(async () => {
  stage = await setStage({ name: 'quiet hours', skipsPauses: true });
  await stage.link(stage.dana, 'dana@example.com');
});
afterAll(() => stage.close());

const { listOf, query, chooseInMenu, following } = makeStageActions(() => stage);

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

const textsOf = (channel: Channel) => stage.slack.messages(channel).map(({ text }) => text);
const sweep = () => stage.bot.runChore('sweep');

test('Dana sets quiet hours: the channel reads them with her time zone, the night is silent but for deletions, and the morning has one summary', async () => {
  until('12:00');
  const { channel, send } = await channelOf('night');
  const set = await quiet(channel, 'quiet 18:00-7:00 weekends except deleted');
  expect(set.text).toContain(
    '18:00 to 7:00 London time, and all of Saturday and Sunday; deleted right away.',
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
    expect.stringMatching(/2 changes.*Evening\.pdf.*Late\.pdf/s),
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
    expect.stringMatching(/While muted: 2 changes since.* 1 added, 1 deleted/s),
  ]);
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
    expect.stringMatching(/Dana Reyes unmuted this channel\..*Quiet hours begin again.*1 change.*One\.pdf/s),
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
    expect.stringMatching(/2 changes.*Before\.pdf.*After\.pdf/s),
  ]);
});

test('the list and Home show the quiet hours and change them; the doctor and why name them', async () => {
  until('20:00');
  const { slack, dana } = stage;
  // Home shows ten subscriptions a page.
  await query(`update plancast.subscriptions set state = 'ended', ended_at = now()`);
  const { channel, send } = await channelOf('shown');
  await chooseInMenu(dana, await listOf(dana, channel), 'quiet');
  await slack.waitForMessage(channel, 'set quiet hours for this channel: 18:00 to 7:00 London time.');
  await send('Waits.pdf');
  await expect.poll(() => outcomes(channel)).toEqual({ 'Waits.pdf': 'pending: muted' });
  expect(slack.textOf(await listOf(dana, channel))).toContain('🌙 Quiet hours: 18:00 to 7:00 London time');

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
  expect(slack.textOf(why)).toContain('waiting for the mute to end');

  await slack.openHome(dana);
  const home = await slack.waitForHome(dana, channel.id);
  expect(JSON.stringify(home.blocks)).toContain('Quiet hours: 18:00 to 7:00 London time');
  const off = findElements(home.blocks).find((found) => labelOf(found) === 'Turn off quiet hours');
  if (!off) throw new Error('Home cannot turn them off');
  await slack.click({ user: dana, view: home, element: off });
  await slack.waitForMessage(channel, /Dana Reyes turned off quiet hours.*Waits\.pdf/s);
  expect(slack.textOf(await listOf(dana, channel))).not.toContain('Quiet hours:');
  await stage.type(dana, '/plancast quiet off', channel);
  await slack.waitForEphemeral(dana, 'There are no quiet hours in this channel.');
});

test.each([
  ['quiet', '`quiet` needs two times like 18:00 to 7:00, or off', ['quiet 18:00-07:00', 'quiet off']],
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
