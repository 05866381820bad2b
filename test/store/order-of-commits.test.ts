import { randomBytes, randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Notification } from '../../src/core/model/notification.ts';
import type { Channel } from '../../src/core/model/people.ts';
import { type ConnectedDatabase, connectLanes, connectPipelined } from '../../src/store/database.ts';
import { acceptEvents } from '../../src/store/tables/accept-events.ts';
import { makeLaneQueue } from '../../src/store/tables/lane-queue.ts';
import * as subscriptions from '../../src/store/tables/subscriptions.ts';
import { holdCommits } from '../faults/support/hold-commits.ts';
import { silentLog } from '../support/log.ts';
import { freshDatabase, type TestDatabase } from '../support/postgres.ts';

const lane: Channel = { enterpriseId: null, teamId: 'T1', channelId: 'C1' };
const tokenHash = randomBytes(32);
let database: TestDatabase;
let connected: ConnectedDatabase;
const closing: (() => Promise<void>)[] = [];
beforeAll(async () => {
  database = await freshDatabase('order of commits');
  connected = database.connect();
  const row = await subscriptions.add(connected.db, {
    ...lane,
    ownerUserId: 'U0DANA',
    target: { kind: 'project', projectId: '412-873-550' },
    comprehensive: true,
    filters: { only: [], paths: [], by: [], notBy: [] },
    delivery: { when: 'live' },
    threads: false,
    now: new Date(),
  });
  await connected.pool.query(
    `insert into plancast.remotes (subscription_id, team_id, token_hash, callback_base, comprehensive, asked_at)
     values ($1, $2, $3, 'http://127.0.0.1', true, now())`,
    [row?.id, lane.teamId, tokenHash],
  );
});
afterAll(async () => {
  for (const close of closing) await close();
  await database.drop();
});

/** Returns the accept function of a process with its own connections. */
function receiver() {
  const { pool, close } = connectPipelined({
    connection: { connectionString: database.url },
    log: silentLog,
    max: 1,
  });
  closing.push(close);
  return (name: string) =>
    acceptEvents(
      pool,
      [{ tokenHash, notification: created(name), fingerprint: name, itemKeys: [] }],
      [tokenHash],
      new Date(),
    );
}

function created(name: string): Notification {
  return {
    id: name,
    serviceSubscriptionId: null,
    source: null,
    resource: null,
    primeId: null,
    projectId: '412-873-550',
    sessionId: null,
    itemId: name,
    happenedAt: null,
    resourceType: 'ProjectItems',
    eventType: 'Create',
    actorEmail: null,
    idPath: null,
    path: null,
    itemType: 'file',
    name,
  };
}

/** Takes the lane as a turn does, ignoring when its last turn was, and marks all events as posted. Returns the ids of the events. */
async function takeLane(): Promise<string[]> {
  const { pool, close } = connectLanes({
    connection: { connectionString: database.url },
    log: silentLog,
    max: 1,
  });
  closing.push(close);
  const queue = makeLaneQueue(pool);
  const now = new Date();
  const claim = {
    now,
    until: new Date(now.getTime() + 15_000),
    by: randomUUID(),
    lost: [],
    held: null,
    most: 1,
  };
  const { taken } = await queue.take([lane], { ...claim, eventsEach: 100, bytes: 6_000_000 });
  const [mine] = taken;
  if (!mine) return [];
  await queue.mark([
    {
      lane,
      fence: mine.fence,
      mark: {
        at: now,
        lastPostAt: null,
        notBefore: null,
        failures: 0,
        setbacks: 0,
        card: null,
        events: mine.waiting.map(({ seq }) => ({ seq, state: 'posted', reason: null, postedAs: null })),
        messageTs: '1.0',
        items: new Map(),
        notes: [],
        ended: [],
        pinged: [],
        announcementId: null,
      },
    },
  ]);
  return mine.waiting.map(({ notification }) => notification.id);
}

test('while event 5 is in flight, event 6 is not visible: both are posted in order, although 6 came to another process', async () => {
  const [one, other] = [receiver(), receiver()];
  const held = await holdCommits(database.url, {
    table: 'plancast.events',
    act: 'insert',
    when: "new.notification_id = '5'",
  });
  const five = one('5');
  await held.reached(1);
  const six = other('6');
  // At least as long as 6 would take with nothing in its way.
  await Promise.race([six, new Promise((resolve) => setTimeout(resolve, 500))]);
  const shown = await takeLane();
  await held.release();
  await Promise.all([five, six]);
  shown.push(...(await takeLane()));

  expect(shown).toEqual(['5', '6']);
});

test('hundreds of events come to four processes at once: each read of the lane continues exactly where the last one ended', async () => {
  const receivers = [receiver(), receiver(), receiver(), receiver()];
  await connected.pool.query(`
    create or replace function plancast.be_slow() returns trigger language plpgsql as $$
    begin perform pg_sleep(random() * 0.005); return null; end $$`);
  await connected.pool.query(
    `create constraint trigger be_slow after insert on plancast.events deferrable initially deferred
     for each row execute function plancast.be_slow()`,
  );
  let open = receivers.length;
  const sending = receivers.map(async (accept, who) => {
    for (let count = 0; count < 60; count += 1) await accept(`${who}-${count}`);
    open -= 1;
  });
  const shown: string[] = [];
  while (open > 0) shown.push(...(await takeLane()));
  await Promise.all(sending);
  shown.push(...(await takeLane()));
  await connected.pool.query('drop trigger be_slow on plancast.events');

  const { rows } = await connected.pool.query<{ id: string }>(
    `select notification_id as id from plancast.events where notification_id like '%-%' order by seq`,
  );
  expect(shown).toHaveLength(240);
  expect(shown).toEqual(rows.map(({ id }) => id));
});
