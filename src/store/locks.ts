import { type Kysely, sql, type Transaction } from 'kysely';
import { codeOf } from '../lib/error-code.ts';
import { databaseLimits } from './database.ts';
import type { Database } from './schema.ts';

/**
 * Postgres: the lock was not to be had in `lock_timeout`, or the statement took too long. A row that many wait for is two locks, one
 * behind the other, each with a `lock_timeout` of its own; together they can reach the statement's.
 */
const attemptExpired = new Set(['55P03', '57014']);

/** Waiting for a lock ends before the pool declares the connection dead, so that it is an error and not a lost connection. */
const lockWaitMs = databaseLimits.answer - 1_000;

/** How often the lock is tried: its holder may be waiting for Slack. */
const mostTurns = 4;

/** Locks by name, over all processes. Each is held by a transaction, so it goes with the connection of a process that dies. */
export function makeLocks({ db }: { readonly db: Kysely<Database> }) {
  return {
    /**
     * Runs `work` while no other process runs work of the same name, for as long as a connection may idle in a transaction.
     * Throws `LockBusyError` where others held the lock all the while.
     */
    async hold<T>(name: string, work: () => Promise<T>): Promise<T> {
      for (let turn = 1; turn <= mostTurns; turn++) {
        let locked = false;
        try {
          return await db.transaction().execute(async (trx) => {
            await waitLongerForLocks(trx);
            await sql`select pg_advisory_xact_lock(hashtextextended(${name}, 0))`.execute(trx);
            locked = true;
            return work();
          });
        } catch (error) {
          if (locked || !isLockTimeout(error)) throw error;
        }
      }
      throw new LockBusyError();
    },
  };
}

/** Others held a lock for longer than is waited for one. */
class LockBusyError extends Error {
  override readonly name = 'LockBusyError';
  constructor() {
    super('A lock was held elsewhere for too long.');
  }
}

/** Whether waiting for a lock ended without it. */
export function isLockTimeout(error: unknown): boolean {
  return attemptExpired.has(codeOf(error));
}

/** The holder of the lock may be waiting for an answer from outside, which takes longer than the pool's limit for locks. */
export async function waitLongerForLocks(trx: Transaction<Database>): Promise<void> {
  await sql`
    select set_config('lock_timeout', ${`${lockWaitMs}ms`}, true),
      set_config('statement_timeout', ${`${lockWaitMs + 500}ms`}, true),
      set_config('idle_in_transaction_session_timeout', ${`${databaseLimits.idleInTransaction}ms`}, true)`.execute(
    trx,
  );
}
