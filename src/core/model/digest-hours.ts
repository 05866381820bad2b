import { dayMs, hourMs, minuteMs } from '../../lib/durations.ts';
import type { Delivery } from './subscription.ts';
import { knownZone } from './time-zone.ts';

/**
 * The last moment, at or before `now`, at which a digest is due; null for what is posted as it happens. A day's time is that of the
 * clock in its zone, once each day of the calendar there: where the clocks go forward over it, the digest comes as much later as they
 * went, and where they go back over it, the second time that it is this time. A zone that is not known here is taken as UTC.
 */
export function lastDigestHour(delivery: Delivery, now: Date): Date | null {
  switch (delivery.when) {
    case 'live':
      return null;
    case 'hourly':
      return new Date(Math.floor(now.getTime() / hourMs) * hourMs);
    case 'daily': {
      const clock = clockIn(knownZone(delivery.zone));
      const { year, month, day } = clock(now.getTime());
      // Days by the calendar: one may be longer or shorter than 24 hours. On a Monday morning the last weekday was three days ago.
      for (let back = 0; back < daysLookedBack; back += 1) {
        const midnight = Date.UTC(year, month - 1, day - back);
        const at = atLocal(delivery.at, midnight, clock);
        if (at <= now && !(delivery.weekdays && isWeekend(midnight))) return at;
      }
      return null;
    }
  }
}

/**
 * Since when the digest counts that is due at or before `now`: since the one before it, or since its subscription was made. Null for
 * what is posted as it happens.
 */
export function digestSince(delivery: Delivery, madeAt: Date, now: Date): Date | null {
  const due = lastDigestHour(delivery, now);
  const before = due && lastDigestHour(delivery, new Date(due.getTime() - 1));
  return before && madeAt > before ? madeAt : before;
}

/** Today, and as many days as it takes to get over a weekend. */
const daysLookedBack = 5;

/** `midnight`: of the day, as if it were in UTC. */
function isWeekend(midnight: number): boolean {
  const weekday = new Date(midnight).getUTCDay();
  return weekday === 0 || weekday === 6;
}

/** The moment at which it is `at` by a clock on a day, which is given by its midnight as if it were in UTC. */
function atLocal(at: string, midnight: number, clock: LocalClock): Date {
  const [hour = 0, minute = 0] = at.split(':').map(Number);
  const asIfUtc = midnight + hour * hourMs + minute * minuteMs;
  // Clocks change at most once within these two days, so the offset is one of two; around a change both, or neither, may fit.
  const moments = [asIfUtc - dayMs, asIfUtc + dayMs].map((moment) => asIfUtc - offsetAt(moment, clock));
  const fitting = moments.filter((moment) => moment + offsetAt(moment, clock) === asIfUtc);
  return new Date(Math.max(...(fitting.length > 0 ? fitting : moments)));
}

function offsetAt(moment: number, clock: LocalClock): number {
  const { year, month, day, hour, minute, second } = clock(moment);
  return Date.UTC(year, month - 1, day, hour, minute, second) - Math.floor(moment / 1_000) * 1_000;
}

/** What a clock and a calendar in a zone show at a moment. */
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
