import { atLocal, clockIn, midnightOf } from './local-time.ts';
import type { EventType } from './subscription.ts';
import { knownZone } from './time-zone.ts';

/** When a conversation is quiet every day: from one local time to another, the next day if that is not later. Times are `HH:MM`. */
export type QuietHours = {
  readonly from: string;
  readonly to: string;
  /** IANA name, of the person who set them. */
  readonly zone: string;
  /** All of Saturday and Sunday, too. */
  readonly weekends?: true | undefined;
  /** Event types that are posted all the same. */
  readonly except?: readonly EventType[] | undefined;
};

/** The state of a lane that decides whether it is silent. */
type Silence = {
  readonly mutedUntil: Date | null;
  readonly quietFrom: Date | null;
  readonly quietUntil: Date | null;
};

/** Returns until when a lane's quiet hours last; null if none are now. */
export function quietNow({ quietFrom, quietUntil }: Omit<Silence, 'mutedUntil'>, now: Date): Date | null {
  return quietFrom !== null && quietFrom <= now && quietUntil !== null && quietUntil > now
    ? quietUntil
    : null;
}

/** Returns until when a lane is silent, because it is muted or of quiet hours; null if it is not. */
export function silentUntil(lane: Silence, now: Date): Date | null {
  const muted = lane.mutedUntil !== null && lane.mutedUntil > now ? lane.mutedUntil : null;
  const quiet = quietNow(lane, now);
  return muted && quiet ? later(muted, quiet) : (muted ?? quiet);
}

/** One stretch of them, or of several that meet. */
export type QuietPeriod = { readonly from: Date; readonly until: Date };

/** The stretch of a whole weekend may have begun on Friday, and the next weekend is at most a week away. */
const days = { before: 3, after: 8 };
const saturday = 6;

/** Returns the stretch in which `at` is, or else the next one. Local clocks count, so a night in which they change is shorter or longer. */
export function quietPeriod({ from, to, zone, weekends }: QuietHours, at: Date): QuietPeriod {
  const clock = clockIn(knownZone(zone));
  const stretches: QuietPeriod[] = [];
  for (let ahead = -days.before; ahead <= days.after; ahead += 1) {
    const there = (time: string, later = 0) => atLocal(time, midnightOf(at, ahead + later, clock), clock);
    if (weekends && new Date(midnightOf(at, ahead, clock)).getUTCDay() === saturday)
      stretches.push({ from: there('00:00'), until: there('00:00', 2) });
    stretches.push({ from: there(from), until: there(to, to > from ? 0 : 1) });
  }
  const inOrder = stretches.toSorted((one, other) => one.from.getTime() - other.from.getTime());
  return inOrder.reduce((current, next) => {
    if (next.from <= current.until) return { from: current.from, until: later(current.until, next.until) };
    return current.until > at ? current : next;
  });
}

function later(one: Date, other: Date): Date {
  return one > other ? one : other;
}
