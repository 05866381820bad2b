import { dayMs, earlier, hourMs, minuteMs } from '../../lib/durations.ts';
import { atLocal, clockIn, knownZone, midnightOf } from './local-time.ts';
import type { RecapRequest } from './request.ts';
import { type Delivery, daysOfWeek } from './subscription.ts';

/**
 * Returns the most recent time, at or before `now`, at which a digest was due; null for live delivery. Daily and weekly times are local in the
 * delivery's zone, at most once a calendar day. Where clocks spring forward over one, it is later by that shift; where they fall back, the second.
 */
export function lastDigestHour(delivery: Delivery, now: Date): Date | null {
  switch (delivery.when) {
    case 'live':
      return null;
    case 'hourly':
      return new Date(Math.floor(now.getTime() / hourMs) * hourMs);
    case 'daily':
    case 'weekly': {
      const clock = clockIn(knownZone(delivery.zone));
      for (let back = 0; back < daysLookedBack; back += 1) {
        const midnight = midnightOf(now, -back, clock);
        const at = atLocal(delivery.at, midnight, clock);
        if (at <= now && isOn(delivery, midnight)) return at;
      }
      return null;
    }
  }
}

/** Returns the start of the period that the digest due by `now` covers: the previous digest, or when the subscription was made. Null for live. */
export function digestSince(delivery: Delivery, madeAt: Date, now: Date): Date | null {
  const due = lastDigestHour(delivery, now);
  const before = due && lastDigestHour(delivery, new Date(due.getTime() - 1));
  return before && madeAt > before ? madeAt : before;
}

/** Today, and enough days before it to find the same day of the last week. */
const daysLookedBack = 8;

/** Returns whether a digest comes on a day. `midnight`: the start of the day, written as if it were UTC. */
function isOn(delivery: Exclude<Delivery, { when: 'live' | 'hourly' }>, midnight: number): boolean {
  const day = daysOfWeek[new Date(midnight).getUTCDay()];
  if (delivery.when === 'weekly') return day === delivery.day;
  return !(delivery.weekdays && (day === 'saturday' || day === 'sunday'));
}

/** How many days a recap reaches back at most: as long as names of what changed are kept. */
export const recapDays = 7;

/** Returns the time from which changes are listed, by the days of a zone, yesterday at 0:00 by default. `days`: for how long names are kept. */
export function recapSince(since: RecapRequest['since'], zone: string, now: Date, days: number): Date {
  const from = startOf(since ?? 'yesterday', zone, now);
  const earliest = earlier(now, days * dayMs);
  return from < earliest ? earliest : from;
}

function startOf(since: NonNullable<RecapRequest['since']>, zone: string, now: Date): Date {
  if (since === 'today') return midnight(zone, now, 0);
  if (since === 'yesterday') return midnight(zone, now, 1);
  if (typeof since === 'string')
    return lastDigestHour({ when: 'weekly', day: since, at: '00:00', zone }, now) ?? now;
  return 'days' in since ? midnight(zone, now, since.days) : earlier(now, since.minutes * minuteMs);
}

/** Returns the start of the day in a zone, so many days ago. */
export function midnight(zone: string, now: Date, daysAgo: number): Date {
  const start = lastDigestHour({ when: 'daily', at: '00:00', zone }, now) ?? now;
  return daysAgo === 0 ? start : midnight(zone, earlier(start, 1), daysAgo - 1);
}
