import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { databaseLimits } from '../../src/store/database.ts';
import { isMigrated, migrate, migrations } from '../../src/store/migrate.ts';
import { sealedColumns } from '../../src/store/sealing/reseal.ts';
import { readText } from '../guards/source-files.ts';
import { recordingLog } from '../support/log.ts';
import { emptyDatabase, freshDatabase, sessionsAtLocks, type TestDatabase } from '../support/postgres.ts';

let database: TestDatabase;
beforeEach(async () => {
  database = await emptyDatabase('migrate');
});
afterEach(() => database.drop());

const migrateUrl = new URL('../../src/store/migrate.ts', import.meta.url).href;

/** Starts another process that migrates and prints what it has done. */
function startMigration(url: string) {
  const program = `
    import { migrate } from ${JSON.stringify(migrateUrl)};
    const done = [];
    const log = { info: ({ migration }) => done.push(migration), warn() {}, error() {} };
    await migrate({ connection: { connectionString: ${JSON.stringify(url)} }, log });
    console.log(JSON.stringify(done));`;
  const child = spawn(process.execPath, ['--input-type=module', '-e', program], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let output = '';
  child.stdout.on('data', (chunk) => {
    output += String(chunk);
  });
  const ended = once(child, 'close').then(([code, signal]) => ({ code, signal, output: output.trim() }));
  return { kill: () => child.kill('SIGKILL'), ended };
}

async function tablesOf({ connect }: TestDatabase): Promise<string[]> {
  const { rows } = await connect().pool.query<{ name: string }>(
    `select schemaname || '.' || tablename as name from pg_tables
     where schemaname not in ('pg_catalog', 'information_schema') order by 1`,
  );
  return rows.map(({ name }) => name);
}

test('everything that migrations create, including bookkeeping, is in the schema plancast', async () => {
  await migrate({ connection: { connectionString: database.url }, log: recordingLog() });
  const tables = await tablesOf(database);
  expect(tables).toContain('plancast.events');
  expect(tables).toContain('plancast.keyv');
  expect(tables).toContain('plancast.migrations');
  expect(tables.filter((name) => !name.startsWith('plancast.'))).toEqual([]);
});

/** Leaves a database as a newer release would: with one more migration applied. */
async function migrateByNewer(name: string): Promise<void> {
  await migrate({ connection: { connectionString: database.url }, log: recordingLog() });
  await database
    .connect()
    .pool.query('insert into plancast.migrations (name, timestamp) values ($1, now()::text)', [name]);
}

test('an older release finds a database to which a newer one has added something: it works, and warns', async () => {
  await migrateByNewer('9999-of-the-future');
  const log = recordingLog();

  await migrate({ connection: { connectionString: database.url }, log });

  expect(log.lines).toEqual([
    [
      'a newer release has migrated the database; this one keeps working with it',
      { migration: '9999-of-the-future' },
    ],
  ]);
  expect(await isMigrated(database.connect().pool)).toBe(true);
});

test('an older release finds a database from which a newer one has removed something: it refuses to run', async () => {
  await migrateByNewer('9999-drop-events-breaking');

  await expect(
    migrate({ connection: { connectionString: database.url }, log: recordingLog() }),
  ).rejects.toThrow(/^A newer release has changed the database .+9999-drop-events-breaking/);
  await expect(isMigrated(database.connect().pool)).rejects.toThrow(/^A newer release has changed/);
});

test('a migration that removes something says so in its name', () => {
  // Exceptions: no release outside this repository had used what these changed.
  const before = new Set(['0001-start', '0006-cards']);
  const takesAway = /\b(?:drop (?:table|column|schema)|rename|alter column \w+ (?:type|set not null))\b/;

  const silent = migrations
    .filter((name) => !name.endsWith('-breaking') && !before.has(name))
    .filter((name) => takesAway.test(readText(`src/store/migrations/${name}.sql`)));

  expect(silent).toEqual([]);
});

test('a second start has nothing to migrate', async () => {
  const connection = { connectionString: database.url };
  await migrate({ connection, log: recordingLog() });
  const log = recordingLog();
  await migrate({ connection, log });
  expect(log.lines).toEqual([]);
});

test('of three processes starting at once on an empty database, one migrates and all start', async () => {
  const outcomes = await Promise.all(
    [1, 2, 3].map(() => startMigration(database.url)).map(({ ended }) => ended),
  );
  expect(outcomes.map(({ code }) => code)).toEqual([0, 0, 0]);
  const done = outcomes.flatMap(({ output }) => JSON.parse(output) as string[]);
  const { rows } = await database
    .connect()
    .pool.query<{ name: string }>('select name from plancast.migrations');
  expect(rows.length).toBeGreaterThan(1);
  expect(done.toSorted()).toEqual(rows.map(({ name }) => name).toSorted());
});

test("a process waits for another one's migration, longer than the statement timeout", async () => {
  const { pool } = database.connect();
  const holder = await pool.connect();
  // The lock of Kysely's migrator.
  await holder.query('select pg_advisory_lock(3853314791062309107)');
  const migrating = migrate({ connection: { connectionString: database.url }, log: recordingLog() });
  await expect.poll(() => sessionsAtLocks(pool)).toBe(1);
  const waitedLongerThan = async (seconds: number): Promise<boolean> => {
    const { rowCount } = await pool.query(
      `select from pg_stat_activity where application_name like 'plancast migrate %' and wait_event_type = 'Lock'
         and clock_timestamp() - query_start > make_interval(secs => $1)`,
      [seconds],
    );
    return rowCount === 1;
  };
  await expect
    .poll(() => waitedLongerThan(databaseLimits.statement / 1_000 + 0.5), { interval: 250 })
    .toBe(true);
  await holder.query('select pg_advisory_unlock(3853314791062309107)');
  holder.release();
  await migrating;
  expect(await tablesOf(database)).toContain('plancast.keyv');
});

test('a process killed during its migration leaves a database on which the next one starts', async () => {
  const { pool } = database.connect();
  const blocker = await pool.connect();
  // The migration has to wait for this lock when half of its tables are created.
  await blocker.query('create schema plancast; begin; create table plancast.lanes (half_made text)');
  const first = startMigration(database.url);
  await expect
    .poll(() => sessionsAtLocks(pool), {
      timeout: 10_000,
    })
    .toBe(1);
  first.kill();
  expect((await first.ended).signal).toBe('SIGKILL');
  await blocker.query('rollback');
  blocker.release();
  await migrate({ connection: { connectionString: database.url }, log: recordingLog() });
  expect(await tablesOf(database)).toContain('plancast.lanes');
});

test('an upgrade blocked by older processes retries, and succeeds', async () => {
  const connection = { connectionString: database.url };
  await migrate({ connection, log: recordingLog(), upTo: '0012-lane-queue' });
  const { pool } = database.connect();
  // Postgres cancels whichever session has waited this long in a deadlock: the migration, not the older process.
  await pool.query(`alter database ${new URL(database.url).pathname.slice(1)} set deadlock_timeout = '2s'`);
  const older = await pool.connect();
  await older.query(
    `set deadlock_timeout = '60s'; begin; lock table plancast.subscriptions in access share mode`,
  );
  const log = recordingLog();
  const migrating = migrate({ connection, log });
  await expect.poll(() => sessionsAtLocks(pool)).toBeGreaterThan(0);

  // The migration has locked `items` and waits for `subscriptions`.
  await older.query('select from plancast.items');
  await older.query('commit');
  older.release();
  await migrating;

  expect(log.lines[0]).toEqual(['a migration has to wait for other processes; trying again', {}]);
  expect(await isMigrated(pool)).toBe(true);
});

test('an upgrade that waits for a table does not block the tables it has already changed', async () => {
  const connection = { connectionString: database.url };
  await migrate({ connection, log: recordingLog(), upTo: '0009-channels' });
  const { pool } = database.connect();
  const older = await pool.connect();
  await older.query('begin; lock table plancast.lanes in access share mode');
  const log = recordingLog();
  const migrating = migrate({ connection, log });
  const made = async () =>
    (await pool.query<{ name: string }>('select name from plancast.migrations')).rows.map(({ name }) => name);
  await expect.poll(() => sessionsAtLocks(pool)).toBeGreaterThan(0);

  // Storing a notification first looks up its subscription, with a lock timeout of 2 s.
  const sender = await pool.connect();
  await sender.query(`set lock_timeout = '2s'`);
  for (let sent = 0; sent < 10; sent += 1) {
    await sender.query('select from plancast.subscriptions, plancast.events, plancast.lanes limit 1');
  }
  sender.release();
  await expect.poll(made).toContain('0010-replaced-keys');
  expect(await made()).not.toContain('0012-lane-queue');
  await older.query('commit');
  older.release();
  await migrating;

  expect(log.lines[0]).toEqual(['migrated', { migration: '0010-replaced-keys' }]);
  expect(await isMigrated(pool)).toBe(true);
});

test('every column of sealed text is known to the key check and to resealing', async () => {
  const full = await freshDatabase('sealed_columns');
  const { rows } = await full.connect().pool.query<{ place: string }>(
    `select table_name || '.' || column_name as place from information_schema.columns
     where table_schema = 'plancast' and column_name like '%sealed%' order by 1`,
  );
  await full.drop();
  const known = sealedColumns
    .map(({ table, column }) => `${table}.${column}`)
    // Keys that earlier releases sealed for `subscriptions` are in `remotes` now.
    .filter((place) => place !== 'keyv.value' && !place.startsWith('subscriptions.'));
  expect(known.toSorted()).toEqual(rows.map(({ place }) => place));
});
