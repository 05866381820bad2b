import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';

/** A number that no other advisory lock of the database has. */
const lock = 471_100;

export type HeldCommits = {
  /** Resolves once `count` transactions have stopped just before their commit. */
  readonly reached: (count: number) => Promise<void>;
  /** Lets them commit, and stops holding. */
  readonly release: () => Promise<void>;
  /** Terminates them, so that their writes are rolled back, and stops holding. */
  readonly undo: () => Promise<void>;
};

/**
 * Makes transactions that write rows of a table stop just before their commit: a deferred trigger waits for a lock that the test holds.
 * Their writes are not visible to anyone else yet.
 * @param when SQL condition for the rows; all rows by default
 */
export async function holdCommits(
  databaseUrl: string,
  { table, act, when }: { readonly table: string; readonly act: 'insert' | 'update'; readonly when?: string },
): Promise<HeldCommits> {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  await client.query(`
    create or replace function plancast.wait_at_commit() returns trigger language plpgsql set lock_timeout = 0 as $$
    begin
      perform pg_advisory_xact_lock_shared(${lock});
      return null;
    end $$`);
  await client.query(`select pg_advisory_lock(${lock})`);
  await client.query(`
    create constraint trigger wait_at_commit after ${act} on ${table} deferrable initially deferred
    for each row ${when === undefined ? '' : `when (${when})`} execute function plancast.wait_at_commit()`);
  const waiting = async (): Promise<number[]> => {
    const { rows } = await client.query<{ pid: number }>(
      // Of this database alone: other test files hold commits on the same server.
      `select pid from pg_locks join pg_database d on d.oid = database
       where datname = current_database() and locktype = 'advisory' and objid = ${lock} and not granted`,
    );
    return rows.map(({ pid }) => pid);
  };
  const end = async (): Promise<void> => {
    await client.query(`select pg_advisory_unlock(${lock})`);
    await client.query(`drop trigger wait_at_commit on ${table}`);
    await client.end();
  };
  return {
    async reached(count) {
      for (const until = Date.now() + 15_000; Date.now() < until; await sleep(10)) {
        if ((await waiting()).length >= count) return;
      }
      throw new Error(`${count} transactions did not reach their commit`);
    },
    release: end,
    async undo() {
      await client.query('select pg_terminate_backend(pid) from unnest($1::int[]) as held(pid)', [
        await waiting(),
      ]);
      await end();
    },
  };
}
