import { atLocal, clockIn, knownZone, midnightOf } from './local-time.ts';
import type { EventType } from './subscription.ts';

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

/** What people are offered who name no hours. */
export const usualQuiet = { from: '18:00', to: '07:00', weekends: true } as const;

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

/** Returns what keeps a lane silent for longest, a mute or quiet hours, and until when; null if nothing does. */
export function silenceOf(
  lane: Silence,
  now: Date,
): { readonly by: 'mute' | 'quiet hours'; readonly until: Date } | null {
  const muted = lane.mutedUntil !== null && lane.mutedUntil > now ? lane.mutedUntil : null;
  const quiet = quietNow(lane, now);
  if (muted !== null && (quiet === null || muted >= quiet)) return { by: 'mute', until: muted };
  return quiet && { by: 'quiet hours', until: quiet };
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

/** Returns when a mute ends that was to end at `asked`: with the quiet hours in force then. Unmute moves `quietFrom` to the next night. */
export function endOfMute(
  { quiet, quietFrom }: { readonly quiet: QuietHours | null; readonly quietFrom: Date | null },
  asked: Date,
): Date {
  if (quiet === null || quietFrom === null || quietFrom > asked) return asked;
  const period = quietPeriod(quiet, asked);
  return period.from <= asked ? period.until : asked;
}

/**
 * Returns whether quiet hours are why all of this waited, and not a mute: it came within them, or with a digest that fell due in them, and
 * they are over; if they are not, Unmute ended them, and it was a mute. In the order in which it came.
 */
export function waitedForQuiet(
  hours: QuietHours,
  waited: readonly { readonly receivedAt: Date; readonly inDigest: boolean }[],
  now: Date,
): boolean {
  let period: QuietPeriod | null = null;
  return waited.every(({ receivedAt: at, inDigest }) => {
    if (period === null || at < period.from || at >= period.until) period = quietPeriod(hours, at);
    return period.from <= (inDigest ? now : at) && period.until <= now;
  });
}

function later(one: Date, other: Date): Date {
  return one > other ? one : other;
}
