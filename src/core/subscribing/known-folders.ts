import { trimSlashes } from '../../lib/trim-slashes.ts';
import type { KnownFolder } from '../../messages/subscribing/form-fields.ts';
import * as events from '../../store/tables/events.ts';
import * as subscriptions from '../../store/tables/subscriptions.ts';
import type { Bot } from '../bot.ts';
import type { Notification } from '../model/notification.ts';
import type { SlackPerson } from '../model/people.ts';
import { spelling } from '../model/typed-text.ts';

const { compare: order } = new Intl.Collator();
/** How many notifications are read to find what they name. */
const eventsRead = 500;
/** The most parts of a path, and the most folders: with more, one sender of notifications could make this take seconds. */
const most = { parts: 30, folders: 1_000 };

/**
 * Returns the newest notifications about a project that a person may know of: those of their own subscriptions, and those posted in channels
 * where they have one and still are.
 * @param channelId a channel that the caller has checked, to be included; null for none
 */
export async function recentlySeen(
  { db, slack }: Bot,
  person: SlackPerson,
  projectId: string,
  channelId: string | null,
): Promise<readonly Notification[]> {
  const [memberOf, own] = await Promise.all([slack.channelsOf(person), subscriptions.ofOwner(db, person)]);
  const channels = new Set(own.map((row) => row.channelId).filter((id) => memberOf?.has(id)));
  if (channelId !== null) channels.add(channelId);
  const recent = await events.recentOf(db, person, { kind: 'project', projectId }, [...channels], eventsRead);
  return recent.map(({ notification }) => notification);
}

/**
 * Returns the folders that notifications name, each once, sorted by path. `notifications` is sorted newest first; the first one to name
 * a folder determines its path, and the newest folders are known if there are too many.
 *
 * Folder ids are only in `IdPath`, "ids from root folder down to the item" (service interface), so names come from a `Path` that has
 * the same number of parts. The root is the project itself, not one of its folders.
 */
export function knownFolders(notifications: readonly Notification[]): KnownFolder[] {
  const folders = new Map<string, readonly string[]>();
  for (const { path, idPath, itemType, resourceType } of notifications) {
    if (resourceType !== 'ProjectItems') continue;
    const names = partsOf(path);
    const ids = partsOf(idPath);
    if (names.length !== ids.length || names.length > most.parts) continue;
    const end = itemType === 'folder' ? ids.length : ids.length - 1;
    for (const [index, id] of ids.slice(0, end).entries()) {
      const isNew = index > 0 && !folders.has(id) && folders.size < most.folders;
      if (isNew) folders.set(id, names.slice(1, index + 1));
    }
  }
  return [...folders]
    .map(([id, path]) => ({ id, path }))
    .toSorted((a, b) => order(a.path.join('/'), b.path.join('/')));
}

/**
 * Returns how the folders and items that notifications name are typed after `in`, as `spelling` returns them: each name alone, and each path
 * from the top, with and without the root.
 */
export function knownPlaces(notifications: readonly Notification[]): ReadonlySet<string> {
  const places = new Set<string>();
  for (const path of new Set(notifications.map((each) => each.path))) {
    const names = partsOf(path);
    for (const [index, name] of names.entries())
      for (const place of [name, names.slice(0, index + 1).join('/'), names.slice(1, index + 1).join('/')])
        places.add(spelling(place));
  }
  return places;
}

function partsOf(path: string | null): string[] {
  return trimSlashes(path ?? '')
    .split('/', most.parts + 1)
    .filter((part) => part !== '');
}
