import { readdirSync } from 'node:fs';
import { mkdir, readFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'kysely';
import { type Migration, Migrator } from 'kysely/migration';
import type pg from 'pg';
import { EndError, exitCodes } from '../lib/end-error.ts';
import { codeOf } from '../lib/error-code.ts';
import type { Log } from '../lib/log.ts';
import { retry } from '../lib/retry.ts';
import { type Connection, connect, requireSettings, waitForDatabase } from './database.ts';

const folder = new URL('./migrations/', import.meta.url);

/**
 * Every change to the tables, in order: files of SQL, whose names are stored once they have run. An older release runs beside a newer one, so
 * a migration only adds. One that removes or changes something an older release uses must have a name that ends in `-breaking`, so that the
 * older release refuses the database.
 */
export const migrations: readonly string[] = readdirSync(folder)
  .filter((file) => file.endsWith('.sql'))
  .map((file) => basename(file, '.sql'))
  .toSorted();

/**
 * A migration needs exclusive access to tables that older processes are using. Statements that ask for such a table after it queue behind
 * it, and a notification is refused after 2 s: so the migration waits less than that, and gives way before it tries again. In a deadlock
 * Postgres aborts one of the two, which has then changed nothing.
 */
const inTheWay = {
  /** A lock timeout, and a deadlock. */
  codes: ['55P03', '40P01'],
  lockMs: 500,
  waits: { first: 100, most: 1_000 },
  retriedForMs: 60_000,
};

/**
 * Brings the schema `plancast` up to date, once the database answers. If several processes start at once, one migrates while the others wait for Kysely's advisory
 * lock. In a database in use, each migration is one transaction, so that its tables are free again before the next one, and a process that
 * is killed leaves none half done. What a newer release has added stays, with a warning. Throws an `EndError` if a newer release did more
 * than add, if a migration breaks with older releases and other processes are connected, which may be of one, and as `requireSettings` does.
 * Nothing was changed then. Before a migration that breaks with older releases, it writes a backup.
 */
export async function migrate(options: {
  readonly connection: Connection;
  readonly log: Log;
  /** The last migration to run if there are no tables yet, for data written by an older release. */
  readonly upTo?: string | undefined;
  /** The folder for a backup; without it, none is written. */
  readonly backupIn?: string | undefined;
}): Promise<void> {
  const { connection, log, upTo, backupIn } = options;
  const { db, pool, ping, close } = connect({
    connection,
    log,
    max: 2,
    applicationName: 'plancast migrate',
    patient: true,
  });
  try {
    await waitForDatabase({ ping }, { log, now: () => performance.now(), sleep });
    await requireSettings({ pool });
    // Nearly every start has nothing to migrate, and Kysely's migrator takes 20 statements under its lock to find that out.
    if (upTo === undefined && (await isUpToDate(pool))) return;
    let newer: string[] = [];
    /** Kysely calls this while it holds its lock, and treats an unknown migration in the database as corruption. */
    const getMigrations = async (): Promise<Record<string, Migration>> => {
      newer = await newerMigrations(pool);
      refuseBreaking(newer);
      return Object.fromEntries([
        ...migrations.map((name) => [name, migrationIn(name)] as const),
        ...newer.map((name) => [name, { up: async () => undefined }] as const),
      ]);
    };
    const migrator = new Migrator({
      // The columns of Kysely's own two tables must not be renamed.
      db: db.withoutPlugins(),
      provider: { getMigrations },
      migrationTableSchema: 'plancast',
      migrationTableName: 'migrations',
      migrationLockTableName: 'migrations_lock',
      // Branches are not always merged in the order of their numbers, and a database may have been migrated in between.
      allowUnorderedMigrations: true,
    });
    const isInUse = (await namesMade(pool)).length > 0;
    if (isInUse) await prepareToBreak(pool, log, backupIn);
    let end = Date.now() + inTheWay.retriedForMs;
    /** Runs the next migration, or all of them in an unused database; returns how many have run. */
    const migrateOn = async (): Promise<number> => {
      const { error, results = [] } = await (isInUse
        ? migrator.migrateUp()
        : upTo === undefined
          ? migrator.migrateToLatest()
          : migrator.migrateTo(upTo));
      if (error !== undefined) throw error;
      for (const { migrationName } of results) log.info({ migration: migrationName }, 'migrated');
      return results.length;
    };
    const migrateAll = async (): Promise<void> => {
      while ((await migrateOn()) > 0 && isInUse) end = Date.now() + inTheWay.retriedForMs;
    };
    await retry(migrateAll, {
      waits: inTheWay.waits,
      shouldRetry: (error) => inTheWay.codes.includes(codeOf(error)) && Date.now() < end,
      sleep,
      failed: () => log.warn({}, 'a migration has to wait for other processes; trying again'),
    });
    if (newer.length > 0) {
      log.warn(
        { migration: newer.join(', ') },
        'a newer release has migrated the database; this one keeps working with it',
      );
    }
  } finally {
    await close();
  }
}

/** Reads a migration. It gives up soon if it has to wait for a table. */
function migrationIn(name: string): Migration {
  return {
    async up(db) {
      await sql`set local lock_timeout = ${sql.lit(inTheWay.lockMs)}`.execute(db);
      // Without parameters, Postgres takes all statements at once.
      await sql.raw(await readFile(new URL(`${name}.sql`, folder), 'utf8')).execute(db);
    },
  };
}

/** Whether the tables are exactly those of this release. */
async function isUpToDate(pool: pg.Pool): Promise<boolean> {
  const names = await namesMade(pool);
  return names.length === migrations.length && names.every((name) => migrations.includes(name));
}

/** Whether all migrations of this release have run. Throws an `EndError` if a newer release did more than add. */
export async function isMigrated(pool: pg.Pool): Promise<boolean> {
  const names = await namesMade(pool);
  refuseBreaking(namesOfNewer(names));
  return migrations.every((name) => names.includes(name));
}

/** Returns the migrations that a newer release has run, in order. */
export async function newerMigrations(pool: pg.Pool): Promise<string[]> {
  return namesOfNewer(await namesMade(pool));
}

/** Returns the migrations that have run; none if there are no tables. */
async function namesMade(pool: pg.Pool): Promise<string[]> {
  const { rows: tables } = await pool.query(`select where to_regclass('plancast.migrations') is not null`);
  if (tables.length === 0) return [];
  const { rows } = await pool.query<{ name: string }>('select name from plancast.migrations');
  return rows.map(({ name }) => name);
}

function namesOfNewer(made: readonly string[]): string[] {
  return made.filter((name) => !migrations.includes(name)).toSorted();
}

/**
 * Makes sure that no process of an older release works with the tables that are about to change, and writes a backup of them. Processes that
 * start at the same time and wait for the migration do not count: they have none of the connections of one that works, of which each keeps one
 * open (to accept, or to listen). The first releases named a connection only `plancast`.
 */
async function prepareToBreak(pool: pg.Pool, log: Log, backupIn: string | undefined): Promise<void> {
  const made = await namesMade(pool);
  const breaking = migrations.filter((name) => isBreaking(name) && !made.includes(name));
  if (breaking.length === 0) return;
  const { rows } = await pool.query<{ name: string; address: string | null; pid: number }>(
    `select application_name as name, host(client_addr) as address, pid from pg_stat_activity
     where datname = current_database() and (application_name = 'plancast' or application_name ~ $1) order by pid`,
    ['^plancast (accepting|chores|lanes|listening)'],
  );
  const others = new Set(
    rows.map(({ name, address, pid }) => whoIs(name) ?? `${address ?? 'this host'}, connection ${pid}`),
  );
  if (others.size > 0)
    throw new EndError(
      `The tables change so that older releases cannot use them, and the bot still runs: ${[...others].join('; ')}. Stop it, then try again.`,
      exitCodes.tryAgain,
    );
  if (backupIn === undefined) return;
  const [migration = ''] = breaking;
  // Loaded here, since hardly any start needs it.
  const { writeBackup } = await import('./backup-file.ts');
  await mkdir(backupIn, { recursive: true });
  try {
    await writeBackup({ pool, file: backupBefore(migration, backupIn) });
  } catch (error) {
    // A start before this one wrote it, and came no further.
    if (codeOf(error) !== 'EEXIST') throw error;
  }
  log.info(
    { migration },
    'wrote a backup into DATA_DIR before this migration, which older releases cannot use',
  );
}

/** Returns the file with the backup that is written before a migration breaks with older releases. */
export function backupBefore(migration: string, folder: string): string {
  return join(folder, `before-${migration}.backup`);
}

/** Returns the host and process of a connection's name (see `connectionName`); older releases did not name them. */
function whoIs(name: string): string | null {
  const [, host, pid] = / ([^ ]+)\/(\d+)$/.exec(name) ?? [];
  return host === undefined ? null : `host ${host}, process ${pid}`;
}

function isBreaking(name: string): boolean {
  return name.endsWith('-breaking');
}

function refuseBreaking(newer: readonly string[]): void {
  const breaking = newer.filter(isBreaking);
  if (breaking.length === 0) return;
  const what = 'A newer release has changed the database so that this one cannot use it';
  throw new EndError(`${what} (${breaking.join(', ')}): run the newer release.`, exitCodes.config);
}
