import type { WaitingEvent } from '../../store/tables/events.ts';
import type { LearnedItem } from '../../store/tables/items.ts';
import type { PreviousState, Remembered } from '../model/items.ts';
import type { Notification } from '../model/notification.ts';
import { sameChangeMs } from './duplicate-detector.ts';
import { rememberedAfter } from './what-changed.ts';

/**
 * Returns what an item was before an event, from another channel's memory; null if unknown. If that channel already processed this
 * change, its memory of the previous state is used.
 */
export function learnedBefore(
  notification: Notification,
  learned: LearnedItem | undefined,
): Remembered | null {
  if (learned === undefined) return null;
  if (changes(notification, learned)) return learned;
  const { previous } = learned;
  return previous !== null && isSameTime(previous.changedAt, notification.happenedAt) ? previous : null;
}

/**
 * Returns the item's state before an event, to be remembered for channels that receive the event later; null if it changed neither name
 * nor place.
 */
export function previousState(notification: Notification, last: Remembered | null): PreviousState | null {
  if (last === null || !changes(notification, last)) return null;
  const { name, path, idPath } = last;
  return { name, path, idPath, changedAt: notification.happenedAt };
}

/** Returns whether what is remembered of an event's item is newer than the event, because later ones were posted before it. */
export function isOlder(
  { postedAs, replayed, summary, notification }: WaitingEvent,
  before: Remembered | null,
): boolean {
  // A retried update was remembered when Slack refused it.
  if (postedAs) return true;
  // A digest that was due during a mute or pause is posted in the summary that follows it.
  const isLate = replayed === true || summary !== null;
  return isLate && before !== null && notification.eventType === 'Create';
}

function changes(notification: Notification, last: Remembered): boolean {
  const after = rememberedAfter(notification, last);
  return after !== null && (after.name !== last.name || after.path !== last.path);
}

/** Two notifications of one change have the same time, or nearly so. */
function isSameTime(one: string | null, other: string | null): boolean {
  return one !== null && other !== null && Math.abs(Date.parse(one) - Date.parse(other)) <= sameChangeMs;
}
