import type { WaitingEvent } from '../../store/tables/events.ts';
import { isAboutItself } from './about-itself.ts';
import type { Turn } from './turn.ts';

const notedEveryMs = 10_000;

/** Returns whether a subscription's last event is recorded now; in a burst, doing that from time to time is enough. */
export function isWorthNoting(
  { id, at, name }: Turn['notes'][number],
  waiting: readonly WaitingEvent[],
): boolean {
  const subscription = waiting.find((event) => event.subscription.id === id)?.subscription;
  const last = subscription?.lastEventAt?.getTime() ?? 0;
  return at.getTime() - last > notedEveryMs || (name !== null && name !== subscription?.resourceName);
}

/** Returns what to record about an event's subscription. `before`: a name that an earlier event of the turn has shown. */
export function noteOf({ notification, subscription, receivedAt }: WaitingEvent, before: string | null) {
  const name = isAboutItself(notification, subscription) ? notification.name : null;
  return { id: subscription.id, at: receivedAt, name: name ?? before };
}
