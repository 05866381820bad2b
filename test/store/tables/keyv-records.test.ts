import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { z } from 'zod';
import { connect } from '../../../src/store/database.ts';
import { makeSealing } from '../../../src/store/sealing/sealing.ts';
import {
  makeKeyv,
  makeRecords,
  makeSealedRecords,
  sweepExpired,
} from '../../../src/store/tables/keyv-records.ts';
import { silentLog } from '../../support/log.ts';
import { freshDatabase, type TestDatabase } from '../../support/postgres.ts';

let database: TestDatabase;
beforeAll(async () => {
  database = await freshDatabase('keyv_records');
});
afterAll(() => database.drop());

const profile = z.object({ zone: z.string() });
const sealing = makeSealing([{ id: 'key', secret: new Uint8Array(32).fill(1) }]);

function keyv() {
  return makeKeyv({ pool: database.connect().pool });
}

test('a record is kept, replaced and removed', async () => {
  const profiles = makeRecords({ keyv: keyv(), namespace: 'profiles', schema: profile });
  expect(await profiles.get('U1')).toBeUndefined();
  await profiles.set('U1', { zone: 'Europe/Zurich' });
  await profiles.set('U1', { zone: 'Asia/Tokyo' });
  expect(await profiles.get('U1')).toEqual({ zone: 'Asia/Tokyo' });
  await profiles.delete('U1');
  await profiles.delete('U1');
  expect(await profiles.get('U1')).toBeUndefined();
});

test('another process sees the record at once', async () => {
  await makeRecords({ keyv: keyv(), namespace: 'profiles' }).set('U2', { zone: 'UTC' });
  expect(await makeRecords({ keyv: keyv(), namespace: 'profiles' }).get('U2')).toEqual({ zone: 'UTC' });
});

test('the same key in two namespaces is two records, whatever the key starts with', async () => {
  const one = makeRecords<string>({ keyv: keyv(), namespace: 'one' });
  const other = makeRecords<string>({ keyv: keyv(), namespace: 'other' });
  await one.set('x', 'one x');
  await one.set('one:x', 'one one:x');
  await other.set('x', 'other x');
  expect([await one.get('x'), await one.get('one:x'), await other.get('x')]).toEqual([
    'one x',
    'one one:x',
    'other x',
  ]);
});

test('keys longer than 255 characters or with odd characters work like any others', async () => {
  const records = makeRecords<number>({ keyv: keyv(), namespace: 'long' });
  const keys = ['x'.repeat(1_000), `${'x'.repeat(999)}y`, "'; drop table plancast.keyv; --", 'ä:%_'];
  for (const [number, key] of keys.entries()) await records.set(key, number);
  expect(await Promise.all(keys.map((key) => records.get(key)))).toEqual([0, 1, 2, 3]);
});

test('a record of another release that no longer matches the schema counts as missing', async () => {
  await makeRecords({ keyv: keyv(), namespace: 'profiles' }).set('U3', { timezone: 'UTC' });
  expect(
    await makeRecords({ keyv: keyv(), namespace: 'profiles', schema: profile }).get('U3'),
  ).toBeUndefined();
});

test('a record with a time to live disappears after it, and is also swept from the table without being read', async () => {
  const short = makeRecords<string>({ keyv: keyv(), namespace: 'short', ttlMs: 60_000 });
  const long = makeRecords<string>({ keyv: keyv(), namespace: 'long', ttlMs: 600_000 });
  const forever = makeRecords<string>({ keyv: keyv(), namespace: 'forever' });
  const begin = Date.now();
  for (const records of [short, long, forever]) await records.set('k', 'v');
  const { db, pool } = database.connect();
  const count = async () => (await pool.query('select from plancast.keyv')).rowCount ?? 0;
  const before = await count();
  const swept = async (after: number) => {
    await sweepExpired(db, new Date(begin + after));
    return before - (await count());
  };
  expect(await swept(30_000)).toBe(0);
  expect(await swept(70_000)).toBe(1);
  expect(await Promise.all([short, long, forever].map((records) => records.get('k')))).toEqual([
    undefined,
    'v',
    'v',
  ]);
  vi.spyOn(Date, 'now').mockReturnValue(begin + 700_000);
  expect(await long.get('k')).toBeUndefined();
});

test('a database fault is an error, never a missing record', async () => {
  const gone = connect({
    connection: { connectionString: 'postgresql://plancast:x@127.0.0.1:1/plancast' },
    log: silentLog,
  });
  const records = makeRecords<string>({ keyv: makeKeyv({ pool: gone.pool }), namespace: 'profiles' });
  await expect(records.get('U1')).rejects.toThrow('ECONNREFUSED');
  await expect(records.set('U1', 'x')).rejects.toThrow('ECONNREFUSED');
  await expect(records.delete('U1')).rejects.toThrow('ECONNREFUSED');
  await gone.close();
});

test('a sealed record that does not match its schema is an error', async () => {
  const options = { keyv: keyv(), sealing, namespace: 'installations' };
  await makeSealedRecords<unknown>(options).set('T3', { timezone: 'UTC' });
  await expect(makeSealedRecords({ ...options, schema: profile }).get('T3')).rejects.toThrow(z.ZodError);
});

test('no plain namespace can reach a sealed record', () => {
  expect(() => makeRecords({ keyv: keyv(), namespace: 'sealed.installations' })).toThrow('not a namespace');
});

test("the records use the bot's pool and open no connections of their own", async () => {
  const { pool } = database.connect();
  const records = makeRecords<number>({ keyv: keyv(), namespace: 'pooled' });
  await Promise.all(Array.from({ length: 50 }, (_, number) => records.set(String(number), number)));
  const { rows } = await pool.query<{ connections: number }>(
    'select count(*)::int as connections from pg_stat_activity where datname = current_database()',
  );
  expect(rows[0]?.connections).toBeLessThanOrEqual(10);
});
