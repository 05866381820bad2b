import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Channel } from '../../sandbox/slack/directory.ts';
import { followed } from '../support/followed.ts';
import { bodyOf, type Notice, notify } from '../support/notify.ts';
import { settled as settledOn } from '../support/settled.ts';
import { type Stage, setStage } from '../support/stage.ts';
import { menuOf } from '../support/stage-actions.ts';

let stage: Stage;
beforeAll(async () => {
  stage = await setStage({ name: 'roll-up', rateLimit: 'strict' });
  await stage.link(stage.dana, 'dana@example.com');
});
afterAll(() => stage.close());

const minute = 60_000;
const dana = 'dana@example.com';
const sam = 'sam@example.com';

/** A file that Dana saves, unless stated otherwise. */
const save = (uri: string, name: string, more: Partial<Notice> = {}) =>
  notify(uri, { item: `item of ${name}`, name, eventType: 'Update', user: dana, at: stage.now(), ...more });

/** Waits until nothing is pending in a channel, while edits become due soon. */
const settled = (channel: Channel) => settledOn(stage, channel);

/** Returns the activity messages of a channel, without the announcement. */
const activity = (channel: Channel) => stage.slack.messages(channel).slice(1);
const texts = (channel: Channel) => activity(channel).map(({ text }) => text);

/** Returns how many events each message shows. */
async function shown(channel: Channel): Promise<number[]> {
  const { rows } = await stage.database.connect().pool.query<{ count: number }>(
    `select count(*)::int from plancast.events where channel_id = $1 and state = 'posted'
     group by message_ts order by message_ts`,
    [channel.id],
  );
  return rows.map(({ count }) => count);
}

test('Dana saves a file 20 times in a minute: one message counts them', async () => {
  const { channel, uri } = await followed(stage, 'saves');
  for (let count = 0; count < 20; count += 1) {
    expect(await save(uri, 'Ceiling.pdf')).toBe(200);
    stage.advance(3_000);
    await sleep(60);
  }
  await settled(channel);
  expect(texts(channel)).toEqual([expect.stringContaining('Dana Reyes updated “Ceiling.pdf” 20 times')]);
  expect(await shown(channel)).toEqual([20]);
  // The menu still offers what can be done about one file.
  expect(JSON.stringify(activity(channel)[0]?.blocks)).toContain('Mute this file here');
});

test('edits of one message are at least five seconds apart, and none delays a new message', async () => {
  const { channel, uri } = await followed(stage, 'paced');
  for (let count = 0; count < 4; count += 1) {
    await save(uri, 'Plan.pdf');
    await sleep(1_500);
  }
  const sent = Date.now();
  await save(uri, 'Other.pdf', { user: sam });
  await stage.slack.waitForMessage(channel, 'Other.pdf');
  expect(Date.now() - sent).toBeLessThan(2_000);
  await settled(channel);
  const [first] = activity(channel);
  const times = [first?.postedAt ?? 0, ...(first?.edits.map(({ until }) => until) ?? [])];
  const gaps = times.slice(1).map((time, index) => time - (times[index] ?? 0));
  expect(Math.min(...gaps)).toBeGreaterThanOrEqual(5_000);
  expect(await shown(channel)).toEqual([4, 1]);
});

test('Sam renames the file in between: his message stands alone, and later saves are a new message below it', async () => {
  const { channel, uri } = await followed(stage, 'renamed in between');
  await save(uri, 'Door.pdf');
  await settled(channel);
  await save(uri, 'Door.pdf');
  await save(uri, 'Door.pdf');
  await save(uri, 'Doors.pdf', { item: 'item of Door.pdf', user: sam });
  await save(uri, 'Doors.pdf', { item: 'item of Door.pdf' });
  await settled(channel);
  await save(uri, 'Doors.pdf', { item: 'item of Door.pdf' });
  await settled(channel);
  const all = texts(channel);
  expect(all[0]).not.toContain('renamed');
  expect(all.filter((text) => text.includes('renamed'))).toHaveLength(1);
  expect(all.at(-1)).toContain('“Doors.pdf”');
  expect((await shown(channel)).reduce((sum, count) => sum + count, 0)).toBe(6);
  // What waited for an edit is in the new message about the file, before the rename.
  const renamed = all.find((text) => text.includes('renamed')) ?? '';
  expect(renamed.indexOf('Door.pdf')).toBeLessThan(renamed.indexOf('renamed'));
});

test('an update joins the newest message about its file, an addition only the newest message in the channel', async () => {
  const { channel, uri } = await followed(stage, 'targets');
  await save(uri, 'A.pdf');
  await settled(channel);
  await save(uri, 'B.pdf', { user: sam });
  await settled(channel);
  await save(uri, 'A.pdf');
  await settled(channel);
  expect(await shown(channel)).toEqual([2, 1]);
  await save(uri, 'C.pdf', { eventType: 'Create' });
  await settled(channel);
  expect(await shown(channel)).toEqual([2, 1, 1]);
  await save(uri, 'D.pdf', { eventType: 'Create' });
  await save(uri, 'E.pdf');
  await settled(channel);
  expect(await shown(channel)).toEqual([2, 1, 3]);
  // A file has been added and then saved: one message.
  await save(uri, 'D.pdf');
  await settled(channel);
  expect(await shown(channel)).toEqual([2, 1, 4]);
});

test('a deletion or a move is a new message, and so is what comes after a quarter of an hour or two hours', async () => {
  const { channel, uri } = await followed(stage, 'limits');
  await save(uri, 'A.pdf');
  await settled(channel);
  stage.advance(16 * minute);
  await save(uri, 'A.pdf');
  await settled(channel);
  expect(await shown(channel)).toEqual([1, 1]);
  for (let count = 0; count < 10; count += 1) {
    stage.advance(13 * minute);
    await save(uri, 'A.pdf');
    await settled(channel);
  }
  // The message was posted less than two hours before the ninth.
  expect(await shown(channel)).toEqual([1, 10, 1]);
  await save(uri, 'A.pdf', { path: 'Root/Details/A.pdf', idPath: 'root/details/item of A.pdf' });
  await settled(channel);
  await save(uri, 'A.pdf', { eventType: 'Delete' });
  await settled(channel);
  expect(await shown(channel)).toEqual([1, 10, 1, 1, 1]);
  expect(activity(channel).at(-1)?.edits).toEqual([]);
});

test('a message with 30 files takes no more, and one save more of a file in it', async () => {
  const { channel, uri } = await followed(stage, 'room');
  const add = (name: string) => bodyOf({ item: `item of ${name}`, name, user: dana, at: stage.now() });
  await save(uri, 'First.pdf', { eventType: 'Create' });
  await settled(channel);
  const more = Array.from({ length: 29 }, (_, n) => add(`More ${n}.pdf`));
  expect((await fetch(uri, { method: 'POST', body: JSON.stringify(more) })).status).toBe(200);
  await settled(channel);
  expect(await shown(channel)).toEqual([30]);
  await save(uri, 'First.pdf');
  await settled(channel);
  expect(await shown(channel)).toEqual([31]);
  await save(uri, 'Last.pdf', { eventType: 'Create' });
  await settled(channel);
  expect(await shown(channel)).toEqual([31, 1]);
});

test('what the service sends late rolls up too, apart from the rest, and says when it happened', async () => {
  const { channel, uri } = await followed(stage, 'late');
  const late = { at: new Date(stage.now().getTime() - 10 * minute) };
  for (let count = 0; count < 2; count += 1) {
    await save(uri, 'A.pdf', late);
    await settled(channel);
  }
  await save(uri, 'B.pdf', { user: sam });
  await settled(channel);
  await save(uri, 'A.pdf', late);
  await settled(channel);
  expect(await shown(channel)).toEqual([3, 1]);
  expect(texts(channel)[0]).toMatch(/updated “A.pdf” 3 times.*Happened/);
  await save(uri, 'A.pdf');
  await settled(channel);
  expect(await shown(channel)).toEqual([3, 1, 1]);
});

test('Slack refuses the edit: what would have joined is a new message at once', async () => {
  const { channel, uri } = await followed(stage, 'refused');
  await save(uri, 'A.pdf');
  await settled(channel);
  stage.slack.fault({ method: 'chat.update', error: 'edit_window_closed', channel: channel.id });
  await save(uri, 'A.pdf');
  await save(uri, 'A.pdf');
  await settled(channel);
  expect(await shown(channel)).toEqual([1, 2]);
});

test('the workspace has no edit left: what would have joined waits for a minute, then it is a new message', async () => {
  const { channel, uri } = await followed(stage, 'used up');
  await save(uri, 'A.pdf');
  await settled(channel);
  stage.slack.fault({ method: 'chat.update', status: 429, retryAfter: 600, channel: channel.id });
  await save(uri, 'A.pdf');
  const { pool } = stage.database.connect();
  const stamped = () =>
    pool.query(`select from plancast.events where channel_id = $1 and edit_at > now()`, [channel.id]);
  await expect.poll(async () => (await stamped()).rows.length).toBe(1);
  stage.advance(40_000);
  await save(uri, 'Other.pdf', { user: sam });
  await stage.slack.waitForMessage(channel, 'Other.pdf');
  await expect.poll(() => shown(channel)).toEqual([1, 1]);
  stage.advance(21_000);
  await expect.poll(() => shown(channel)).toEqual([1, 1, 1]);
});

test('Slack takes no edit for ten minutes, and nothing else comes: what would have joined is a new message after a minute', async () => {
  const { channel, uri } = await followed(stage, 'throttled');
  await save(uri, 'A.pdf');
  await settled(channel);
  const asks = { method: 'chat.update', status: 429, retryAfter: 600 };
  const fault = stage.slack.fault({ ...asks, channel: channel.id });
  await save(uri, 'A.pdf');
  await expect.poll(() => fault.hits()).toBe(1);
  stage.advance(61_000);
  await expect.poll(() => shown(channel)).toEqual([1, 1]);
});

test('with threads on, an update joins only the newest reply about its file', async () => {
  const { slack } = stage;
  const channel = slack.addChannel({ name: 'threads', members: [stage.dana] });
  const before = new Set(stage.service.subscriptions.all().map(({ uri }) => uri));
  await stage.type(stage.dana, '/subscribe project 412-873-550 threads on', channel);
  await slack.waitForMessage(channel, 'to this channel');
  const uri = stage.service.subscriptions.all().find((each) => !before.has(each.uri))?.uri ?? '';
  await save(uri, 'A.pdf', { eventType: 'Create' });
  await settled(channel);
  for (let count = 0; count < 3; count += 1) {
    await save(uri, 'A.pdf');
    await settled(channel);
  }
  expect(await shown(channel)).toEqual([1, 3]);
  const [root, reply] = activity(channel);
  expect(root?.edits).toEqual([]);
  expect(reply?.threadTs).toBe(root?.ts);
});

test('Mute in the old menu of a message that has grown still mutes its first file', async () => {
  const { slack } = stage;
  const { channel, uri } = await followed(stage, 'old menu');
  await save(uri, 'A.pdf');
  await settled(channel);
  const [first] = activity(channel);
  const element = first && menuOf(first);
  const options = (element?.element.options ?? []) as { value: string }[];
  const value = options.find((option) => option.value.includes('mute-item'))?.value;
  await save(uri, 'B.pdf');
  await settled(channel);
  const grown = activity(channel)[0];
  expect(JSON.stringify(grown?.blocks)).not.toContain('Mute this file');
  if (!first || !element) throw new Error('nothing was posted');
  await slack.click({ user: stage.dana, message: first, element, value });
  await save(uri, 'A.pdf');
  await slack.waitForMessage(channel, /mute|won’t post/i);
});
