import { codeOf } from '../lib/error-code.ts';
import { databaseLimits } from './database.ts';
import { cell, type Db, run, sql } from './sql.ts';

/** Postgres: a lock took too long, or the statement did: a contended row takes two locks, each with its own `lock_timeout`. */
const attemptExpired = new Set(['55P03', '57014']);

/** In milliseconds: ends before the pool declares the connection dead, so that it is an error and not a lost connection. */
const lockWaitMs = databaseLimits.answer - 1_000;

/** How many times to try for the lock: its holder may be waiting for Slack. */
const mostTurns = 4;

/**
 * Runs `work` while no other process runs work of the same name, for at most as long as a connection may idle in a transaction. The
 * transaction holds the lock, so it ends with the connection of a process that dies. Throws if others held it the whole time.
 */
export async function hold<T>(db: Db, name: string, work: () => Promise<T>): Promise<T> {
  for (let turn = 1; turn <= mostTurns; turn++) {
    let locked = false;
    try {
      return await db.transaction().execute(async (trx) => {
        await waitLongerForLocks(trx);
        await run(trx)`select pg_advisory_xact_lock(hashtextextended(${name}, 0))`;
        locked = true;
        return work();
      });
    } catch (error) {
      if (locked || !isLockTimeout(error)) throw error;
    }
  }
  throw new Error('A lock was held elsewhere for too long.');
}

/** Whether an error means that the wait for a lock timed out. */
export function isLockTimeout(error: unknown): boolean {
  return attemptExpired.has(codeOf(error));
}

/** Raises the timeouts of a transaction: the holder of the lock may be waiting for an answer from outside. */
export const waitLongerForLocks = (trx: Db): Promise<void> =>
  run(trx)`
    select set_config('lock_timeout', ${`${lockWaitMs}ms`}, true),
      set_config('statement_timeout', ${`${lockWaitMs + 500}ms`}, true),
      set_config('idle_in_transaction_session_timeout', ${`${databaseLimits.idleInTransaction}ms`}, true)
  `;

/**
 * Runs `work` unless work of the same name is already running, in this process or another; returns `busy` then. The connection holds the
 * lock and no transaction stays open meanwhile: the work may take minutes, and the lock ends with the connection of a process that dies.
 */
export function whileAlone<T>(db: Db, name: string, work: () => Promise<T>): Promise<T | 'busy'> {
  return db.connection().execute(async (connection) => {
    const lock = sql`hashtextextended(${name}, 0)`;
    if (!(await cell(connection)`select pg_try_advisory_lock(${lock})`)) return 'busy';
    try {
      return await work();
    } finally {
      await run(connection)`select pg_advisory_unlock(${lock})`;
    }
  });
}
