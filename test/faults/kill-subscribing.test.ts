import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Channel, User } from '../../sandbox/slack/directory.ts';
import type { Message } from '../../sandbox/slack/messages.ts';
import type { ChildBot } from '../support/child-bot.ts';
import { recordOf } from '../support/remote-rows.ts';
import { type Stage, setStage } from '../support/stage.ts';
import { notify } from './support/kill-scene.ts';
import { type StatementProxy, startStatementProxy } from './support/statement-proxy.ts';

const writeRow = /insert into plancast\.subscriptions/;
const updateRow = /^update plancast\.subscriptions/;

/** The bot in this process keeps running; commands go to the other process, which is killed. */
let stage: Stage;
let proxy: StatementProxy;
let people: readonly User[];

beforeAll(async () => {
  stage = await setStage({ name: 'kill subscribing' });
  proxy = await startStatementProxy(stage.database.url);
  const lee = stage.slack.addUser({ teamId: stage.teamId, realName: 'Lee Park', email: 'lee@example.com' });
  people = [stage.dana, stage.sam, lee];
  stage.plans.members.add(lee.id);
  for (const user of people) await stage.link(user, user.email ?? '');
}, 60_000);
afterAll(async () => {
  await stage.close();
  await proxy.close();
});

test('S1: subscriptions whose rows were committed but not requested at the service when the process died are made by the other process', async () => {
  const channels = newChannels(8);
  const victim = await startVictim();
  const written = proxy.hold({ statement: writeRow, when: 'after' });
  const typed = channels.map((channel) => stage.type(stage.dana, '/subscribe project 412-873-550', channel));
  await written.reached(channels.length);
  await kill(victim, typed);
  const made = stage.service.subscriptions.all().length;
  expect(await rowsOf(channels)).toEqual(channels.map(() => expect.objectContaining({ state: 'pending' })));
  expect(made).toBe(0);

  await letOthersFinish();

  await expectFollowing(channels);
}, 60_000);

test('S2: subscriptions that the service had made when the process died accept their notifications, and leave no stray remote subscription', async () => {
  const sent: { channel: Channel; index: number; status: number | null }[] = [];
  const channels: Channel[] = [];
  for (let round = 0; round < 3; round += 1) {
    // One link makes one subscription at a time, so each person has one at the tested point.
    const mine = newChannels(people.length);
    const before = new Set(stage.service.subscriptions.all().map(({ id }) => id));
    const victim = await startVictim();
    const unwritten = proxy.hold({ statement: updateRow, when: 'before' });
    const typed = people.map((user, at) =>
      stage.type(user, '/subscribe project 412-873-550', mine[at] ?? stage.plans),
    );
    await unwritten.reached(people.length);
    await kill(victim, typed);
    const orphans = stage.service.subscriptions.all().filter(({ id }) => !before.has(id));
    expect(orphans).toHaveLength(people.length);
    for (const { uri } of orphans) {
      const index = 100 * round + sent.length;
      const status = await notify(uri, { notificationId: randomUUID(), index });
      sent.push({ channel: stage.plans, index, status });
    }
    channels.push(...mine);
  }

  await letOthersFinish();

  await expectFollowing(channels);
  expect(sent.map(({ status }) => status)).toEqual(sent.map(() => 200));
  await expect.poll(() => states(), { timeout: 10_000 }).toEqual([{ state: 'posted', count: sent.length }]);
}, 90_000);

test('D1: subscriptions that the service had removed when the process died are removed once, and nothing is left of them', async () => {
  const channels = newChannels(8);
  for (const channel of channels) await stage.type(stage.sam, '/subscribe project 412-873-550', channel);
  await expectFollowing(channels);
  const records = (await rowsOf(channels)).map(({ record }) => record);
  const victim = await startVictim();
  const unwritten = proxy.hold({
    statement: /^update plancast\.remotes set deleted_at/,
    when: 'before',
  });
  const typed = channels.map((channel) => stage.type(stage.sam, '/unsubscribe project 412-873-550', channel));
  await unwritten.reached(channels.length);
  await kill(victim, typed);
  const left = new Set(stage.service.subscriptions.all().map(({ id }) => String(id)));
  expect(records.filter((record) => record !== null && left.has(record))).toEqual([]);

  await letOthersFinish();

  await expect
    .poll(() => rowsOf(channels), { timeout: 10_000 })
    .toEqual(channels.map(() => expect.objectContaining({ state: 'ended', released: true })));
  await expect
    .poll(() => channels.map((channel) => removals(channel)), { timeout: 40_000 })
    .toEqual(channels.map(() => 1));
}, 90_000);

test('A1: what an admin had allowed when the process died is done by the other process, and the person who asked is notified once', async () => {
  const { slack, teamId, dana } = stage;
  const ada = slack.addUser({ teamId, name: 'Ada Admin', isAdmin: true });
  stage.plans.members.add(ada.id);
  await stage.type(ada, '/plancast settings');
  const settings = await slack.waitForView(ada, 'Settings');
  await slack.submitView({ user: ada, viewId: settings.id, values: { settings_who: 'admins' } });
  await slack.waitForEphemeral(ada, 'Saved');
  const channels = newChannels(1);
  const [channel = stage.plans] = channels;
  await stage.type(dana, '/subscribe project 412-873-550', channel);
  await press(dana, await slack.waitForEphemeral(dana, 'Only admins'), 'Ask an admin');
  const question = await slack.waitForDirectMessage(ada, 'wants to do this');
  const victim = await startVictim();
  const uncarried = proxy.hold({ statement: writeRow, when: 'before' });
  const pressed = press(ada, question, 'Allow');
  await uncarried.reached(1);
  await kill(victim, [pressed]);
  expect(await rowsOf(channels)).toEqual([]);

  await query(`update plancast.requests set claimed_at = claimed_at - interval '10 minutes'`);
  await stage.bot.runChore('sweep');

  await expectFollowing(channels);
  const outcomes = slack.directMessages(dana).filter(({ text }) => text.includes('allowed this'));
  expect(outcomes).toHaveLength(1);
  expect((await query('select from plancast.requests where claimed_at is not null')).rows).toEqual([]);
}, 60_000);

function press(user: User, message: Message, label: string) {
  return stage.slack.click({ user, message, element: stage.slack.button(message, label) });
}

function newChannels(count: number): Channel[] {
  return Array.from({ length: count }, () => stage.slack.addChannel({ members: [...people] }));
}

async function startVictim(): Promise<ChildBot> {
  proxy.clear();
  return stage.startChild({ env: { DATABASE_URL: proxy.url, PUBLIC_URL: stage.bot.publicUrl } });
}

/** Kills the victim, which answers nothing anymore. From now on commands go to the surviving process. */
async function kill(victim: ChildBot, typed: readonly Promise<unknown>[]): Promise<void> {
  await victim.end('SIGKILL');
  await Promise.allSettled(typed);
  stage.slack.botRequestUrl = `${stage.bot.publicUrl}/slack/events`;
}

/** Runs the minute's chores as if some time had passed. Only the rows grow older, because the clocks of both processes have to agree. */
async function letOthersFinish(): Promise<void> {
  await query(
    `with asked as (update plancast.remotes set asked_at = asked_at - interval '46 seconds' where made_at is null)
     update plancast.subscriptions set changed_at = changed_at - interval '31 seconds' where state = 'pending'`,
  );
  await stage.bot.runChore('sweep');
}

/** Expects one active row and one announcement per channel, and one remote subscription for each row and no others. */
async function expectFollowing(channels: readonly Channel[]): Promise<void> {
  await expect
    .poll(() => rowsOf(channels), { timeout: 20_000 })
    .toEqual(channels.map(() => expect.objectContaining({ state: 'active' })));
  await expect.poll(() => strayRecords(), { timeout: 10_000 }).toEqual([]);
  const waited = channels.map((channel) => stage.slack.waitForMessage(channel, 'to this channel', 20_000));
  await Promise.all(waited);
  const announced = channels.map(
    (channel) => stage.slack.messages(channel).filter(({ text }) => text.includes('to this channel')).length,
  );
  expect(announced).toEqual(channels.map(() => 1));
}

/** Returns remote subscriptions that belong to no active row. */
async function strayRecords(): Promise<string[]> {
  const { rows } = await query<{ record: string }>(
    `select ${recordOf} as record from plancast.subscriptions s where state = 'active'`,
  );
  const known = new Set(rows.map(({ record }) => record));
  return stage.service.subscriptions
    .all()
    .map(({ id }) => String(id))
    .filter((id) => !known.has(id));
}

async function rowsOf(channels: readonly Channel[]) {
  const { rows } = await query<{ state: string; record: string | null; released: boolean }>(
    `select s.state, ${recordOf} as record, ${recordOf} is null as released
     from unnest($1::text[]) with ordinality as c(id, at) join plancast.subscriptions s on s.channel_id = c.id order by c.at`,
    [channels.map(({ id }) => id)],
  );
  return rows;
}

function removals(channel: Channel): number {
  return stage.slack.messages(channel).filter(({ text }) => text.includes('removed the subscription to'))
    .length;
}

async function states(): Promise<{ state: string; count: number }[]> {
  const { rows } = await query<{ state: string; count: number }>(
    'select state, count(*)::int as count from plancast.events group by state',
  );
  return rows;
}

function query<Row extends Record<string, unknown>>(text: string, values: unknown[] = []) {
  return stage.database.connect().pool.query<Row>(text, values);
}
