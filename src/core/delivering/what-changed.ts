import { trimSlashes } from '../../lib/text.ts';
import type { WaitingEvent } from '../../store/tables/events.ts';
import type { KnownItem, LearnedItem } from '../../store/tables/items.ts';
import { type Change, type ChangeVerb, kindOfResourceType, verbOfEventType } from '../model/change.ts';
import type { PreviousState, Remembered } from '../model/items.ts';
import { type Notification, rootOf } from '../model/notification.ts';

/** Two notifications of the same change are at most this many milliseconds apart. */
export const sameChangeMs = 2_000;

/** The project or session of an item, as messages name it. */
export type Within = NonNullable<Change['within']>;

/** Returns what to remember after an event was posted; null forgets the item. */
export function rememberedAfter(event: Notification, before: Remembered | null): Remembered | null {
  if (event.eventType === 'Delete') return null;
  return {
    name: event.name ?? before?.name ?? null,
    path: shownPath(event) ?? before?.path ?? null,
    idPath: event.idPath ?? before?.idPath ?? null,
  };
}

/**
 * Works out what an event did from what was remembered. The service says only `Update`, and the bot never claims more than it knows, so
 * an item it sees for the first time was "updated".
 */
export function whatChanged(event: Notification, before: Remembered | null, within: Within | null): Change {
  const path = shownPath(event);
  return {
    verb: verbOf(event, before),
    kind: kindOf(event),
    resourceType: event.resourceType,
    eventType: event.eventType,
    name: event.name ?? lastOf(path),
    previousName: before?.name ?? null,
    folder: folderOf(path),
    previousFolder: folderOf(before?.path ?? null),
    actorEmail: event.actorEmail,
    actorName: null,
    happenedAt: new Date(event.happenedAt ?? Number.NaN),
    eventId: null,
    itemId: event.itemId,
    url: null,
    within,
  };
}

function verbOf(event: Notification, before: Remembered | null): ChangeVerb {
  if (!isIn(verbOfEventType, event.eventType)) return 'other';
  return verbOfEventType[event.eventType] ?? updateOf(event, before);
}

function updateOf(event: Notification, before: Remembered | null): ChangeVerb {
  // A rename is the only cause of a project's update that the service documents.
  if (event.resourceType === 'Projects') {
    return event.name !== null && event.name === before?.name ? 'updated' : 'renamed';
  }
  if (before?.name == null) return 'updated';
  const renamed = event.name !== null && before.name !== event.name;
  const moved = event.resourceType === 'ProjectItems' && hasMoved(event, before) === true;
  if (renamed) return moved ? 'renamed and moved' : 'renamed';
  if (moved) return 'moved';
  return event.resourceType === 'Sessions' ? 'session changed' : 'updated';
}

/** Returns whether an item is in another folder than before, by its id, since paths also change with a folder's; null if unknown. */
function hasMoved(event: Notification, before: Remembered): boolean | null {
  const [from, to] = [before, { idPath: event.idPath, path: shownPath(event) }].map(parentId);
  if (from != null && to != null) return from !== to;
  const [old, now] = [before.path, shownPath(event)].map((path) => folderOf(path)?.join('/'));
  return old === undefined || now === undefined ? null : old !== now;
}

/** Returns the id of the folder that contains an item; null if its `IdPath` does not match its path, which is more reliable then. */
function parentId({ idPath, path }: Pick<Remembered, 'idPath' | 'path'>): string | null {
  const ids = trimmed(idPath)?.split('/') ?? [];
  const names = path?.split('/').length ?? 0;
  return names === 0 || ids.length === names + 1 ? (ids.at(-2) ?? null) : null;
}

function kindOf(event: Notification): Change['kind'] {
  if (!isIn(kindOfResourceType, event.resourceType)) return 'other';
  const kind = kindOfResourceType[event.resourceType];
  return kind === 'item' && (event.itemType === 'file' || event.itemType === 'folder')
    ? event.itemType
    : kind;
}

function isIn<Word extends string>(table: Readonly<Record<Word, unknown>>, word: string): word is Word {
  return Object.hasOwn(table, word);
}

/** Returns an event's path without the project's root folder, which all paths share. */
function shownPath(event: Notification): string | null {
  const whole = trimmed(event.path);
  const root = rootOf(event);
  return whole === null || root === null ? whole : whole.slice(root.length + 1);
}

function trimmed(path: string | null): string | null {
  const inner = trimSlashes(path ?? '');
  return inner === '' ? null : inner;
}

/** The most folders of a place that are kept, the root and the innermost: more than a message shows. A path can have thousands. */
const foldersMost = 100;

function folderOf(path: string | null): string[] | null {
  const names = path?.split('/').slice(0, -1) ?? null;
  return names && names.length > foldersMost ? names.toSpliced(1, names.length - foldersMost) : names;
}

function lastOf(path: string | null): string | null {
  return path?.split('/').at(-1) ?? null;
}

/** Returns what an item was before an event, from another channel's memory, also if that has processed the change or later ones; null if unknown. */
export function learnedBefore(
  notification: Notification,
  learned: LearnedItem | undefined,
): Remembered | null {
  if (learned === undefined) return null;
  const { previous } = learned;
  if (changes(notification, learned)) return isBefore(notification, previous) ? previous : learned;
  return previous !== null && isSameTime(previous.changedAt, notification.happenedAt) ? previous : null;
}

/**
 * Returns what an item was before an event: what the channel knows, or what it knew before another of its subscriptions reported the same
 * change, with just the same time. With the two seconds of `learnedBefore`, which is asked only about the first event of an item, a save right
 * after a rename would be posted as another rename: it changes neither name nor place. An event of before the last rename or move, which the
 * service sent late, is compared with what the item was then.
 */
export function beforeChange(event: Notification, known: KnownItem): Remembered {
  const { previous = null } = known;
  const isReported = Date.parse(previous?.changedAt ?? '') === Date.parse(event.happenedAt ?? '');
  return previous && (changes(event, known) ? isBefore(event, previous) : isReported) ? previous : known;
}

/** Whether an event happened before the rename or move that ended this state. */
function isBefore({ happenedAt }: Notification, previous: PreviousState | null): boolean {
  return Date.parse(happenedAt ?? '') < Date.parse(previous?.changedAt ?? '');
}

/** Returns the item's state before an event, for channels that receive the event later; null if it changed neither name nor place. */
export function previousState(notification: Notification, last: Remembered | null): PreviousState | null {
  if (last === null || !changes(notification, last)) return null;
  const { name, path, idPath } = last;
  return { name, path, idPath, changedAt: notification.happenedAt };
}

/** Returns whether what is remembered of an event's item is newer than the event, because later ones were posted before it. */
export function isOlder(
  { postedAs, replayed, summary, notification }: WaitingEvent,
  before: KnownItem | null,
): boolean {
  // A retried update was remembered when Slack refused it.
  if (postedAs) return true;
  if (notification.eventType !== 'Delete' && isBefore(notification, before?.previous ?? null)) return true;
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
