import { afterAll, beforeAll, expect, test } from 'vitest';
import { followed } from '../support/followed.ts';
import { type Stage, setStage } from '../support/stage.ts';
import { messagesOf, sendFiles, settled, setWorkMem } from './support/moved-folder.ts';

const files = 5_000;
const timeout = 40_000;

let stage: Stage;
beforeAll(async () => {
  stage = await setStage({ name: 'moved folder', bot: false, rateLimit: 'strict' });
  await setWorkMem(stage, '1MB');
  await stage.addBot();
  await stage.link(stage.dana, 'dana@example.com');
}, 60_000);
afterAll(() => stage?.close(), 60_000);

const added = { files, folder: 'Plans', eventType: 'Create' } as const;
const moved = { files, folder: 'Details', eventType: 'Update' } as const;

test('a folder of 5,000 files is added and then moved: as few messages as for ten files, and none twice', async () => {
  const { channel, uri } = await followed(stage, 'live');
  await sendFiles(uri, added);
  await settled(stage, channel, { posted: files, held: 0, timeout });
  await sendFiles(uri, moved);
  await settled(stage, channel, { posted: 2 * files, held: 0, timeout });
  const { messages, again } = await messagesOf(stage, channel);
  expect(again).toBe(0);
  // Two; on a busy machine, more than five seconds can pass between two edits, which begins another message.
  expect(messages).toBeLessThanOrEqual(4);
});

test('a folder of 5,000 files is moved while the channel is muted: one summary, once', async () => {
  const { channel, uri } = await followed(stage, 'muted');
  await sendFiles(uri, added);
  await settled(stage, channel, { posted: files, held: 0, timeout });
  const before = await messagesOf(stage, channel);
  await stage.type(stage.dana, '/plancast mute 2h', channel);
  await stage.slack.waitForMessage(channel, 'Dana Reyes muted');
  await sendFiles(uri, moved);
  await settled(stage, channel, { posted: files, held: files, timeout });
  await stage.type(stage.dana, '/plancast unmute', channel);
  await settled(stage, channel, { posted: 2 * files, held: 0, timeout });
  expect(await messagesOf(stage, channel)).toEqual({ messages: before.messages + 1, again: 0 });
});

test('a folder of 5,000 files is moved in a channel with a digest: one digest, once', async () => {
  const { dana, slack, service } = stage;
  const channel = slack.addChannel({ name: 'digest', members: [dana] });
  const before = service.subscriptions.all().length;
  await stage.type(dana, '/subscribe project 412-873-550 digest hourly', channel);
  await slack.waitForMessage(channel, 'in an hourly digest');
  const uri = service.subscriptions.all()[before]?.uri ?? '';
  for (const [each, posted] of [
    [added, 0],
    [moved, files],
  ] as const) {
    await sendFiles(uri, each);
    await settled(stage, channel, { posted, held: files, timeout });
    stage.advance(3_600_000);
    await stage.bot.runChore('sweep');
    await settled(stage, channel, { posted: posted + files, held: 0, timeout });
  }
  expect(await messagesOf(stage, channel)).toEqual({ messages: 2, again: 0 });
});

test('the database is too slow to store 2,000 posted files at once: they are stored in parts, and posted once', async () => {
  const { channel, uri } = await followed(stage, 'slow database');
  const { pool } = stage.database.connect();
  await pool.query(`
    create function plancast.be_slow() returns trigger language plpgsql as $$
    begin perform pg_sleep(0.002); return new; end $$;
    create trigger be_slow before update on plancast.events for each row
      when (new.state = 'posted') execute function plancast.be_slow()`);
  try {
    await sendFiles(uri, { ...added, files: 2_000 });
    await settled(stage, channel, { posted: 2_000, held: 0, timeout });
  } finally {
    await pool.query('drop function plancast.be_slow cascade');
  }
  expect((await messagesOf(stage, channel)).again).toBe(0);
});
