import type { Delivery } from './subscription.ts';

/**
 * The last moment, at or before `now`, at which a digest is due; null for what is posted as it happens. A day's time is that of the
 * clock in its zone: where the clocks go forward over it, the digest comes as much later as they went.
 */
export function lastDigestHour(delivery: Delivery, now: Date): Date | null {
  switch (delivery.when) {
    case 'live':
      return null;
    case 'hourly':
      return new Date(Math.floor(now.getTime() / hourMs) * hourMs);
    case 'daily': {
      const today = atLocal(delivery, now);
      return today <= now ? today : atLocal(delivery, new Date(now.getTime() - dayMs));
    }
  }
}

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;

/** The moment at which it is `at` in the zone, on the day that it is there at `now`. */
function atLocal({ at, zone }: Extract<Delivery, { when: 'daily' }>, now: Date): Date {
  const local = localParts(now, zone);
  const [hour = 0, minute = 0] = at.split(':').map(Number);
  const asIfUtc = Date.UTC(local.year, local.month - 1, local.day, hour, minute);
  // The offset at that moment is not known before the moment is; the one found there decides.
  const near = asIfUtc - offsetAt(new Date(asIfUtc), zone);
  return new Date(asIfUtc - offsetAt(new Date(near), zone));
}

function offsetAt(moment: Date, zone: string): number {
  const { year, month, day, hour, minute, second } = localParts(moment, zone);
  return Date.UTC(year, month - 1, day, hour, minute, second) - Math.floor(moment.getTime() / 1_000) * 1_000;
}

function localParts(moment: Date, zone: string) {
  const parts = new Intl.DateTimeFormat('en', {
    timeZone: zone,
    hourCycle: 'h23',
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
    hour: 'numeric',
    minute: 'numeric',
    second: 'numeric',
  }).formatToParts(moment);
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
}
