import { dayMs, hourMs, minuteMs } from '../../lib/durations.ts';

/** Returns the start of the day so many days after that of a moment, written as if it were UTC. Local days can be longer or shorter than 24 hours. */
export function midnightOf(moment: Date, days: number, clock: LocalClock): number {
  const { year, month, day } = clock(moment.getTime());
  return Date.UTC(year, month - 1, day + days);
}

/**
 * Returns the moment at which local clocks show `at` (`HH:MM`) on a day. `midnight` is the start of that day, written as if it were UTC. Where clocks
 * spring forward over it, it is later by that shift; where they fall back over it, the second time counts.
 */
export function atLocal(at: string, midnight: number, clock: LocalClock): Date {
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

/** Returns the clock of a zone, an IANA name. */
export function clockIn(zone: string): LocalClock {
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
    const parts = format.formatToParts(moment).map(({ type, value }) => [type, Number(value)]);
    return Object.fromEntries(parts) as ReturnType<LocalClock>;
  };
}

/** Returns whether this Node knows the zone. */
export function isZone(zone: string): boolean {
  return zone !== '' && knownZone(zone) === zone;
}

/** Returns a zone that this Node knows in the letter case of its name; some have several names, of which Node writes one. */
export function inZoneCase(zone: string): string {
  const { timeZone } = new Intl.DateTimeFormat('en', { timeZone: zone }).resolvedOptions();
  return timeZone.toLowerCase() === zone.toLowerCase() ? timeZone : zone;
}

/** Returns the zone, or `Etc/UTC` if this Node does not know it: an unusable zone must not stop whatever needs a clock. */
export function knownZone(zone: string | null | undefined): string {
  if (!zone) return 'Etc/UTC';
  try {
    new Intl.DateTimeFormat('en', { timeZone: zone });
    return zone;
  } catch {
    return 'Etc/UTC';
  }
}
