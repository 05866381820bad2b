import { randomUUID } from 'node:crypto';
import { type CompiledQuery, Kysely, PostgresDialect } from 'kysely';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { tidyEvents } from '../../../src/core/administering/tidy.ts';
import { camelCase } from '../../../src/store/database.ts';
import * as audit from '../../../src/store/tables/audit.ts';
import * as events from '../../../src/store/tables/events.ts';
import * as subscriptions from '../../../src/store/tables/subscriptions.ts';
import { recordingLog } from '../../support/log.ts';
import { freshDatabase, type TestDatabase } from '../../support/postgres.ts';

const start = new Date('2026-11-20T12:00:00Z');
const dayMs = 86_400_000;
const daysAfter = (days: number) => new Date(start.getTime() + days * dayMs);

let database: TestDatabase;
beforeAll(async () => {
  database = await freshDatabase('tidy events');
});
beforeEach(() =>
  query('truncate plancast.events, plancast.subscriptions, plancast.audit restart identity cascade'),
);
afterAll(() => database.drop());

const query = async <Row extends object>(text: string, values: unknown[] = []): Promise<Row[]> =>
  (await database.connect().pool.query<Row>(text, values)).rows;

/** Runs the hourly cleanup this many days later. Returns the steps that failed. */
async function tidyAfter(days: number, retentionDays = 30): Promise<unknown[]> {
  const { db } = database.connect();
  const log = recordingLog();
  await tidyEvents({ clock: { now: () => daysAfter(days) }, db, config: { retentionDays }, log });
  return log.lines.map(([, { chore }]) => chore);
}

/** Adds events received at the start, one for each state; the posted one was posted two days later. */
async function addEvents(subscriptionId: string, copies = 1): Promise<void> {
  await query(
    `insert into plancast.events (notification_id, subscription_id, team_id, channel_id, state, reason, notification, item_keys,
       received_at, posted_at)
     select state || reason || copy, $1, 'T1', 'C1', state, nullif(reason, ''), '{"actorEmail":"dana@example.com"}',
       array['ProjectItems:1:Doors.pdf'], $2,
       case when state = 'posted' then $3::timestamptz end
     from generate_series(1, $4) as copy, (values ('posted', ''), ('filtered', 'path'), ('dead', 'invalid_blocks'),
       ('pending', ''), ('pending', 'digest')) as one (state, reason)`,
    [subscriptionId, start, daysAfter(2), copies],
  );
}

const left = async () =>
  (
    await query<{ name: string }>(
      `select state || coalesce(' ' || reason, '') || case when notification is null and item_keys is null then '' else ' with details' end as name
       from plancast.events order by seq`,
    )
  ).map(({ name }) => name);

test('names and emails are deleted seven days after the post; those of dead letters and pending events stay', async () => {
  await addEvents(randomUUID());
  const all = [
    'posted with details',
    'filtered path with details',
    'dead invalid_blocks with details',
    'pending with details',
    'pending digest with details',
  ];

  await tidyAfter(6.9);
  expect(await left()).toEqual(all);
  await tidyAfter(7.1);
  expect(await left()).toEqual(all.with(1, 'filtered path'));
  await tidyAfter(9.1);
  expect(await left()).toEqual(all.with(0, 'posted').with(1, 'filtered path'));
  expect(
    await query(`select 1 from plancast.events where state = 'posted' and notification::text ~ '@'`),
  ).toEqual([]);
});

test('events and dead letters stay until the retention period is over, and are then deleted', async () => {
  await addEvents(randomUUID());

  await tidyAfter(29.9);
  expect(await left()).toHaveLength(5);
  await tidyAfter(30.1);
  expect(await left()).toEqual([]);
});

test('even with the shortest retention, a pending event is not deleted before it is posted or too old', async () => {
  await addEvents(randomUUID());

  await tidyAfter(1.1, 1);
  expect(await left()).toEqual(['pending with details', 'pending digest with details']);
  await tidyAfter(9.9, 1);
  expect(await left()).toHaveLength(2);
  await tidyAfter(10.1, 1);
  expect(await left()).toEqual([]);
});

test('what lies outside a followed folder or file is deleted after 24 hours', async () => {
  await addEvents(randomUUID());
  await query(
    `update plancast.events set notification = '{"id":"1","itemId":"F1","idPath":"F0/F1","name":null,"path":null,"actorEmail":null}'
     where reason = 'path'`,
  );

  await tidyAfter(0.99);
  expect(await left()).toHaveLength(5);
  await tidyAfter(1.01);
  expect(await left()).toEqual([
    'posted with details',
    'dead invalid_blocks with details',
    'pending with details',
    'pending digest with details',
  ]);
});

test('a long retention keeps events, but not their details', async () => {
  await addEvents(randomUUID());

  await tidyAfter(200, 365);

  expect(await left()).toEqual([
    'posted',
    'filtered path',
    'dead invalid_blocks with details',
    'pending with details',
    'pending digest with details',
  ]);
});

test('more than one batch of events is deleted too', async () => {
  await addEvents(randomUUID(), 5_001);

  await tidyAfter(9.1);
  expect((await left()).filter((name) => name.endsWith('with details'))).toHaveLength(3 * 5_001);
  await tidyAfter(30.1);
  expect(await left()).toEqual([]);
});

test('when the database refuses to delete old events, names and emails are deleted anyway, and so is the rest', async () => {
  await addEvents(randomUUID());
  await audit.note(database.connect().db, { enterpriseId: null, teamId: 'T1', act: 'mute' }, start);
  await query(`create function refuse() returns trigger language plpgsql as $$
    begin raise exception 'canceling statement due to statement timeout'; end $$`);
  await query('create trigger refuse before delete on plancast.events execute function refuse()');

  const failed = await tidyAfter(40);
  await query('drop trigger refuse on plancast.events');

  expect(failed).toEqual(['remove outside', 'remove events']);
  expect((await left()).slice(0, 2)).toEqual(['posted', 'filtered path']);
  expect(await query('select 1 from plancast.audit')).toEqual([]);
});

test('in a table whose pages have been reused many times, retention reads only the oldest events', async () => {
  const young = daysAfter(29);
  await addEvents(randomUUID(), 10);
  // Every page holds one old row among recent ones, as after months of deleting and inserting.
  await query(
    `insert into plancast.events (notification_id, subscription_id, team_id, channel_id, state, received_at)
     select 'later ' || n, $1, 'T1', 'C1', 'posted', $2 from generate_series(1, 20000) as n`,
    [randomUUID(), young],
  );
  const { pool } = database.connect();
  await pool.query('vacuum analyze plancast.events');
  const queries: CompiledQuery[] = [];
  const db = new Kysely<unknown>({
    dialect: new PostgresDialect({ pool }),
    plugins: [camelCase],
    log: ({ query: made }) => void queries.push(made),
  });
  const before = daysAfter(1);

  const last = await events.removeOld(db, { before, waitingBefore: before, after: '0', limit: 100 });
  const [removal] = queries;
  const { rows } = await pool.query<{ 'QUERY PLAN': unknown }>(
    `explain (analyze, format json) ${removal?.sql}`,
    [...(removal?.parameters ?? [])],
  );
  const plan = JSON.stringify(rows.map((row) => row['QUERY PLAN']));
  const read = [...plan.matchAll(/"Actual Rows": ?([\d.]+)/g)].map(([, count]) => Number(count));

  expect(last).toBe('100');
  expect(await left()).toHaveLength(20_000);
  expect(Math.max(...read)).toBeLessThanOrEqual(100);
  expect(plan).not.toMatch(/events_received|"Seq Scan"/);
});

test('a removed subscription is deleted after 30 days, but not before its events and never while it is live', async () => {
  const { db } = database.connect();
  const add = async (channelId: string) => {
    const added = await subscriptions.add(db, {
      enterpriseId: null,
      teamId: 'T1',
      channelId,
      ownerUserId: 'U1',
      target: { kind: 'project', projectId: '412-873-550' },
      comprehensive: true,
      filters: { only: [], paths: [], by: [], notBy: [] },
      delivery: { when: 'live' },
      threads: false,
      now: start,
    });
    return added?.id ?? '';
  };
  const [alive, ended, posted] = [await add('C1'), await add('C2'), await add('C3')];
  await subscriptions.end(db, [ended, posted], 'unsubscribed', start);
  await query(`update plancast.subscriptions set ended_at = $1 where state = 'ended'`, [start]);
  await addEvents(posted);
  const there = async () =>
    (await query<{ id: string }>('select id from plancast.subscriptions order by channel_id')).map(
      ({ id }) => id,
    );

  await tidyAfter(29.9, 60);
  expect(await there()).toEqual([alive, ended, posted]);
  await tidyAfter(30.1, 60);
  expect(await there()).toEqual([alive, posted]);
  await tidyAfter(60.1, 60);
  expect(await there()).toEqual([alive]);
});

test('who did what is in the audit for RETENTION_DAYS, and no longer', async () => {
  await audit.note(database.connect().db, { enterpriseId: null, teamId: 'T1', act: 'subscribe' }, start);
  const noted = async () => (await query('select 1 from plancast.audit')).length;

  await tidyAfter(59.9, 60);
  expect(await noted()).toBe(1);
  await tidyAfter(9.9, 10);
  expect(await noted()).toBe(1);
  await tidyAfter(10.1, 10);
  expect(await noted()).toBe(0);
});
