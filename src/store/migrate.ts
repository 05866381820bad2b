import { type Migration, Migrator } from 'kysely/migration';
import type pg from 'pg';
import { type Connection, connect } from './database.ts';
import type { Log } from './log.ts';
import { start } from './migrations/0001-start.ts';
import { records } from './migrations/0002-records.ts';
import { upkeep } from './migrations/0003-upkeep.ts';
import { frozenLinks } from './migrations/0004-frozen-links.ts';
import { requests } from './migrations/0005-requests.ts';
import { cards } from './migrations/0006-cards.ts';
import { laneQueue } from './migrations/0012-lane-queue.ts';

/** Every change to the tables, in order. Only ever appended to. */
const migrations: Readonly<Record<string, Migration>> = {
  '0001-start': start,
  '0002-records': records,
  '0003-upkeep': upkeep,
  '0004-frozen-links': frozenLinks,
  '0005-requests': requests,
  '0006-cards': cards,
  '0012-lane-queue': laneQueue,
};

/**
 * Brings the schema `plancast` up to date. Of several processes starting at once one does it while the others wait for Kysely's
 * advisory lock. All of it is one transaction: a process killed in the middle leaves what was there before.
 */
export async function migrate({
  connection,
  log,
}: {
  readonly connection: Connection;
  readonly log: Log;
}): Promise<void> {
  const { db, close } = connect({
    connection,
    log,
    max: 2,
    applicationName: 'plancast migrate',
    patient: true,
  });
  try {
    const migrator = new Migrator({
      db,
      provider: { getMigrations: async () => migrations },
      migrationTableSchema: 'plancast',
      migrationTableName: 'migrations',
      migrationLockTableName: 'migrations_lock',
    });
    const { error, results } = await migrator.migrateToLatest();
    if (error !== undefined) throw error;
    for (const { migrationName } of results ?? []) log.info({ migration: migrationName }, 'migrated');
  } finally {
    await close();
  }
}

/** Whether every change that this release knows was made. Those of a later release do not matter. */
export async function isMigrated(pool: pg.Pool): Promise<boolean> {
  const { rows } = await pool.query<{ there: boolean }>(
    `select to_regclass('plancast.migrations') is not null as there`,
  );
  if (!rows[0]?.there) return false;
  const made = await pool.query<{ name: string }>('select name from plancast.migrations');
  const names = new Set(made.rows.map(({ name }) => name));
  return Object.keys(migrations).every((name) => names.has(name));
}
