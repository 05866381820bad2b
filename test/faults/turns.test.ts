import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Notification } from '../../src/core/model/notification.ts';
import { claimMs } from '../../src/jobs/dispatch.ts';
import { later } from '../../src/lib/durations.ts';
import { type ConnectedDatabase, connectLanes } from '../../src/store/database.ts';
import { silentLog } from '../support/log.ts';
import { freshDatabase, type TestDatabase } from '../support/postgres.ts';
import { makeTurns } from './support/turns.ts';

/** A fixed seed, so that a failure can be repeated; use other seeds for longer runs. */
const size = { runs: 60, events: 60, seed: 95 };
const start = Date.UTC(2026, 10, 25, 12);

let database: TestDatabase;
let connected: ConnectedDatabase;
let lanesPool: ReturnType<typeof connectLanes>;
beforeAll(async () => {
  database = await freshDatabase('turns');
  connected = database.connect();
  lanesPool = connectLanes({ connection: { connectionString: database.url }, log: silentLog, max: 2 });
});
afterAll(async () => {
  await lanesPool.close();
  await database.drop();
});

/** A text as a piece that is repeated up to a length, so that a failure can be read. */
type Repeated = readonly [piece: string, length: number];

const repeated = (pieces: readonly string[], longest: number) =>
  fc.tuple(fc.constantFrom(...pieces), fc.integer({ min: 1, max: longest }));

const written = ([piece, length]: Repeated) => piece.repeat(length).slice(0, length).toWellFormed();

const scenes = fc.record({
  /** Each costs some milliseconds of processor time; the costs are used in turns. */
  costs: fc.array(fc.constantFrom(0, 0, 0, 1, 5, 30, 400, 3_000, 20_000), { minLength: 1, maxLength: 20 }),
  /** As an earlier release stored them. */
  patterns: fc.array(repeated(['*a', '{a,b}', '**/', '?', 'a', '漢'], 1_000), { maxLength: 11 }),
  matches: fc.boolean(),
  names: fc.array(repeated(['a', 'a/', '漢', 'e\u0301', '👩‍👩‍👧', '<', '*'], 4_000), {
    minLength: 1,
    maxLength: size.events,
  }),
  type: fc.constantFrom('Create', 'Update', 'Delete'),
  eventsEach: fc.constantFrom(1, 7, 100, 5_000),
  bytes: fc.constantFrom(1, 20_000, 6_000_000),
  /** How the first turns go: a killed process leaves its claim, a fault is thrown. */
  turns: fc.array(fc.constantFrom('well', 'fault', 'fault', 'kill'), { maxLength: 12 }),
});
type Scene = typeof scenes extends fc.Arbitrary<infer One> ? One : never;

/** One turn: what it loaded and may have loaded, how many events it settled, and how long the lane waits after it. */
type Taken = { went: string; settled: number; loaded: number; most: number; waitMs: number };

let runs = 0;

/** Lets one channel's turns go on until nothing is pending. Each that is not disturbed has to settle something. */
async function play({
  costs,
  patterns,
  matches,
  names,
  type,
  eventsEach,
  bytes,
  turns,
}: Scene): Promise<void> {
  runs += 1;
  const lane = { enterpriseId: null, teamId: `T${runs}`, channelId: `C${runs}` };
  let nowMs = start;
  let read = 0;
  let disturbed: string | undefined;
  const clock = { now: () => new Date(nowMs) };
  const messages: string[] = [];
  const reasons: string[] = [];
  const { queue, deliver, subscribe } = makeTurns({
    connected,
    lanesPool,
    clock,
    usedMs: () => {
      nowMs += costs[read % costs.length] ?? 0;
      read += 1;
      return nowMs;
    },
    post: async () => {
      if (disturbed === 'fault') throw new Error('fault');
      messages.push(`${1_800_000_000 + messages.length}.000000`);
      return { kind: 'posted', ts: messages.at(-1) ?? '' };
    },
    edit: async (_lane, ts) => {
      if (disturbed === 'fault') throw new Error('fault');
      return { kind: 'posted', ts };
    },
    givenBack: (reason) => void reasons.push(reason),
  });
  await subscribe(lane, {
    record: String(runs),
    filters: { paths: [...patterns.map(written), ...(matches ? ['**'] : [])] },
  });
  await store(lane, names.map(written), type);

  const taken: Taken[] = [];
  for (let left = names.length; left > 0; ) {
    disturbed = turns[taken.length];
    const until = later(clock.now(), claimMs);
    const claim = { now: clock.now(), until, by: `turns.${taken.length}`, lost: [], held: null };
    const found = await queue.take([lane], { ...claim, most: 1, eventsEach, bytes });
    const [mine] = found.taken;
    if (!mine) {
      nowMs = Math.max(nowMs + 1, found.resting[0]?.ready.getTime() ?? Number.NaN);
      continue;
    }
    const before = left;
    const rest = disturbed === 'kill' ? null : await deliver(mine);
    left = await pendingIn(lane);
    taken.push({
      went: before === left ? (disturbed ?? 'well') : 'well',
      settled: before - left,
      loaded: mine.waiting.length,
      most: Math.max(1, eventsEach >> (mine.setbacks / 2)),
      waitMs: (rest?.ready.getTime() ?? 0) - nowMs,
    });
    if (taken.length > turns.length + names.length) break;
  }
  expect(taken.filter(({ went, settled }) => went === 'well' && settled === 0)).toEqual([]);
  expect(taken.filter(({ loaded, most }) => loaded === 0 || loaded > most)).toEqual([]);
  const faults = taken.filter(({ went }) => went === 'fault');
  expect(faults.filter(({ waitMs }) => waitMs < 2_000 || waitMs > 60_000)).toEqual([]);
  expect(reasons).toEqual(faults.map(() => 'fault'));
  const { rows } = await connected.pool.query<{ shown: string[] | null; pending: number }>(
    `select array_agg(distinct message_ts) filter (where state = 'posted') as shown, count(*) filter (where state not in ('posted', 'filtered'))::int as pending
     from plancast.events where channel_id = $1`,
    [lane.channelId],
  );
  expect(rows[0]?.pending).toBe(0);
  expect((rows[0]?.shown ?? []).toSorted()).toEqual(messages);
}

async function store(
  { teamId, channelId }: { teamId: string; channelId: string },
  names: readonly string[],
  eventType: string,
): Promise<void> {
  const notifications = names.map((name, index): Notification => {
    const path = `Root/${name}`.slice(0, 4_000).toWellFormed();
    return {
      ...{ id: `id-${index}`, serviceSubscriptionId: null, source: '2', resource: null, primeId: '1' },
      ...{ projectId: '412-873-550', sessionId: null, itemId: String(index), itemType: 'file' },
      ...{ resourceType: 'ProjectItems', actorEmail: `person${index}@example.com`, idPath: `1/${index}` },
      ...{ happenedAt: new Date(start).toISOString(), eventType, path, name },
    };
  });
  await connected.pool.query(
    `insert into plancast.events (notification_id, subscription_id, team_id, channel_id, state, notification, fingerprint, item_keys, received_at)
     select n ->> 'id', (select id from plancast.subscriptions where channel_id = $2), $1, $2, 'pending', n, n ->> 'id', '{}', $4
     from jsonb_array_elements($3::jsonb) with ordinality as x(n, at) order by at`,
    [teamId, channelId, JSON.stringify(notifications), new Date(start)],
  );
}

async function pendingIn({ channelId }: { channelId: string }): Promise<number> {
  const { rows } = await connected.pool.query<{ count: number }>(
    `select count(*)::int as count from plancast.events where channel_id = $1 and state = 'pending'`,
    [channelId],
  );
  return rows[0]?.count ?? 0;
}

test(`${size.runs} channels with random counts, sizes and costs of events, patterns and names: every turn makes progress, and nothing is posted twice`, async () => {
  await fc.assert(fc.asyncProperty(scenes, play), {
    numRuns: size.runs,
    seed: size.seed,
    endOnFailure: true,
  });
}, 120_000);
