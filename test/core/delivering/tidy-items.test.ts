import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { tidyItems } from '../../../src/core/administering/tidy.ts';
import * as items from '../../../src/store/tables/items.ts';
import { freshDatabase, type TestDatabase } from '../../support/postgres.ts';

const now = new Date('2026-11-20T12:00:00Z');
const daysAgo = (days: number) => new Date(now.getTime() - days * 86_400_000);
const tower = '412-873-550';

let database: TestDatabase;
beforeAll(async () => {
  database = await freshDatabase('tidy items');
  await follow({ channel: 'C-LIVE' });
  await follow({ channel: 'C-OTHER', team: 'T2' });
  await follow({ channel: 'C-UNDO', endedAt: daysAgo(0.5) });
  await follow({ channel: 'C-ENDED', endedAt: daysAgo(2) });
});
afterAll(() => database.drop());

const query = async <Row extends object>(text: string, values: unknown[] = []): Promise<Row[]> =>
  (await database.connect().pool.query<Row>(text, values)).rows;

async function follow({ channel, team = 'T1', endedAt }: { channel: string; team?: string; endedAt?: Date }) {
  await query(
    `insert into plancast.subscriptions (team_id, channel_id, owner_user_id, kind, parent_id, comprehensive, filters, delivery,
       threads, state, created_at, changed_at, ended_at)
     values ($1, $2, 'U1', 'project', $3, true, '{}', '{}', false, $4, $5, $5, $6)`,
    [team, channel, tower, endedAt ? 'ended' : 'active', daysAgo(500), endedAt ?? null],
  );
}

/** Stores an item in a channel, tidies in small batches, and returns whether the item is still known. */
async function isKept(channel: string, days: number, parent = tower): Promise<boolean> {
  const key = `ProjectItems:${parent}:${randomUUID()}`;
  const lane = { enterpriseId: null, teamId: 'T1', channelId: channel };
  await query(
    `insert into plancast.items (team_id, channel_id, item_key, name, path, changed_at)
     values ('T1', $1, $2, 'Facade.pdf', 'Facade.pdf', $3)`,
    [channel, key, daysAgo(days)],
  );
  const { db } = database.connect();
  await tidyItems({ clock: { now: () => now }, db }, 2);
  return (await items.load(db, lane, [key])).has(key);
}

test.each([
  ['an item of a project that its channel follows is kept for thirteen months', 'C-LIVE', 395, true],
  ['an item without an event for thirteen months is forgotten', 'C-LIVE', 397, false],
  ['an item of a channel whose subscription ended is forgotten', 'C-ENDED', 1, false],
  ['an item is kept while a removed subscription can be restored', 'C-UNDO', 1, true],
  ['an item of a channel without subscriptions is forgotten', 'C-NONE', 1, false],
  ['an item posted in a direct message is kept while a channel follows its project', 'D-DANA', 1, true],
  ['a subscription in another workspace does not keep items for this one', 'C-OTHER', 1, false],
])('%s', async (_name, channel, days, kept) => {
  expect(await isKept(channel, days)).toBe(kept);
});

test('an item of a project that its channel does not follow is forgotten, and one whose id has different hyphens is not', async () => {
  expect(await isKept('C-LIVE', 1, '538-204-917')).toBe(false);
  expect(await isKept('C-LIVE', 1, '412873550')).toBe(true);
});

test('items after the first batch are checked too', async () => {
  await query(
    `insert into plancast.items (team_id, channel_id, item_key, changed_at)
     select 'T1', case when n % 2 = 0 then 'C-LIVE' else 'C-ENDED' end, 'ProjectItems:${tower}:many-' || n, $1
     from generate_series(1, 11) n`,
    [daysAgo(1)],
  );

  await tidyItems({ clock: { now: () => now }, db: database.connect().db }, 3);

  const left = await query<{ channel_id: string }>(
    `select channel_id from plancast.items where item_key like '%many-%'`,
  );
  expect(left.map(({ channel_id }) => channel_id)).toEqual(Array(5).fill('C-LIVE'));
});
