import { afterAll, beforeAll, expect, test } from 'vitest';
import { makeChannelActions } from '../support/channel-actions.ts';
import { followed } from '../support/followed.ts';
import { bodyOf } from '../support/notify.ts';
import { type Stage, setStage } from '../support/stage.ts';
import { makeStageActions } from '../support/stage-actions.ts';

const project = 'Harbour Tower';
let stage: Stage;
beforeAll(async () => {
  stage = await setStage({ name: 'lane', skipsPauses: true });
  await stage.link(stage.dana, 'dana@example.com');
});
afterAll(() => stage.close());

const { follow, notify, held } = makeChannelActions(() => stage);
const { listOf, press } = makeStageActions(() => stage);

test('a file was added for the digest and renamed at once: its next version is not called a rename', async () => {
  const { slack, service, dana } = stage;
  const channel = slack.addChannel({ name: 'except changed', members: [dana] });
  await stage.type(dana, '/subscribe project 412-873-550 digest hourly except changed', channel);
  await slack.waitForMessage(channel, 'to this channel');
  service.act('dana@example.com', { action: 'create-file', project, name: 'Draft.pdf' });
  service.act('dana@example.com', { action: 'rename-item', project, item: 'Draft.pdf', name: 'Final.pdf' });
  await slack.waitForMessage(channel, 'Final.pdf');
  stage.advance(3_600_000);
  await stage.bot.runChore('sweep');
  await slack.waitForMessage(channel, 'Draft.pdf');
  service.act('dana@example.com', { action: 'check-in', project, item: 'Final.pdf' });
  await slack.waitForMessage(channel, 'updated “Final.pdf”');
});

test('the service sends a save of before a rename after it: neither the save nor the next version is called a rename', async () => {
  const { slack } = stage;
  const { channel, uri } = await followed(stage, 'late');
  const send = (name: string, eventType: 'Create' | 'Update', at: Date) =>
    notify(uri, name, { item: 'stair', eventType, at });
  const saved = stage.now();
  await send('Stair.pdf', 'Create', saved);
  await slack.waitForMessage(channel, 'added “Stair.pdf”');
  stage.advance(60_000);
  await send('Stairs.pdf', 'Update', stage.now());
  await slack.waitForMessage(channel, 'renamed “Stair.pdf” to “Stairs.pdf”');
  await send('Stair.pdf', 'Update', new Date(saved.getTime() + 1_000));
  await slack.waitForMessage(channel, 'updated “Stair.pdf”');
  stage.advance(60_000);
  await send('Stairs.pdf', 'Update', stage.now());
  await slack.waitForMessage(channel, 'updated “Stairs.pdf”');
});

test('the channel is muted when such a digest is due: after it, too, the next version is not called a rename', async () => {
  const { slack, service, dana } = stage;
  const channel = slack.addChannel({ name: 'except changed, muted', members: [dana] });
  await stage.type(dana, '/subscribe project 412-873-550 digest hourly except changed', channel);
  await slack.waitForMessage(channel, 'to this channel');
  service.act('dana@example.com', { action: 'create-file', project, name: 'Sketch.pdf' });
  service.act('dana@example.com', { action: 'rename-item', project, item: 'Sketch.pdf', name: 'Print.pdf' });
  await slack.waitForMessage(channel, 'Print.pdf');
  await stage.type(dana, '/plancast mute 2h', channel);
  await slack.waitForMessage(channel, 'Dana Reyes muted');
  stage.advance(3_600_000);
  await stage.bot.runChore('sweep');
  await expect
    .poll(async () => (await eventsIn(channel.id)).map(({ reason }) => reason))
    .toEqual(['muted', null]);
  await stage.type(dana, '/plancast unmute', channel);
  await slack.waitForMessage(channel, /unmuted.*Sketch\.pdf/s);
  service.act('dana@example.com', { action: 'check-in', project, item: 'Print.pdf' });
  await slack.waitForMessage(channel, 'updated “Print.pdf”');
});

test('digests of two projects that are due at the same time come in one message', async () => {
  const { slack, service, dana } = stage;
  const channel = slack.addChannel({ name: 'two digests', members: [dana] });
  for (const id of ['412-873-550', '538-204-917']) {
    await stage.type(dana, `/subscribe project ${id} digest hourly`, channel);
    await slack.waitForMessage(channel, id);
  }
  for (const name of [project, 'Riverside School']) {
    service.act('dana@example.com', { action: 'add-files', project: name, count: 2 });
  }
  await service.settled();
  const each = async (column: keyof EventRow) => (await eventsIn(channel.id)).map((row) => row[column]);
  await expect.poll(() => each('reason')).toEqual(Array(4).fill('digest'));
  const before = slack.messages(channel).length;
  const { pool } = stage.database.connect();
  // A busy database: releasing what was held takes longer than posting it.
  await pool.query(`
    create function plancast.be_slow() returns trigger language plpgsql as $$
    begin perform pg_sleep(0.2); return new; end $$;
    create trigger be_slow before update on plancast.events for each row
      when (old.reason = 'digest' and new.reason is null) execute function plancast.be_slow()`);
  try {
    stage.advance(3_600_000);
    await stage.bot.runChore('sweep');
  } finally {
    await pool.query('drop function plancast.be_slow cascade');
  }
  await expect.poll(() => each('state')).toEqual(Array(4).fill('posted'));
  expect(new Set(await each('ts')).size).toBe(1);
  expect(
    slack
      .messages(channel)
      .slice(before)
      .map(({ text }) => text),
  ).toEqual([expect.stringContaining('4 changes')]);
});

test('Dana resumes two subscriptions while Slack is slow: both are announced before the changes of either, or with them', async () => {
  const { slack, dana } = stage;
  const channel = slack.addChannel({ name: 'two resumed', members: [dana] });
  const texts = () => slack.messages(channel).map(({ text }) => text);
  const ids = ['412-873-550', '538-204-917'];
  const uris: string[] = [];
  for (const id of ids) uris.push(await follow(channel, `/subscribe project ${id}`));
  const list = await listOf(dana, channel);
  for (const count of [1, 2]) {
    await press(dana, list, 'Pause');
    await expect.poll(() => slack.textOf(list).split('Paused by Dana Reyes')).toHaveLength(count + 1);
  }
  const paused = () => slack.messages(channel).filter(({ text }) => text.includes('paused the subscription'));
  await expect.poll(paused).toHaveLength(2);
  for (const [index, uri] of uris.entries()) {
    await notify(uri, `Quiet ${index}.pdf`, { projectId: ids[index] });
  }
  await expect.poll(() => held(channel)).toHaveLength(2);
  const before = texts().length;
  // Slack has the next message; the bot waits for the answer.
  slack.fault({ method: 'chat.postMessage', channel: channel.id, stored: true, delayMs: 2_000 });
  await stage.type(dana, '/subscribe session 731-450-286', channel);
  await slack.waitForMessage(channel, 'session 731-450-286');

  for (const message of paused()) await press(dana, message, 'Resume');

  await expect
    .poll(() => texts().slice(before), { timeout: 8_000 })
    .toEqual([
      expect.stringContaining('session 731-450-286'),
      expect.stringMatching(/^Dana Reyes resumed [^.]*\.$/),
      expect.stringMatching(/^Dana Reyes resumed .*While paused: 2 changes.*Quiet 0\.pdf.*Quiet 1\.pdf/s),
    ]);
});

test('2,100 changes that were held for a mute come in one message, with the sentence that ends it', async () => {
  const { slack, dana } = stage;
  const { channel, uri } = await followed(stage, 'much muted');
  await stage.type(dana, '/plancast mute 2h', channel);
  await slack.waitForMessage(channel, 'muted');
  for (let part = 0; part < 7; part += 1) {
    const names = Array.from({ length: 300 }, (_, n) => `Sheet ${part}-${n}.pdf`);
    const notices = names.map((name) => bodyOf({ item: name, name, at: stage.now() }));
    expect((await fetch(uri, { method: 'POST', body: JSON.stringify(notices) })).status).toBe(200);
  }
  await stage.type(dana, '/plancast unmute', channel);
  const summary = await slack.waitForMessage(channel, '2,100 changes', 30_000);
  expect(summary.text).toContain('Dana Reyes unmuted this channel');
  expect(slack.messages(channel).at(-1)).toBe(summary);
});

test('a mute that cannot be announced does not happen', async () => {
  const { slack, service, dana } = stage;
  const channel = slack.addChannel({ name: 'unannounced', members: [dana] });
  await stage.type(dana, '/subscribe session 731-450-286', channel);
  await slack.waitForMessage(channel, 'to this channel');
  const { pool } = stage.database.connect();
  await pool.query(
    `alter table plancast.announcements add constraint none check (channel_id <> '${channel.id}') not valid`,
  );
  try {
    await stage.type(dana, '/plancast mute 2h', channel);
    await slack.waitForEphemeral(dana, (message) => message.channelId === channel.id);
  } finally {
    await pool.query('alter table plancast.announcements drop constraint none');
  }
  service.act('dana@example.com', { action: 'add-document', session: '731-450-286', name: 'Section B.pdf' });
  await slack.waitForMessage(channel, 'Section B.pdf');
});

test('a second subscription, and turning off signs, show in the very next message', async () => {
  const { slack, service, dana, teamId } = stage;
  const channel = slack.addChannel({ name: 'looks', members: [dana] });
  await stage.type(dana, '/subscribe project 412-873-550', channel);
  await slack.waitForMessage(channel, 'to this channel');
  const added = async (name: string): Promise<string> => {
    service.act('dana@example.com', { action: 'create-file', project, name });
    return JSON.stringify((await slack.waitForMessage(channel, name)).blocks);
  };
  const first = await added('Plain.pdf');
  expect(first).toContain('➕');
  expect(first).not.toContain(project);
  await stage.type(dana, '/subscribe project 538-204-917', channel);
  await slack.waitForMessage(channel, '538-204-917');
  const { pool } = stage.database.connect();
  await pool.query('update plancast.subscriptions set resource_name = $1 where parent_id = $2', [
    project,
    '412-873-550',
  ]);
  await pool.query(`insert into plancast.settings (team_id, value) values ($1, '{"signs":false}')`, [teamId]);
  const second = await added('Named.pdf');
  expect(second).not.toContain('➕');
  expect(second).toContain(project);
});

type EventRow = { readonly state: string; readonly reason: string | null; readonly ts: string | null };

/** Lists the events of a channel, with the messages that show them. */
async function eventsIn(channelId: string): Promise<EventRow[]> {
  const { rows } = await stage.database
    .connect()
    .pool.query<EventRow>(
      'select state, reason, message_ts as ts from plancast.events where channel_id = $1 order by seq',
      [channelId],
    );
  return rows;
}
