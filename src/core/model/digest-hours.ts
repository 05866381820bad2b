import { dayMs, hourMs, minuteMs } from '../../lib/durations.ts';
import { type Delivery, daysOfWeek } from './subscription.ts';
import { knownZone } from './time-zone.ts';

/**
 * Returns the most recent time, at or before `now`, at which a digest was due; null for live delivery. A daily or weekly time is local
 * time in the delivery's zone, at most once each calendar day. Where clocks spring forward over it, the digest is later by that shift; where they fall back
 * over it, it comes at the second occurrence. An unknown zone is treated as UTC.
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
      const { year, month, day } = clock(now.getTime());
      // Counts calendar days, which can be longer or shorter than 24 hours.
      for (let back = 0; back < daysLookedBack; back += 1) {
        const midnight = Date.UTC(year, month - 1, day - back);
        const at = atLocal(delivery.at, midnight, clock);
        if (at <= now && isOn(delivery, midnight)) return at;
      }
      return null;
    }
  }
}

/**
 * Returns the start of the period that the digest due at or before `now` covers: the previous digest, or when the subscription was made
 * if that is later. Null for live delivery.
 */
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

/** Returns the moment at which local clocks show `at` on a day. `midnight` is the start of that day, written as if it were UTC. */
function atLocal(at: string, midnight: number, clock: LocalClock): Date {
  const [hour = 0, minute = 0] = at.split(':').map(Number);
  const asIfUtc = midnight + hour * hourMs + minute * minuteMs;
  // Clocks change at most once within these two days, so the offset is one of two. Around a change, both or neither may fit.
  const moments = [asIfUtc - dayMs, asIfUtc + dayMs].map((moment) => asIfUtc - offsetAt(moment, clock));
  const fitting = moments.filter((moment) => moment + offsetAt(moment, clock) === asIfUtc);
  return new Date(Math.max(...(fitting.length > 0 ? fitting : moments)));
}

function offsetAt(moment: number, clock: LocalClock): number {
  const { year, month, day, hour, minute, second } = clock(moment);
  return Date.UTC(year, month - 1, day, hour, minute, second) - Math.floor(moment / 1_000) * 1_000;
}

/** The date and time that a zone's clock and calendar show at a moment. */
type LocalClock = (
  moment: number,
) => Readonly<Record<'year' | 'month' | 'day' | 'hour' | 'minute' | 'second', number>>;

function clockIn(zone: string): LocalClock {
  const format = new Intl.DateTimeFormat('en', {
    timeZone: zone,
    hourCycle: 'h23',
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
    hour: 'numeric',
    minute: 'numeric',
    second: 'numeric',
  });
  return (moment) => {
    const parts = format.formatToParts(moment);
    const value = (type: Intl.DateTimeFormatPartTypes) =>
      Number(parts.find((part) => part.type === type)?.value);
    return {
      year: value('year'),
      month: value('month'),
      day: value('day'),
      hour: value('hour'),
      minute: value('minute'),
      second: value('second'),
    };
  };
}
