import type { LearnedItem } from '../../store/tables/items.ts';
import type { Notification } from '../model/notification.ts';
import type { PreviousState } from '../model/previous-state.ts';
import { sameChangeMs } from './duplicate-detector.ts';
import { type Remembered, rememberedAfter } from './what-changed.ts';

/**
 * What an item was before an event, by what another channel remembers of it; null where that is not known. The other channel may have had
 * this very change already: then it is what that channel remembers of before.
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

/** What an event leaves to remember of what its item was before, for channels that hear of it later; null where it changed no name or place. */
export function previousState(notification: Notification, last: Remembered | null): PreviousState | null {
  if (last === null || !changes(notification, last)) return null;
  const { name, path, idPath } = last;
  return { name, path, idPath, changedAt: notification.happenedAt };
}

function changes(notification: Notification, last: Remembered): boolean {
  const after = rememberedAfter(notification, last);
  return after !== null && (after.name !== last.name || after.path !== last.path);
}

/** Two notifications of one change say the same time, or nearly. */
function isSameTime(one: string | null, other: string | null): boolean {
  return one !== null && other !== null && Math.abs(Date.parse(one) - Date.parse(other)) <= sameChangeMs;
}
