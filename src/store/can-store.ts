import type pg from 'pg';
import { codeOf } from '../lib/error-code.ts';
import type { Log } from '../lib/log.ts';
import { makeRemember } from '../lib/records.ts';

/** For how long an answer holds, in milliseconds. */
const holdsMs = 5_000;

/** Postgres: another process is at it, or a backup reads the table. */
const lockTaken = '55P03';

/** Makes a function that returns whether anything can be stored. It asks the database only if its last answer no longer holds. */
export function makeCanStore(pool: Pick<pg.Pool, 'query'>, log: Pick<Log, 'error'>): () => Promise<boolean> {
  const remember = makeRemember<boolean>({ forMs: holdsMs, most: 1, now: () => performance.now() });
  const ask = (): Promise<boolean> =>
    tryToStore(pool, 'commit').then(
      () => true,
      (error: unknown) => {
        log.error({ err: error }, 'nothing can be stored');
        return false;
      },
    );
  return () => remember('', ask);
}

/** Stores a row on a page that is new to the disk: on a full one, pages of other tables can take rows. Throws what `pg` throws. */
export async function tryToStore(pool: Pick<pg.Pool, 'query'>, end: 'commit' | 'rollback'): Promise<void> {
  try {
    // Postgres takes statements without parameters at once, as one transaction.
    await pool.query(
      `lock table plancast.probe in access exclusive mode nowait; truncate plancast.probe;
       insert into plancast.probe default values; ${end}`,
    );
  } catch (error) {
    if (codeOf(error) !== lockTaken) throw error;
  }
}
