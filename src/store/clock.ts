import { setInterval } from 'node:timers';
import type pg from 'pg';
import { codeOf } from '../lib/error-code.ts';
import type { Log } from '../lib/log.ts';

type ClockOptions = {
  readonly pool: pg.Pool;
  readonly log: Log;
  /** This machine's monotonic time in milliseconds: `performance.now`. */
  readonly monotonic: () => number;
  /** How often to measure the difference, in milliseconds; 30,000 by default. */
  readonly everyMs?: number | undefined;
};

/** Starts a clock that shows the database's time, the same in all processes. Setting a machine's wall clock makes nothing expire. */
export async function startDatabaseClock({ pool, log, monotonic, everyMs = 30_000 }: ClockOptions) {
  let offset = 0;
  /** Measures now; throws what `pg` throws if the database does not answer. */
  const refresh = async (): Promise<void> => {
    offset = await measure(pool, monotonic);
  };
  await refresh();
  const timer = setInterval(() => {
    refresh().catch((error: unknown) =>
      log.warn(
        { code: codeOf(error) },
        'the time of the database could not be read; keeping the last difference',
      ),
    );
  }, everyMs);
  timer.unref();
  return { now: () => new Date(monotonic() + offset), refresh, stop: () => clearInterval(timer) };
}

/** An answer faster than this, in milliseconds, is precise enough. */
const fastMs = 20;

/** Returns what to add to `monotonic` to get the database's time, from the first fast answer, or else the fastest of three. */
async function measure(pool: pg.Pool, monotonic: () => number): Promise<number> {
  let best = { took: Number.POSITIVE_INFINITY, offset: 0 };
  for (let round = 0; round < 3; round++) {
    const asked = monotonic();
    const { rows } = await pool.query<{ now: string }>(
      'select extract(epoch from clock_timestamp()) * 1000 as now',
    );
    const answered = monotonic();
    const took = answered - asked;
    if (took < best.took) best = { took, offset: Number(rows[0]?.now) - (asked + answered) / 2 };
    if (took < fastMs) break;
  }
  return best.offset;
}
