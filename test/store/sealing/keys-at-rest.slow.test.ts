import { randomUUID } from 'node:crypto';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { ConnectedDatabase } from '../../../src/store/database.ts';
import { placeIn, reseal, sealedColumns } from '../../../src/store/sealing/reseal.ts';
import { makeSealing, type Sealing, type TokenKey, UnsealError } from '../../../src/store/sealing/sealing.ts';
import { verifyKeys, WrongTokenKeysError } from '../../../src/store/sealing/verify-keys.ts';
import { makeKeyv, makeSealedRecords } from '../../../src/store/tables/keyv-records.ts';
import { readOrCreateSecret } from '../../../src/store/tables/secrets.ts';
import { recordingLog, silentLog } from '../../support/log.ts';
import { freshDatabase, type TestDatabase } from '../../support/postgres.ts';

const oldKey: TokenKey = { id: 'old', secret: new Uint8Array(32).fill(1) };
const newKey: TokenKey = { id: 'new', secret: new Uint8Array(32).fill(2) };

let database: TestDatabase;
let connected: ConnectedDatabase;
beforeEach(async () => {
  database = await freshDatabase('keys_at_rest');
  connected = database.connect();
});
afterEach(() => database.drop());

function secretsWith(...keys: TokenKey[]) {
  const sealing = makeSealing(keys);
  return {
    readOrCreate: (name: string, make: () => string) =>
      readOrCreateSecret({ db: connected.db, sealing }, name, make),
  };
}

function verifyWith(...keys: TokenKey[]): Promise<void> {
  const sealing = makeSealing(keys);
  return verifyKeys({ ...connected, sealing });
}

/** Puts `text`, sealed with `key`, into every sealed column. */
async function fillEveryColumn(key: TokenKey, text: string): Promise<void> {
  const sealing = makeSealing([key]);
  const { pool } = connected;
  const id = randomUUID();
  const at = (table: string, column: string) => sealing.seal({ table, row: id, column }, text);
  await secretsWith(key).readOrCreate('a-secret', () => text);
  await makeSealedRecords({ keyv: makeKeyv({ pool }), sealing, namespace: 'installations' }).set('T1', text);
  await pool.query(
    `insert into plancast.links (id, team_id, grid_id, user_id, state, linked_at, refreshed_at, sealed_access_token, sealed_refresh_token)
     values ($1, 'T1', 'T1', 'U1', 'active', now(), now(), $2, $3)`,
    [id, await at('links', 'sealed_access_token'), await at('links', 'sealed_refresh_token')],
  );
  await pool.query(
    `insert into plancast.link_attempts (id, team_id, grid_id, user_id, ticket_hash, step, created_at, expires_at,
       sealed_verifier, sealed_response_url, sealed_access_token, sealed_refresh_token)
     values ($1, 'T1', 'T1', 'U1', '\\x00', 'sent', now(), now(), $2, $3, $4, $5)`,
    [
      id,
      await at('link_attempts', 'sealed_verifier'),
      await at('link_attempts', 'sealed_response_url'),
      await at('link_attempts', 'sealed_access_token'),
      await at('link_attempts', 'sealed_refresh_token'),
    ],
  );
  await pool.query(
    `insert into plancast.subscriptions (id, team_id, channel_id, owner_user_id, kind, parent_id, comprehensive, filters, delivery,
       threads, state, created_at, changed_at)
     values ($1, 'T1', 'C1', 'U1', 'project', '123-456-789', true, '{}', '{}', false, 'active', now(), now())`,
    [id],
  );
  await pool.query(
    `insert into plancast.remotes (id, subscription_id, team_id, token_hash, callback_base, comprehensive, asked_at, made_at, sealed_key, key_column)
     select coalesce(own, gen_random_uuid()), $1, 'T1', sha256(coalesce(key_column, '')::bytea), 'https://x', true, now(), now(), sealed_key, key_column
     from (values ($1::uuid, $2, null), (null, $3, 'sealed_key'), (null, $4, 'previous_sealed_key')) as keys (own, sealed_key, key_column)`,
    [
      id,
      await at('remotes', 'sealed_key'),
      await at('subscriptions', 'sealed_key'),
      await at('subscriptions', 'previous_sealed_key'),
    ],
  );
}

async function everySealedText(): Promise<{ place: string; keyId: string; text: string }[]> {
  const sealing = makeSealing([newKey, oldKey]);
  const all = [];
  for (const column of sealedColumns) {
    const { rows } = await connected.pool.query<{ row: string; sealed: string }>(column.select);
    for (const { row, sealed } of rows) {
      const text = await sealing.open(placeIn(column, row), sealed);
      all.push({ place: `${column.table}.${column.column}`, keyId: sealing.keyIdOf(sealed), text });
    }
  }
  return all;
}

test('a secret is created once, and only read afterwards', async () => {
  const secrets = secretsWith(oldKey);
  expect(await secrets.readOrCreate('checksum', () => 'first')).toBe('first');
  expect(await secrets.readOrCreate('checksum', () => 'second')).toBe('first');
  expect(await secrets.readOrCreate('another', () => 'second')).toBe('second');
});

test('twenty processes that create the same secret at once all get the same one', async () => {
  const all = await Promise.all(
    Array.from({ length: 20 }, (_, number) =>
      secretsWith(oldKey).readOrCreate('checksum', () => String(number)),
    ),
  );
  expect(new Set(all).size).toBe(1);
});

test('a thief of the database finds no secret in it', async () => {
  await fillEveryColumn(oldKey, 'find-me-if-you-can');
  for (const { select } of sealedColumns) {
    const { rows } = await connected.pool.query(select);
    expect(rows.length).toBeGreaterThan(0);
    expect(JSON.stringify(rows)).not.toContain('find-me');
  }
});

test('a secret that a thief swapped with another is not returned', async () => {
  const secrets = secretsWith(oldKey);
  await secrets.readOrCreate('one', () => 'text');
  await secrets.readOrCreate('other', () => 'text');
  await connected.pool.query(
    `update plancast.secrets set sealed = (select sealed from plancast.secrets where name = 'one') where name = 'other'`,
  );
  await expect(secrets.readOrCreate('other', () => 'text')).rejects.toThrow(UnsealError);
});

test('a start with the right keys passes, also with a new key in front, and on an empty database', async () => {
  await verifyWith(oldKey);
  await fillEveryColumn(oldKey, 'text');
  await verifyWith(oldKey);
  await verifyWith(newKey, oldKey);
});

test.each([
  ['another key under another id', [newKey], '"old"'],
  ['another key under the same id', [{ ...newKey, id: 'old' }], '"old"'],
])('a start with %s is refused, names the missing id and deletes nothing', async (_name, keys, named) => {
  await verifyWith(oldKey);
  await fillEveryColumn(oldKey, 'text');
  const refusal = await verifyWith(...keys).catch((error: unknown) => error);
  expect(refusal).toBeInstanceOf(WrongTokenKeysError);
  expect(String(refusal)).toContain(named);
  expect((await everySealedText()).length).toBe(sealedColumns.length + 1);
  await verifyWith(oldKey);
});

test('a start on a database where only the canary is sealed is refused with another key', async () => {
  await verifyWith(oldKey);
  await expect(verifyWith(newKey)).rejects.toThrow(WrongTokenKeysError);
});

test.each(sealedColumns.map(({ table, column }) => [table, column]))(
  'a start without the one key that %s.%s needs is refused',
  async (table, name) => {
    await fillEveryColumn(oldKey, 'text');
    await reseal({ pool: connected.pool, sealing: makeSealing([newKey, oldKey]), log: silentLog });
    await verifyWith(newKey);
    const column = sealedColumns.find((one) => one.table === table && one.column === name);
    if (column === undefined) throw new Error('no such column');
    const { rows } = await connected.pool.query<{ row: string; sealed: string }>(column.select);
    for (const { row, sealed } of rows) {
      const underOld = await makeSealing([oldKey]).seal(placeIn(column, row), 'text');
      await connected.pool.query(column.exchange, [underOld, row, sealed]);
    }
    await expect(verifyWith(newKey)).rejects.toThrow('"old"');
  },
);

test('one damaged text does not keep the bot from starting', async () => {
  await verifyWith(oldKey);
  await fillEveryColumn(oldKey, 'text');
  await connected.pool.query(`update plancast.links set sealed_access_token = 'damaged'`);
  await connected.pool.query(`update plancast.links set sealed_refresh_token = sealed_refresh_token || 'A'`);
  await verifyWith(oldKey);
});

test('after resealing, everything opens with only the new key', async () => {
  await verifyWith(oldKey);
  await fillEveryColumn(oldKey, 'the text');
  const sealing = makeSealing([newKey, oldKey]);
  const count = sealedColumns.length + 1;
  expect(await reseal({ pool: connected.pool, sealing, log: silentLog })).toEqual({
    resealed: count,
    current: 0,
    failed: 0,
  });
  const all = await everySealedText();
  expect(all.map(({ keyId }) => keyId)).toEqual(Array.from({ length: count }, () => 'new'));
  expect(all.filter(({ text }) => text.includes('the text'))).toHaveLength(count - 1);
  await verifyWith(newKey);
  expect(await reseal({ pool: connected.pool, sealing, log: silentLog })).toEqual({
    resealed: 0,
    current: count,
    failed: 0,
  });
  const records = makeSealedRecords({
    keyv: makeKeyv({ pool: connected.pool }),
    sealing: makeSealing([newKey]),
    namespace: 'installations',
  });
  expect(await records.get('T1')).toBe('the text');
});

test('resealing counts what it cannot open and leaves it unchanged', async () => {
  await secretsWith(oldKey).readOrCreate('kept', () => 'text');
  await connected.pool.query(`insert into plancast.secrets values ('damaged', 'damaged')`);
  const log = recordingLog();
  const sealing = makeSealing([newKey, oldKey]);
  expect(await reseal({ pool: connected.pool, sealing, log })).toEqual({
    resealed: 1,
    current: 0,
    failed: 1,
  });
  expect(log.lines).toEqual([
    ['a sealed text cannot be opened', { table: 'secrets', column: 'sealed', reason: 'malformed' }],
  ]);
  const { rows } = await connected.pool.query(`select sealed from plancast.secrets where name = 'damaged'`);
  expect(rows).toEqual([{ sealed: 'damaged' }]);
});

test('resealing beside a running bot never undoes what the bot writes meanwhile', async () => {
  await secretsWith(oldKey).readOrCreate('token', () => 'before');
  const place = { table: 'secrets', row: 'token', column: 'sealed' };
  const bot = makeSealing([oldKey]);
  const sealing = makeSealing([newKey, oldKey]);
  let interruptions = 0;
  // The bot, which does not have the new key yet, writes twice, each time between the read and the exchange of the text.
  const interrupted: Sealing = {
    ...sealing,
    open: async (at, sealed) => {
      const text = await sealing.open(at, sealed);
      if (at.row === 'token' && interruptions++ < 2) {
        const written = await bot.seal(place, `written ${interruptions}`);
        await connected.pool.query(`update plancast.secrets set sealed = $1 where name = 'token'`, [written]);
      }
      return text;
    },
  };
  expect(await reseal({ pool: connected.pool, sealing: interrupted, log: silentLog })).toEqual({
    resealed: 1,
    current: 0,
    failed: 0,
  });
  expect(await everySealedText()).toEqual([{ place: 'secrets.sealed', keyId: 'new', text: 'written 2' }]);
});

test('more texts than one batch are all resealed', async () => {
  const sealing = makeSealing([oldKey]);
  const names = Array.from({ length: 1_203 }, (_, number) => `name ${number}`);
  const sealed = await Promise.all(
    names.map((row) => sealing.seal({ table: 'secrets', row, column: 'sealed' }, row)),
  );
  await connected.pool.query('insert into plancast.secrets select * from unnest($1::text[], $2::text[])', [
    names,
    sealed,
  ]);
  const counted = await reseal({
    pool: connected.pool,
    sealing: makeSealing([newKey, oldKey]),
    log: silentLog,
  });
  expect(counted).toEqual({ resealed: 1_203, current: 0, failed: 0 });
});
