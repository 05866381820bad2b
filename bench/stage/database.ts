import pg from 'pg';
import type { Target } from '../load/notification.ts';
import type { Postgres } from './postgres.ts';
import { seed } from './seed.ts';
import type { Undo } from './undo.ts';

/** A database with all tables and with subscriptions to send to. */
export type BenchDatabase = {
  readonly url: string;
  /** For the benchmark's own queries. */
  readonly pool: pg.Pool;
  readonly targets: readonly Target[];
};

/** Creates a database; `undo` drops it. */
export async function openDatabase(
  postgres: Postgres,
  { name, channels }: { readonly name: string; readonly channels?: number | undefined },
  undo: Undo,
): Promise<BenchDatabase> {
  const { url, drop } = await postgres.create(name);
  undo.add(drop);
  const targets = await seed(url, channels);
  const pool = new pg.Pool({ connectionString: url, max: 3, application_name: 'bench' });
  // The server may end before this pool does, which does not affect the figures.
  pool.on('error', () => undefined);
  undo.add(() => pool.end());
  return { url, pool, targets };
}

/** Returns how many notifications are waiting to be posted. */
export async function pendingIn({ pool }: BenchDatabase): Promise<number> {
  const { rows } = await pool.query<{ count: string }>(
    `select count(*) as count from plancast.events where state = 'pending'`,
  );
  return Number(rows[0]?.count);
}

/** Removes pending events, so that the next bot starts without them. No bot may be running. */
export async function settleAll({ pool }: BenchDatabase): Promise<void> {
  await pool.query(`update plancast.events set state = 'filtered', reason = 'ended' where state = 'pending'`);
}
