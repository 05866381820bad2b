import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { inject } from 'vitest';
import { type ConnectedDatabase, connect } from '../../src/store/database.ts';
import { inDatabase } from './database-url.ts';
import { someTestFailed } from './failures.ts';
import { silentLog } from './log.ts';

/** A database for one test or file. */
export type TestDatabase = {
  readonly url: string;
  /** Returns a pool with Kysely on it, created at the first call and closed by `drop`. */
  readonly connect: () => ConnectedDatabase;
  /** Drops the database; if a test of the file has failed, keeps it and prints its name instead. */
  readonly drop: () => Promise<void>;
};

/** Makes a database as a copy of the migrated one. `name` helps to find it if it is kept. */
export async function freshDatabase(name = 'unnamed'): Promise<TestDatabase> {
  return make(name, inject('templateDatabase'));
}

/** Lets commits of a database not wait for the disk, for tests that make thousands and never stop the server. */
export async function withoutWaitingForDisk(database: TestDatabase): Promise<TestDatabase> {
  await runAsAdmin(
    inject('adminUrl'),
    `alter database ${new URL(database.url).pathname.slice(1)} set synchronous_commit = off`,
  );
  return database;
}

/** Makes an empty database. */
export async function emptyDatabase(name = 'unnamed'): Promise<TestDatabase> {
  return make(name, 'template0');
}

async function make(name: string, template: string): Promise<TestDatabase> {
  const adminUrl = inject('adminUrl');
  const database = `test_${name.replaceAll(/\W/g, '_').toLowerCase().slice(0, 40)}_${randomBytes(4).toString('hex')}`;
  await runAsAdmin(adminUrl, `create database ${database} template ${template}`);
  const url = inDatabase(adminUrl, database);
  let connected: ConnectedDatabase | undefined;
  return {
    url,
    connect: () => {
      connected ??= connect({ connection: { connectionString: url }, log: silentLog });
      return connected;
    },
    drop: async () => {
      // A failed test may have left a connection checked out, for which the pool would wait forever.
      await Promise.race([connected?.close(), sleep(1_000, undefined, { ref: false })]);
      connected = undefined;
      if (someTestFailed()) {
        process.stderr.write(`A test has failed; its database is kept: ${database}\n`);
        return;
      }
      await runAsAdmin(adminUrl, `drop database if exists ${database} with (force)`);
    },
  };
}

async function runAsAdmin(adminUrl: string, statement: string): Promise<void> {
  const client = new pg.Client({ connectionString: adminUrl });
  await client.connect();
  try {
    await client.query(statement);
  } finally {
    await client.end();
  }
}

/** Returns how many sessions of a pool's database wait for a lock. Those of other test files' databases on the same server do not count. */
export async function sessionsAtLocks(pool: Pick<pg.Pool, 'query'>): Promise<number> {
  const { rowCount } = await pool.query(
    `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
  );
  return rowCount ?? 0;
}
