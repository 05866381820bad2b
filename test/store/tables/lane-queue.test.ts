import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Channel } from '../../../src/core/model/people.ts';
import { makeInBatches } from '../../../src/lib/in-batches.ts';
import { type ConnectedDatabase, connectLanes, databaseLimits } from '../../../src/store/database.ts';
import { makeLaneQueue } from '../../../src/store/tables/lane-queue.ts';
import type { TakenLane } from '../../../src/store/tables/taken-lane.ts';
import type { MarkedTurn, TurnMark } from '../../../src/store/tables/turn-mark.ts';
import { silentLog } from '../../support/log.ts';
import { freshDatabase, type TestDatabase } from '../../support/postgres.ts';

let database: TestDatabase;
let connected: ConnectedDatabase;
let lanes: ReturnType<typeof connectLanes>;
let queue: ReturnType<typeof makeLaneQueue<unknown>>;
beforeAll(async () => {
  database = await freshDatabase('lane queue');
  connected = database.connect();
  lanes = connectLanes({ connection: { connectionString: database.url }, log: silentLog, max: 2 });
  queue = makeLaneQueue(lanes.pool);
});
afterAll(async () => {
  await lanes.close();
  await database.drop();
});

const start = new Date('2026-11-21T12:00:00Z');
const after = (seconds: number) => new Date(start.getTime() + seconds * 1_000);

/** Makes lanes with one pending event each. */
async function waitingIn(teamId: string, count: number): Promise<Channel[]> {
  const channels = Array.from({ length: count }, (_, n) => ({
    enterpriseId: null,
    teamId,
    channelId: `C${n}`,
  }));
  for (const { channelId } of channels) {
    await connected.pool.query('insert into plancast.lanes (team_id, channel_id, fence) values ($1, $2, 0)', [
      teamId,
      channelId,
    ]);
    await connected.pool.query(
      `insert into plancast.events (notification_id, subscription_id, team_id, channel_id, state, notification, received_at)
       values ($1, gen_random_uuid(), $2, $3, 'pending', '{}', $4)`,
      [randomBytes(8).toString('hex'), teamId, channelId, start],
    );
  }
  return channels;
}

async function take(
  named: readonly Channel[],
  now: Date,
  held: Parameters<typeof queue.take>[1]['held'] = null,
  bytes = 6_000_000,
  from = queue,
): Promise<readonly TakenLane<unknown>[]> {
  const claim = {
    now,
    until: new Date(now.getTime() + 15_000),
    by: 'test',
    lost: [],
    eventsEach: 100,
    bytes,
  };
  return (await from.take(named, { ...claim, held, most: named.length })).taken;
}

const nothing: TurnMark = {
  at: start,
  lastPostAt: null,
  notBefore: null,
  failures: 0,
  setbacks: 0,
  card: null,
  events: [],
  messageTs: null,
  items: new Map(),
  notes: [],
  ended: [],
  pinged: [],
  announcementId: null,
};

test('twelve turns that time out when marked together are marked in smaller batches', async () => {
  const impatient = connectLanes({
    connection: { connectionString: database.url },
    log: silentLog,
    limits: { ...databaseLimits, statement: 700 },
    max: 2,
  });
  const slow = makeLaneQueue(impatient.pool);
  const channels = await waitingIn('TSLOW', 12);
  const taken = await take(channels, start);
  expect(taken).toHaveLength(12);
  await connected.pool.query(`
    create function plancast.be_slow() returns trigger language plpgsql as $$
    begin perform pg_sleep(0.08); return new; end $$`);
  await connected.pool.query(
    'create trigger be_slow before update on plancast.lanes for each row execute function plancast.be_slow()',
  );
  const batches: number[] = [];
  const mark = makeInBatches<MarkedTurn>({
    run: (turns) => {
      batches.push(turns.length);
      return slow.mark(turns);
    },
    gapMs: 10,
    most: 150,
  });
  const markOf = async ({ lane, fence }: TakenLane<unknown>): Promise<boolean> => {
    for (let tries = 0; tries < 5; tries += 1) {
      const done = await mark({ lane, fence, mark: nothing }).catch(() => null);
      if (done !== null) return done;
    }
    return false;
  };

  expect(await Promise.all(taken.map(markOf))).toEqual(taken.map(() => true));
  expect(batches[0]).toBe(12);
  expect(Math.max(...batches.slice(1))).toBeLessThanOrEqual(6);
  await connected.pool.query('drop trigger be_slow on plancast.lanes');
  await impatient.close();
});

test('a digest of 5,000 changes is marked within the time limit of every statement', async () => {
  const [lane] = await waitingIn('TDIGEST', 1);
  if (!lane) throw new Error('no lane');
  await connected.pool.query(
    `insert into plancast.events (notification_id, subscription_id, team_id, channel_id, state, notification, received_at)
     select gen_random_uuid(), gen_random_uuid(), $1, $2, 'pending', '{}', $3 from generate_series(2, 5000)`,
    [lane.teamId, lane.channelId, start],
  );
  const claim = {
    now: start,
    until: after(15),
    by: 'test',
    lost: [],
    held: null,
    most: 1,
    eventsEach: 5_000,
    bytes: 6_000_000,
  };
  const [taken] = (await queue.take([lane], claim)).taken;
  const [later = '', filtered = '', ...shown] = taken?.orphans ?? [];
  const events: TurnMark['events'] = [
    { seq: filtered, state: 'filtered', reason: 'type', postedAs: null },
    ...shown.map((seq) => ({ seq, state: 'posted' as const, reason: null, postedAs: null })),
  ];
  const turn = { lane, fence: taken?.fence ?? '', mark: { ...nothing, events, messageTs: '1.000001' } };

  expect([...(await queue.mark([turn]))]).toEqual([turn]);

  const { rows } = await connected.pool.query(
    `select state, reason, message_ts, posted_at, count(*)::int, min(seq) as first from plancast.events
     where team_id = $1 group by 1, 2, 3, 4 order by 1`,
    [lane.teamId],
  );
  expect(rows).toEqual([
    { state: 'filtered', reason: 'type', message_ts: null, posted_at: null, count: 1, first: filtered },
    { state: 'pending', reason: null, message_ts: null, posted_at: null, count: 1, first: later },
    {
      state: 'posted',
      reason: null,
      message_ts: '1.000001',
      posted_at: start,
      count: 4_998,
      first: shown[0],
    },
  ]);
});

test('one statement never marks more than its limit, unless a single item exceeds it', async () => {
  const weights: number[] = [];
  const mark = makeInBatches<number>({
    run: async (items) => {
      weights.push(items.reduce((sum, item) => sum + item, 0));
      return new Set(items);
    },
    gapMs: 0,
    most: 100,
    weigh: (item) => item,
  });
  expect(await Promise.all([250, 60, 30, 20, 40, 41].map(mark))).toEqual(Array(6).fill(true));
  expect(weights).toEqual([250, 90, 60, 41]);
});

const whole = { after: null, most: 1_000 };

test('lanes with pending events are found in parts as well as all at once', async () => {
  const channels = await waitingIn('TPARTS', 5);
  const found: Channel[] = [];
  let behind: Channel | null = null;
  do {
    const part = await queue.sweep(start, null, { after: behind, most: 2 });
    expect(part.lanes.length).toBeLessThanOrEqual(2);
    found.push(...part.lanes);
    behind = part.next;
  } while (behind !== null);
  expect(found.filter(({ teamId }) => teamId === 'TPARTS')).toEqual(channels);
  const all = await queue.sweep(start, null, whole);
  expect(all.next).toBeNull();
  expect(all.lanes).toEqual(expect.arrayContaining(found));
});

test('after an outage, a claim that expired during it is held for its process, and one that expired before is not', async () => {
  const [lane] = await waitingIn('TAWAY', 1);
  if (!lane) throw new Error('no lane');
  expect(await take([lane], start)).toHaveLength(1);

  const until = after(60);
  expect(await take([lane], after(20), { since: after(5), until })).toHaveLength(0);
  const swept = async (since: Date) => (await queue.sweep(after(20), { since, until }, whole)).lanes;
  expect(await swept(after(5))).not.toContainEqual(lane);

  expect(await swept(after(16))).toContainEqual(lane);
  expect(await take([lane], after(20), { since: after(16), until })).toHaveLength(1);
});

/** Adds pending events to a lane, each of about so many bytes, which compress to almost nothing. */
async function addEvents({ teamId, channelId }: Channel, count: number, bytes: number): Promise<void> {
  await connected.pool.query(
    `insert into plancast.events (notification_id, subscription_id, team_id, channel_id, state, notification, received_at)
     select gen_random_uuid(), gen_random_uuid(), $1, $2, 'pending', jsonb_build_object('name', repeat('a', $5::int)), $3
     from generate_series(1, $4)`,
    [teamId, channelId, start, count, bytes],
  );
}

test('events with long names: a take loads as many bytes as it was asked for, and one event of each lane in any case', async () => {
  const loaded = async (asked: number) => {
    const lanes = await waitingIn(`TBYTES${asked}`, 2);
    for (const lane of lanes) await addEvents(lane, 50, 10_000);
    const taken = await take(lanes, start, null, asked);
    return taken.map(({ orphans, waitsMore, bytes }) => [orphans.length, waitsMore, bytes]);
  };

  const [event, other] = ['{}', `{"name": "${'a'.repeat(10_000)}"}`].map(({ length }) => length);
  const of = (count: number) => (event ?? 0) + count * (other ?? 0);
  expect(await loaded(200_000)).toEqual(Array(2).fill([11, true, of(10)]));
  expect(await loaded(2)).toEqual(Array(2).fill([1, true, of(0)]));
  expect(await loaded(6_000_000)).toEqual(Array(2).fill([51, false, of(50)]));
});

test('a lane is taken without reading what 10,000 other channels of its workspace follow, before tables have statistics', async () => {
  const channels = await waitingIn('TLARGE', 1);
  const follow = (count: number, channel: string, id: string) =>
    connected.pool.query(
      `insert into plancast.subscriptions (id, team_id, channel_id, owner_user_id, kind, parent_id, comprehensive, filters, delivery, threads,
         state, created_at, changed_at)
       select ${id}, 'TLARGE', ${channel}, 'U1', 'project', 'p' || n, false, '{}', '{}', false, 'active', $1, $1
       from generate_series(1, ${count}) n`,
      [start],
    );
  await follow(10_000, "'COTHER' || n", 'gen_random_uuid()');
  await follow(1, "'C0'", "(select subscription_id from plancast.events where team_id = 'TLARGE')");
  const { pool, close } = connectLanes({
    connection: { connectionString: database.url },
    log: silentLog,
    max: 1,
  });
  const blocksRead = async (): Promise<number> => {
    await pool.query('select pg_stat_force_next_flush()');
    const { rows } = await pool.query<{ read: number }>(
      `select idx_blks_hit::int as read from pg_statio_user_tables where relname = 'subscriptions'`,
    );
    return rows[0]?.read ?? 0;
  };
  const before = await blocksRead();
  const taken = await take(channels, start, null, 6_000_000, makeLaneQueue(pool));
  const read = (await blocksRead()) - before;
  await close();
  expect(taken[0]?.waiting).toHaveLength(1);
  expect(read).toBeLessThan(60);
});

test('a turn that never ends, twice in a row, or fails: each time the next one takes half as many events', async () => {
  const [lane] = await waitingIn('TSETBACKS', 1);
  if (!lane) throw new Error('no lane');
  await addEvents(lane, 99, 10);
  let seconds = 0;
  /** Takes the lane once its last claim is over. */
  const next = async (): Promise<TakenLane<unknown>> => {
    seconds += 20;
    const [taken] = await take([lane], after(seconds));
    if (!taken) throw new Error('not taken');
    return taken;
  };
  const loaded: number[] = [];
  for (let turns = 0; turns < 5; turns += 1) loaded.push((await next()).orphans.length);
  expect(loaded).toEqual([100, 100, 50, 50, 25]);

  const mark = async (setbacks: number) => {
    const { fence } = await next();
    await queue.mark([{ lane, fence, mark: { ...nothing, setbacks } }]);
    return (await next()).orphans.length;
  };
  expect(await mark(0)).toBe(100);
  expect(await mark(2)).toBe(50);
  expect(await mark(26)).toBe(1);
});
