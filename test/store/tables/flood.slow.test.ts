import { afterAll, beforeAll, expect, test } from 'vitest';
import type { ConnectedDatabase } from '../../../src/store/database.ts';
import * as channelMoves from '../../../src/store/tables/channel-moves.ts';
import * as events from '../../../src/store/tables/events.ts';
import { freshDatabase, type TestDatabase } from '../../support/postgres.ts';

/*
 * What a flood leaves in one channel is changed although one statement for all of it would take longer than any may.
 */

const flood = 300_000;
const now = new Date('2026-11-26T12:00:00Z');
const lane = { enterpriseId: null, teamId: 'T1', channelId: 'C1' };
const subscriptionId = '00000000-0000-4000-8000-000000000001';

let database: TestDatabase;
let connected: ConnectedDatabase;
beforeAll(async () => {
  database = await freshDatabase('flood');
  connected = database.connect();
});
afterAll(() => database.drop());

/** Fills the channel with events that are held for a reason. */
async function held(reason: 'digest' | 'muted'): Promise<void> {
  for (let at = 0; at < flood; at += 50_000)
    await connected.pool.query(
      `insert into plancast.events (notification_id, subscription_id, team_id, channel_id, state, reason, fingerprint, item_keys, notification, received_at)
       select $1 || n, $2, 'T1', 'C1', 'pending', $1, 'f' || n, array['ProjectItems:1:' || n], '{"eventType": "Update"}', $3
       from generate_series($4::int, $4::int + 49999) n`,
      [reason, subscriptionId, now, at],
    );
}

const waiting = async (where: string) =>
  (await connected.pool.query(`select count(*)::int as count from plancast.events where ${where}`)).rows[0]
    .count;

test('a digest of 300,000 changes is released, and what is unsubscribed with it is dropped', async () => {
  await held('digest');
  await connected.db.transaction().execute((trx) => events.releaseDigest(trx, lane, [subscriptionId]));
  expect(await waiting(`state = 'pending' and reason is null and summary = 'digest'`)).toBe(flood);
  await connected.db.transaction().execute((trx) => events.dropEnded(trx, [subscriptionId]));
  expect(await waiting(`state = 'filtered' and reason = 'ended'`)).toBe(flood);
  await connected.pool.query('truncate plancast.events');
});

test('300,000 changes that waited for a mute are released when it ends, and move with their channel', async () => {
  await connected.pool.query(`insert into plancast.lanes (team_id, channel_id) values ('T1', 'C1')`);
  await held('muted');
  const released = await connected.db.transaction().execute((trx) => events.settle(trx, lane, now));
  expect([...released]).toEqual([[subscriptionId, flood]]);
  await channelMoves.move(connected.db, lane, 'C2');
  expect(await waiting(`channel_id = 'C2' and reason is null and summary = 'muted'`)).toBe(flood);
});
