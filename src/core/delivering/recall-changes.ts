import type { PostedEvent, WaitingEvent } from '../../store/tables/events.ts';
import type { KnownItem } from '../../store/tables/items.ts';
import type { Subscription } from '../../store/tables/subscription-row.ts';
import type { PresentChanges } from '../channels/present-changes.ts';
import type { Change } from '../model/change.ts';
import { parentKey } from '../model/item-keys.ts';
import type { Notification } from '../model/notification.ts';
import type { Channel } from '../model/people.ts';
import { type Within, whatChanged } from './what-changed.ts';

type RecallChangesDeps = {
  readonly loadItems: (lane: Channel, keys: readonly string[]) => Promise<Map<string, KnownItem>>;
  readonly presentChanges: PresentChanges;
};

/** Returns the changes that a message shows, in the same order and words. */
export type RecallChanges = (lane: Channel, events: readonly PostedEvent[]) => Promise<Change[]>;

/** What was remembered of the items at that time is gone; the words derived from it are stored with each event. */
export function makeRecallChanges({ loadItems, presentChanges }: RecallChangesDeps): RecallChanges {
  return async (lane, events) => {
    const known = await loadItems(
      lane,
      events.map(({ notification }) => parentKey(notification)),
    );
    const changes = events.map((event) => ({
      ...recalledChange(event, withinOf(event.notification, event.subscription, known)),
      eventId: event.seq,
    }));
    return presentChanges(lane, changes);
  };
}

/** Returns the change as the event was posted. For an event that was not posted nothing else is stored, so an update is only "changed". */
export function recalledChange(
  { notification, postedAs, receivedAt }: Pick<WaitingEvent, 'notification' | 'postedAs' | 'receivedAt'>,
  within: Within | null,
): Change {
  return { ...timed(whatChanged(notification, null, within), receivedAt), ...postedAs };
}

/** Returns the project or session of an event, with its last known name. */
export function withinOf(
  notification: Notification,
  { parentName }: Pick<Subscription, 'parentName'>,
  known: ReadonlyMap<string, KnownItem>,
): Within | null {
  const name = known.get(parentKey(notification))?.name ?? parentName;
  if (notification.projectId !== null) return { kind: 'project', id: notification.projectId, name };
  if (notification.sessionId !== null) return { kind: 'session', id: notification.sessionId, name };
  return null;
}

/** Returns the change with the time of arrival if the service sent no readable time. */
export function timed(change: Change, receivedAt: Date): Change {
  return Number.isNaN(change.happenedAt.getTime()) ? { ...change, happenedAt: receivedAt } : change;
}
