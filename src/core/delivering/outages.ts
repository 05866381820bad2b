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
  /** Milliseconds of a clock that never jumps, and that keeps running while the machine sleeps. */
  readonly uptime: () => number;
  readonly log: Pick<Log, 'warn'>;
};

export type Outages = {
  /** The last outage, as far as this process knows. */
  readonly last: () => Outage | null;
  /** Shows a sign of life, and notes an outage where there was none for too long. Once before anything is posted, then each minute. */
  readonly beat: () => Promise<void>;
  /** The database has answered this process. Where it had not for too long, this settles once the outage is noted. */
  readonly answered: () => Promise<void>;
};

/** Without a sign of life for so long, Plancast was down. */
const downAfterMs = 5 * minuteMs;
/** The one record of each kind: of all processes and workspaces. */
const key = 'last';

/**
 * Keeps the bot's signs of life in the database, for all processes: what waited while none was running is posted in a summary that says
 * so. A process that does not reach the database accepts and posts nothing, nor does one that stands still with its machine: that counts
 * as down too.
 */
export function makeOutages({ signs, outages, clock, uptime, log }: OutagesDeps): Outages {
  let known: Outage | null = null;
  /** The last answer of the database to this process, by both clocks. */
  let seen: { readonly at: number; readonly up: number } | null = null;
  let beating: Promise<void> | null = null;

  /** Whether this process had no answer for too long, up to a time of the clock that never jumps. */
  function isSilence(up: number): boolean {
    return seen === null || up - seen.up >= downAfterMs;
  }

  async function showLife(): Promise<void> {
    const last = await signs.get(key);
    const up = uptime();
    // The clock itself is behind for a moment after the machine slept.
    const now = Math.max(clock.now().getTime(), seen === null ? 0 : seen.at + up - seen.up);
    const from = last === undefined ? now : Math.max(last, seen?.at ?? 0);
    if (isSilence(up) && now - from >= downAfterMs) await outages.set(key, { from, to: now });
    await signs.set(key, now);
    seen = { at: now, up };
    const noted = await outages.get(key);
    known = noted === undefined ? null : { from: new Date(noted.from), to: new Date(noted.to) };
  }

  function beat(): Promise<void> {
    beating ??= showLife()
      .catch((error: unknown) => log.warn({ err: error }, 'a sign of life could not be stored'))
      .finally(() => {
        beating = null;
      });
    return beating;
  }

  return {
    last: () => known,
    beat,
    async answered() {
      const up = uptime();
      // One that began while the database was away may still fail.
      for (let tries = 2; tries > 0 && isSilence(up); tries -= 1) await beat();
      if (!isSilence(up)) seen = { at: clock.now().getTime(), up };
    },
  };
}
