import { minuteMs } from '../../lib/durations.ts';
import type { Log } from '../../lib/log.ts';
import type { Records } from '../../lib/records.ts';
import type { Clock } from '../model/clock.ts';
import type { Outage } from '../model/outage.ts';

export type OutagesDeps = {
  /** The last sign of life of any process, in milliseconds since the epoch. */
  readonly signs: Pick<Records<number>, 'get' | 'set'>;
  /** The last outage, its ends in milliseconds since the epoch. */
  readonly outages: Pick<Records<{ readonly from: number; readonly to: number }>, 'get' | 'set'>;
  readonly clock: Clock;
  /** Milliseconds of a clock that never jumps. */
  readonly monotonic: () => number;
  readonly log: Pick<Log, 'warn'>;
};

export type Outages = {
  /** The last outage, as far as this process knows. */
  readonly last: () => Outage | null;
  /** Shows a sign of life, and notes an outage where there was none for too long. Once before anything is posted, then each minute. */
  readonly beat: () => Promise<void>;
};

/** Without a sign of life for so long, Plancast was down. */
const downAfterMs = 5 * minuteMs;
/** The one record of each kind: of all processes and workspaces. */
const key = 'last';

/**
 * Keeps the bot's signs of life in the database, for all processes: what waited while none was running is posted in a summary that says
 * so. A process that runs but does not reach the database accepts and posts nothing, so that counts as down too.
 */
export function makeOutages({ signs, outages, clock, monotonic, log }: OutagesDeps): Outages {
  let known: Outage | null = null;
  let beatenAt: number | null = null;

  async function beat(): Promise<void> {
    const now = clock.now().getTime();
    const last = await signs.get(key);
    // A running process knows by a clock that never jumps whether it was silent itself.
    const wasSilent = beatenAt === null || monotonic() - beatenAt >= downAfterMs;
    if (wasSilent && last !== undefined && now - last >= downAfterMs) {
      await outages.set(key, { from: last, to: now });
    }
    await signs.set(key, now);
    beatenAt = monotonic();
    const noted = await outages.get(key);
    known = noted === undefined ? null : { from: new Date(noted.from), to: new Date(noted.to) };
  }

  return {
    last: () => known,
    beat: () =>
      beat().catch((error: unknown) => log.warn({ err: error }, 'a sign of life could not be stored')),
  };
}
