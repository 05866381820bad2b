import { dayMs } from '../../lib/durations.ts';
import type { WaitingEvent } from '../../store/tables/events.ts';
import type { LaneSubscription } from '../../store/tables/subscription-row.ts';
import { endsCarried } from '../model/filters.ts';
import type { MessageKind } from '../model/lane-card.ts';
import type { Notification } from '../model/notification.ts';

/** Events that waited longer than this are posted in a summary. */
const summarizedAfterMs = dayMs;

/**
 * The most messages in the order of acceptance that pending events may take. If it would take more, each message takes all of its kind,
 * and only the events of one item keep their order.
 */
const runsMost = 6;

/** Returns whether events that must be noticed and live ones alternate so often that a message for each run would take too long. */
export function alternates(waiting: readonly WaitingEvent[], now: Date): boolean {
  let runs = 0;
  let last: MessageKind | undefined;
  for (const event of waiting) {
    const kind = kindOf(event, now);
    if (kind !== last) runs += 1;
    last = kind;
  }
  return runs > runsMost;
}

/** Returns an event's kind. */
export function kindOf(event: WaitingEvent, now: Date): MessageKind {
  if (isForSummary(event, now)) return 'summary';
  return isNotable(event.notification) ? 'notable' : 'live';
}

/** Deletions, finalizing and expiry, and events of a project or session itself must be noticed. */
export function isNotable({ eventType, resourceType }: Notification): boolean {
  return eventType === 'Delete' || resourceType === 'Projects' || resourceType === 'Sessions';
}

function isForSummary({ summary, receivedAt }: WaitingEvent, now: Date): boolean {
  return summary !== null || now.getTime() - receivedAt.getTime() > summarizedAfterMs;
}

/** Returns whether an event is about the followed resource itself, not about something in it. */
export function isAboutItself(notification: Notification, { target }: LaneSubscription): boolean {
  switch (target.kind) {
    case 'project':
      return notification.resourceType === 'Projects';
    case 'session':
      return notification.resourceType === 'Sessions';
    case 'folder':
    case 'file':
      return notification.resourceType === 'ProjectItems' && notification.itemId === target.itemId;
    case 'document':
      return notification.resourceType === 'SessionDocuments' && notification.itemId === target.documentId;
  }
}

/** Returns whether an event reports the deletion of what is followed, which ends the subscription. */
export function isItsOwnDeletion(notification: Notification, subscription: LaneSubscription): boolean {
  return (
    endsCarried(subscription, notification) ||
    (notification.eventType === 'Delete' && isAboutItself(notification, subscription))
  );
}
