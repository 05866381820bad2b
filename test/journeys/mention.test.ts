import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import type { Channel } from '../../sandbox/slack/directory.ts';
import { type Stage, setStage } from '../support/stage.ts';
import { makeStageActions } from '../support/stage-actions.ts';

let stage: Stage;
let channel: Channel;
beforeAll(async () => {
  stage = await setStage({ name: 'mention', standsStill: true });
  await stage.link(stage.dana, 'dana@example.com');
});
afterAll(() => stage.close());
beforeEach(() => {
  const { dana, sam, guest } = stage;
  channel = stage.slack.addChannel({ members: [dana, sam, guest] });
  stage.advance(61_000);
});

const { press } = makeStageActions(() => stage);
const write = (text: string, user = stage.dana, more = {}) =>
  stage.slack.write({ user, channel, text, ...more });
const shownTo = (user: Stage['dana']) => stage.slack.ephemerals(user, channel);
const subscribed = () => stage.slack.messages(channel).filter(({ via }) => via === 'chat.postMessage');

test('Dana mentions the bot with a project: she alone reads what was understood, and nothing runs before Run this', async () => {
  const { slack, dana, sam } = stage;
  await write('hey @Plancast can you follow project 412-873-550 digest daily pls');
  const answer = await slack.waitForEphemeral(
    dana,
    'I understood `/subscribe project 412-873-550 digest daily 09:00`',
  );
  expect(answer.text).toContain('Left out: `hey can you follow pls`');
  expect(shownTo(sam)).toEqual([]);
  expect(subscribed()).toEqual([]);

  await press(dana, answer, 'Run this');
  await slack.waitForMessage(channel, 'Dana Reyes added');
});

test.for([
  '@Plancast subscribe project 412-873-550',
  '@Plancast 412-873-550',
  '@Plancast https://service.example/projects/412-873-550 thanks',
  '@Plancast unsubscribe project 412-873-550',
])('"%s" would run at once as a command: as a mention it is offered', async (text) => {
  const { slack, dana } = stage;
  await write(text);
  const answer = await slack.waitForEphemeral(dana, ({ channelId }) => channelId === channel.id);
  expect(answer.text).toMatch(/^I understood `\/(un)?subscribe /);
  expect(slack.button(answer, 'Run this').element.style).toBe('primary');
  expect(subscribed()).toEqual([]);
});

test.for(['@Plancast', '@Plancast hi', '@Plancast mute 2h', 'what can @Plancast do?', '@Plancast link'])(
  '"%s" names nothing to follow: help, and nothing is done',
  async (text) => {
    const { slack, dana } = stage;
    await write(text);
    const help = await slack.waitForEphemeral(dana, ({ channelId }) => channelId === channel.id);
    expect(help.text).toContain('I post changes to projects and sessions at Practice');
  },
);

test('Dana reads the help and names a project right after it: however often she does, she is answered each once a minute, and Sam is too', async () => {
  const { slack, dana, sam } = stage;
  const first = await write('@Plancast');
  await first.events[0]?.replay(1);
  for (const _ of [1, 2]) {
    await write('@Plancast');
    await write('@Plancast project 412-873-550');
  }
  await write('@Plancast', sam);
  await slack.waitForEphemeral(sam, ({ channelId }) => channelId === channel.id);
  expect(shownTo(dana).map(({ text }) => text.slice(0, 12))).toEqual(['I post chang', 'I understood']);
  stage.advance(60_000);
  await write('@Plancast project 412-873-550');
  await expect.poll(() => shownTo(dana)).toHaveLength(3);
});

test('a guest who mentions the bot again and again is refused once a minute', async () => {
  const { slack, guest } = stage;
  for (const _ of [1, 2, 3]) await write('@Plancast project 412-873-550', guest);
  await slack.waitForEphemeral(guest, 'Guests can’t do that');
  expect(shownTo(guest)).toHaveLength(1);
});

test('in a thread, the answer is in the thread', async () => {
  const { slack, dana } = stage;
  const { message } = await write('Who posts the changes?');
  await write('@Plancast', dana, { threadTs: message.ts });
  const help = await slack.waitForEphemeral(dana, ({ channelId }) => channelId === channel.id);
  expect(help.threadTs).toBe(message.ts);
});

test('a guest is refused in private, another bot gets nothing, and a message without a mention reaches nobody', async () => {
  const { slack, guest, workspace } = stage;
  await write('@Plancast project 412-873-550', guest);
  await slack.waitForEphemeral(guest, 'Guests can’t do that');
  const inner = {
    type: 'app_mention',
    user: 'U0OTHERBOT',
    bot_id: 'B0OTHER',
    channel: channel.id,
    ts: '1.2',
  };
  await slack.event({ ...inner, text: `<@${workspace.botUserId}> project 412-873-550` });
  expect((await write('project 412-873-550 is late')).events).toEqual([]);
  expect(slack.callsOf('chat.postEphemeral').filter(({ args }) => args.user === 'U0OTHERBOT')).toEqual([]);
});

test('what Dana wrote is neither stored nor logged', async () => {
  const { slack, dana, database } = stage;
  await write('@Plancast the quarrelsome heron project 412-873-550');
  await slack.waitForEphemeral(dana, 'quarrelsome heron');
  const { pool } = database.connect();
  const { rows } = await pool.query<{ name: string }>(
    "select tablename as name from pg_tables where schemaname = 'plancast'",
  );
  const dumps = await Promise.all(
    rows.map(({ name }) =>
      pool.query(`select count(*)::int as n from plancast.${name} t where t::text like '%quarrelsome%'`),
    ),
  );
  expect(dumps.map(({ rows: [row] }) => row.n)).toEqual(rows.map(() => 0));
});
