import { dayMs, earlier, minuteMs } from '../../lib/durations.ts';
import { lastDigestHour } from './digest-hours.ts';
import type { RecapRequest } from './request.ts';

/** How many days a recap reaches back: as long as names of what changed are kept. */
export const recapDays = 7;

/** Returns the time from which changes are listed, by the days of a time zone: yesterday at 0:00 where nothing was said. */
export function recapSince(since: RecapRequest['since'], zone: string, now: Date): Date {
  const from = startOf(since ?? 'yesterday', zone, now);
  const earliest = earlier(now, recapDays * dayMs);
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
