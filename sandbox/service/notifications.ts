import { type Cause, type Change, eventTypeOf, type Subject } from './changes.ts';
import { holds, type Place, resourcePath, resourceTypes, samePlace } from './resources.ts';
import type { Subscription } from './subscriptions.ts';
import type { SwitchBoard } from './switches.ts';

/** One notification as the service interface shows it; switches can change or remove fields. */
export type NotificationBody = Readonly<Record<string, unknown>>;

/** Service interface, "What each kind of subscription receives", 1 to 4. */
const plainReceives: Readonly<Record<Place['kind'], readonly Cause[]>> = {
  project: ['rename', 'delete'],
  item: ['move', 'rename', 'delete'],
  session: ['rename', 'expiry', 'finalize', 'delete'],
  document: ['delete'],
};

/** The numeric Source of all notifications; the interface only shows that it is a number. */
export const NOTIFICATION_SOURCE = 2;

/** Returns whether the subscription is notified of the change. */
export function receives(subscription: Subscription, change: Change, switches: SwitchBoard): boolean {
  if (subscription.status !== 'Active') return false;
  const { place, comprehensive } = subscription;
  if (comprehensive && holds(place, change.subject.place)) return true;
  if (!samePlace(place, change.subject.place)) return false;
  if (change.cause === 'other') return true;
  if (change.cause === 'check-in') return switches.get('checkInToPlainFile') === 'yes';
  return plainReceives[place.kind].includes(change.cause);
}

type Notified = { subscription: Subscription; change: Change; guid: string; at: Date };

/** Returns the notification of one change for one subscription, with fields in the interface's order. */
export function notificationOf(notified: Notified, switches: SwitchBoard): NotificationBody {
  const { subscription, change, at } = notified;
  const numeric = switches.get('numbers') === 'as strings' ? String : (value: number) => value;
  const aboutItem = switches.get('comprehensiveResource') === 'item' || !subscription.comprehensive;
  const id = notificationId(notified.guid, switches);
  return {
    ...(id === undefined ? {} : { Id: id }),
    SubscriptionId: numeric(subscription.id),
    Source: numeric(NOTIFICATION_SOURCE),
    Resource: resourcePath(aboutItem ? change.subject.place : subscription.place, switches),
    Timestamp: timestamp(at, switches.get('timestampOffset')),
    ExtraInformation: {
      ResourceType: resourceTypeOf(change, switches),
      User: change.by,
      EventType: namedEvent(change, switches),
      ...itemFields(change.subject, switches),
      Name: change.subject.name,
      ...(switches.get('unknownFields') === 'sent' ? { Revision: { Number: 7 }, Tags: ['a', null] } : {}),
    },
    ...(switches.get('unknownFields') === 'sent' ? { CorrelationId: 'c-7', Version: 2 } : {}),
  };
}

function notificationId(guid: string, switches: SwitchBoard): string | undefined {
  switch (switches.get('notificationId')) {
    case 'guid':
      return guid;
    case 'upper case':
      return guid.toUpperCase();
    case 'in braces':
      return `{${guid}}`;
    case 'missing':
      return;
  }
}

function resourceTypeOf(change: Change, switches: SwitchBoard): string {
  if (change.resourceType !== undefined) return change.resourceType;
  const { kind } = change.subject.place;
  if (kind === 'document' && switches.get('eventNames') === 'new ResourceType') return 'SessionMarkups';
  return resourceTypes[kind];
}

function namedEvent(change: Change, switches: SwitchBoard): string {
  if (switches.get('eventNames') !== 'new EventType') return eventTypeOf(change);
  if (change.cause === 'move') return 'Move';
  return change.cause === 'check-in' ? 'CheckIn' : eventTypeOf(change);
}

function itemFields({ item }: Subject, switches: SwitchBoard): NotificationBody {
  if (!item) {
    return switches.get('absentFields') === 'null' ? { IdPath: null, Path: null, ItemType: null } : {};
  }
  const names = switches.get('pathRoot') === 'with root' ? item.names : item.names.slice(1);
  const itemType = switches.get('notifiedItemType') === 'lower' ? item.kind.toLowerCase() : item.kind;
  return { IdPath: path(item.ids, switches), Path: path(names, switches), ItemType: itemType };
}

function path(parts: readonly string[], switches: SwitchBoard): string {
  const slashes = switches.get('pathSlashes');
  return `${slashes === 'none' ? '' : '/'}${parts.join('/')}${slashes === 'both' ? '/' : ''}`;
}

/** Returns ISO 8601 with seven fractional digits and the offset, as the interface describes it: `…:07.1230000+00:00`. */
function timestamp(at: Date, offset: `${'+' | '-'}${string}:${string}`): string {
  const [hours = 0, minutes = 0] = offset.slice(1).split(':').map(Number);
  const shift = (offset.startsWith('-') ? -1 : 1) * (hours * 60 + minutes) * 60_000;
  return `${new Date(at.getTime() + shift).toISOString().slice(0, -1)}0000${offset}`;
}
