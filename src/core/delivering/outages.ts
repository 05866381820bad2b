import { minuteMs } from '../../lib/durations.ts';
import type { Log } from '../../lib/log.ts';
import type { Records } from '../../lib/records.ts';
import type { Clock } from '../model/clock.ts';
import type { Outage } from '../model/outage.ts';

type OutagesDeps = {
  /** The last heartbeat of any process, in milliseconds since the epoch. */
  readonly signs: Pick<Records<number>, 'get' | 'set'>;
  /** The last outage, with its start and end in milliseconds since the epoch. */
  readonly outages: Pick<Records<{ readonly from: number; readonly to: number }>, 'get' | 'set'>;
  readonly clock: Clock;
  /** Milliseconds of a monotonic clock that keeps running while the machine sleeps. */
  readonly uptime: () => number;
  readonly log: Pick<Log, 'warn'>;
};

type Outages = {
  /** Returns the last outage that this process knows of. */
  readonly last: () => Outage | null;
  /** Stores a heartbeat, and an outage if there was none for too long. Called once before anything is posted, then every minute. */
  readonly beat: () => Promise<void>;
  /** Called when the database has answered this process. After a long silence, it settles once the outage is stored. */
  readonly answered: () => Promise<void>;
};

/** After this many milliseconds without a heartbeat, Plancast counts as down. */
const downAfterMs = 5 * minuteMs;
/** The key of the only record of each kind, shared by all processes and workspaces. */
const key = 'last';

/**
 * Keeps the bot's heartbeat in the database, for all processes: events that waited while none was running are posted in a summary that
 * says so. A process that cannot reach the database accepts and posts nothing, and neither does one on a sleeping machine. Both count as
 * down.
 */
export function makeOutages({ signs, outages, clock, uptime, log }: OutagesDeps): Outages {
  let known: Outage | null = null;
  /** When the database last answered this process, by both clocks. */
  let seen: { readonly at: number; readonly up: number } | null = null;
  let beating: Promise<void> | null = null;

  /** Returns whether this process has had no answer for too long. `up`: a time of the monotonic clock. */
  function isSilence(up: number): boolean {
    return seen === null || up - seen.up >= downAfterMs;
  }

  async function storeHeartbeat(): Promise<void> {
    const last = await signs.get(key);
    const up = uptime();
    // After the machine slept, the wall clock is behind for a moment.
    const now = Math.max(clock.now().getTime(), seen === null ? 0 : seen.at + up - seen.up);
    const from = last === undefined ? now : Math.max(last, seen?.at ?? 0);
    if (isSilence(up) && now - from >= downAfterMs) await outages.set(key, { from, to: now });
    await signs.set(key, now);
    seen = { at: now, up };
    const noted = await outages.get(key);
    known = noted === undefined ? null : { from: new Date(noted.from), to: new Date(noted.to) };
  }

  function beat(): Promise<void> {
    beating ??= storeHeartbeat()
      .catch((error: unknown) => log.warn({ err: error }, 'could not store the heartbeat'))
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
      // A heartbeat that began while the database was unavailable may still fail.
      for (let tries = 2; tries > 0 && isSilence(up); tries -= 1) await beat();
      if (!isSilence(up)) seen = { at: clock.now().getTime(), up };
    },
  };
}
