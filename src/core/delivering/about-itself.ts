import type { LaneSubscription } from '../../store/tables/subscription-row.ts';
import { endsCarried } from '../model/filters.ts';
import type { Notification } from '../model/notification.ts';

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
