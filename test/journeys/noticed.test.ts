import { afterAll, beforeAll, expect, test } from 'vitest';
import { followed } from '../support/followed.ts';
import { bodyOf, notify } from '../support/notify.ts';
import { type Stage, setStage } from '../support/stage.ts';

let stage: Stage;
beforeAll(async () => {
  stage = await setStage({ name: 'noticed', rateLimit: 'strict' });
  await stage.link(stage.dana, 'dana@example.com');
});
afterAll(() => stage.close());

const waiting = async (channelId: string, reason: string | null = null): Promise<number> => {
  const { pool } = stage.database.connect();
  const { rows } = await pool.query(
    `select from plancast.events where channel_id = $1 and state = 'pending' and ($2::text is null or reason = $2)`,
    [channelId, reason],
  );
  return rows.length;
};

const sendFiles = (uri: string, from: number, count: number) =>
  Promise.all(
    Array.from({ length: count }, (_, at) =>
      notify(uri, { item: `item-${from + at}`, name: `Sheet ${from + at}.pdf` }),
    ),
  );

const projectRenamed = (name: string) => {
  const body = bodyOf({ item: 'none', name, eventType: 'Update' });
  const { IdPath: _id, Path: _path, ItemType: _type, ...rest } = body.ExtraInformation;
  return { ...body, ExtraInformation: { ...rest, ResourceType: 'Projects' } };
};

test('during a burst, a deletion and a rename of the project share a new message, which is never edited', async () => {
  const { slack } = stage;
  const { channel, uri } = await followed(stage, 'busy');
  for (let round = 0; round < 3; round += 1) {
    await sendFiles(uri, round * 100, 30);
    await new Promise((resolve) => setTimeout(resolve, 700));
  }
  const both = [
    bodyOf({ item: 'item-3', name: 'Sheet 3.pdf', eventType: 'Delete' }),
    projectRenamed('Harbour Tower rev B'),
  ];
  await fetch(uri, { method: 'POST', body: JSON.stringify(both) });
  await sendFiles(uri, 900, 30);
  await expect.poll(() => waiting(channel.id), { timeout: 15_000 }).toBe(0);
  const messages = slack.messages(channel);
  const deleted = messages.filter(({ text }) => text.includes('deleted'));
  const renamed = messages.filter(
    ({ text }) => text.includes('Harbour Tower rev B') && text.includes('renamed'),
  );

  expect(deleted).toHaveLength(1);
  expect(renamed).toEqual(deleted);
  expect(deleted[0]?.edits).toEqual([]);
  expect(deleted[0]?.text).not.toContain('added');
  const after = messages.slice(messages.findIndex(({ ts }) => ts === deleted[0]?.ts) + 1);
  expect(after.map(({ text }) => text).join()).toMatch(/added \d+ files/);
}, 40_000);

test('files deleted and added alternately over a long time come in a message of deletions and one of additions, each file in order', async () => {
  const { slack } = stage;
  const { channel, uri } = await followed(stage, 'by turns');
  slack.fault({ method: 'chat.postMessage', channel: channel.id, status: 429, retryAfter: 2, times: 1 });
  for (let at = 0; at < 20; at += 1) {
    await notify(uri, { item: `old-${at}`, name: `Old ${at}.pdf`, eventType: 'Delete' });
    await notify(uri, { item: `new-${at}`, name: `New ${at}.pdf` });
  }
  await notify(uri, { item: 'new-7', name: 'New 7.pdf', eventType: 'Delete' });
  await expect.poll(() => waiting(channel.id), { timeout: 15_000 }).toBe(0);
  const [, ...messages] = slack.messages(channel);

  expect(messages.map(({ text }) => text)).toEqual([
    expect.stringMatching(/deleted 20 files/),
    expect.stringMatching(/added 20 files/),
    expect.stringMatching(/deleted “New 7.pdf”/),
  ]);
  expect(messages[0]?.text).not.toContain('added');
  expect(messages.flatMap(({ edits }) => edits)).toEqual([]);
}, 40_000);

test('an event that cannot be read becomes a dead letter, and the rest of its lane is posted', async () => {
  const { slack } = stage;
  const { pool } = stage.database.connect();
  const { channel, uri } = await followed(stage, 'poisoned');
  slack.fault({ method: 'chat.postMessage', channel: channel.id, status: 429, retryAfter: 1, times: 1 });
  for (const name of ['Before.pdf', 'Broken.pdf', 'After.pdf']) await notify(uri, { item: name, name });
  await pool.query(
    `update plancast.events set notification = 'null' where channel_id = $1 and notification ->> 'name' = 'Broken.pdf'`,
    [channel.id],
  );
  await slack.waitForMessage(channel, 'After.pdf');
  await expect.poll(() => waiting(channel.id)).toBe(0);
  const { rows } = await pool.query(
    'select state, reason from plancast.events where channel_id = $1 order by seq',
    [channel.id],
  );

  expect(rows).toEqual([
    { state: 'posted', reason: null },
    { state: 'dead', reason: 'unreadable' },
    { state: 'posted', reason: null },
  ]);
});

test('changes that arrived while a channel was muted follow the sentence that says so', async () => {
  const { slack, dana } = stage;
  const { channel, uri } = await followed(stage, 'unmuted');
  await stage.type(dana, '/plancast mute 2h', channel);
  await slack.waitForMessage(channel, 'muted');
  await notify(uri, { item: 'a', name: 'Meanwhile.pdf' });
  await expect.poll(() => waiting(channel.id, 'muted')).toBe(1);
  await stage.type(dana, '/plancast unmute', channel);
  await slack.waitForMessage(channel, 'Meanwhile.pdf');
  const texts = slack.messages(channel).map(({ text }) => text);

  expect(texts.at(-1)).toMatch(/(unmuted|[Rr]esumed).*1 change.*Meanwhile\.pdf/s);
});
