import type Keyv from 'keyv';
import { z } from 'zod';
import { type Clock, dayMs, minuteMs } from '../../lib/durations.ts';
import type { Log } from '../../lib/log.ts';
import { makeRecords } from './keyv-records.ts';

type RequestTimesDeps = { readonly keyv: Keyv; readonly clock: Clock; readonly log: Pick<Log, 'warn'> };

/** Records when requests of some kind last arrived, for the doctor: in milliseconds since the epoch, for a week. */
export function makeRequestTimes({ keyv, clock, log }: RequestTimesDeps) {
  const times = makeRecords({ keyv, namespace: 'seen-signatures', ttlMs: 7 * dayMs, schema: z.number() });
  const noted = new Map<string, number>();
  return {
    get: times.get,
    /** Stores that one arrived now, and returns whether it did: at most once a minute, so that a flood costs nothing. */
    note(key: string): boolean {
      const at = clock.now().getTime();
      if (at - (noted.get(key) ?? 0) < minuteMs) return false;
      noted.set(key, at);
      times
        .set(key, at)
        .catch((error: unknown) => log.warn({ err: error }, 'the time of a request could not be stored'));
      return true;
    },
  };
}

/** Returns the key for notifications refused under a setting of SERVICE_SIGNATURE: once it is corrected, they no longer count. */
export function refusedNotifications(setting: object): string {
  return `refused notification ${JSON.stringify(setting)}`;
}
