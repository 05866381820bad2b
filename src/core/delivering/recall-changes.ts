import type { PostedEvent } from '../../store/tables/events.ts';
import type { KnownItem } from '../../store/tables/items.ts';
import type { Subscription } from '../../store/tables/subscription-row.ts';
import type { PresentChanges } from '../channels/present-changes.ts';
import type { Change } from '../model/change.ts';
import { parentKey } from '../model/item-keys.ts';
import type { Notification } from '../model/notification.ts';
import type { Channel } from '../model/people.ts';
import { type Within, whatChanged } from './what-changed.ts';

export type RecallChangesDeps = {
  readonly loadItems: (lane: Channel, keys: readonly string[]) => Promise<Map<string, KnownItem>>;
  readonly presentChanges: PresentChanges;
};

/** The changes that a message shows, in the same order and in the same words. */
export type RecallChanges = (lane: Channel, events: readonly PostedEvent[]) => Promise<Change[]>;

/** What was remembered of an item then is not known any more; what was made of it is kept with each event. */
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

/** The change as an event was posted. Of an event that was not posted nothing more is kept, so that an update is just that. */
export function recalledChange(
  { notification, postedAs, receivedAt }: Pick<PostedEvent, 'notification' | 'postedAs' | 'receivedAt'>,
  within: Within | null,
): Change {
  return { ...timed(whatChanged(notification, null, within), receivedAt), ...postedAs };
}

/** The project or session that an event belongs to, under the name by which it was last heard of. */
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

/** If the service sent no readable time, the time of arrival is the nearest that is known. */
export function timed(change: Change, receivedAt: Date): Change {
  return Number.isNaN(change.happenedAt.getTime()) ? { ...change, happenedAt: receivedAt } : change;
}
