import { trimSlashes } from '../../lib/text.ts';
import type { KnownFolder } from '../../messages/subscribing/form-fields.ts';
import * as events from '../../store/tables/events.ts';
import * as knownNames from '../../store/tables/known-names.ts';
import * as subscriptions from '../../store/tables/subscriptions.ts';
import type { CommandContext } from '../access/command-context.ts';
import type { Bot } from '../bot.ts';
import type { Notification } from '../model/notification.ts';
import { spelling } from '../model/typed-text.ts';

const { compare: order } = new Intl.Collator();
/** How many notifications are read to find what they name. */
const eventsRead = 500;
/** And how many items, of one project and of each that is searched for a name. */
const itemsRead = { ofOne: 5_000, ofEach: 1_000 };
/** How many words of a text are looked for in names. */
const mostWords = 10;
/** The most parts of a path, and the most folders: with more, one sender of notifications could make this take seconds. */
const most = { parts: 30, folders: 1_000 };

/** What shows where an item of a project is. */
export type Seen = Pick<Notification, 'path' | 'idPath' | 'itemId' | 'itemType' | 'resourceType'>;

/** Who wants to know; `madeInChannel`: whether it may be what they know of that channel. */
export type Reader = Pick<CommandContext, 'person' | 'channelId' | 'madeInChannel'>;

/** Returns who wants to know something in a form: the person who opened it in a channel may have left, which only Slack knows. */
export async function readerIn(
  { slack }: Bot,
  { person, channelId, madeInChannel }: Reader,
): Promise<Reader> {
  const isIn = channelId === '' ? 'no' : await slack.isInChannel(person, channelId);
  return { person, channelId, madeInChannel: isIn === 'yes' || (isIn === 'unknown' && madeInChannel) };
}

/** Returns the channels whose names a person may be shown. `memberOf`: those that Slack says they are in; null if it did not say. */
export const channelsOf = (
  { channelId, madeInChannel }: Reader,
  memberOf: ReadonlySet<string> | null,
): string[] => [...(memberOf ?? []), ...(madeInChannel ? [channelId] : [])];

/** Returns the name of a folder, if the person may be shown it. */
export async function folderName(
  bot: Bot,
  reader: Reader,
  { projectId, itemId }: { readonly projectId: string; readonly itemId: string },
): Promise<string | null> {
  const folders = knownFolders(await seenOf(bot, reader, projectId));
  return folders.find(({ id }) => id === itemId)?.path.at(-1) ?? null;
}

/**
 * Returns what shows the places of a project that a person may be shown: the newest notifications of their own subscriptions and those posted
 * in channels where they have one and still are; then the last known places of items, if they may be shown the name of the project.
 */
export async function seenOf(bot: Bot, reader: Reader, projectId: string): Promise<readonly Seen[]> {
  const { db, slack } = bot;
  const { person } = reader;
  const [memberOf, own] = await Promise.all([slack.channelsOf(person), subscriptions.ofOwner(db, person)]);
  const here = reader.madeInChannel ? [reader.channelId] : [];
  const channels = new Set(own.map((row) => row.channelId).filter((id) => memberOf?.has(id)));
  const [recent, places] = await Promise.all([
    events.recentOf(db, person, { kind: 'project', projectId }, [...channels, ...here], eventsRead),
    knownNames.placesShownTo(db, person, channelsOf(reader, memberOf), {
      projectId,
      named: [],
      each: itemsRead.ofOne,
    }),
  ]);
  const notifications = recent.map(({ notification }) => notification);
  const root = partsOf(notifications[0]?.path ?? null)[0] ?? unknownRoot;
  return [...notifications, ...places.filter(({ folderId }) => folderId === null).map(seenAt(root))];
}

/** Stands for the name of the root, which the places of items omit. */
const unknownRoot = '…';

function seenAt(root: string) {
  return ({ path, idPath }: knownNames.ShownPlace): Seen => ({
    path: `${root}/${path}`,
    idPath,
    itemId: idPath.split('/').at(-1) ?? null,
    itemType: null,
    resourceType: 'ProjectItems',
  });
}

/** Returns folders that a person may be shown with one of the words in their path, by their names from the top of the project down. */
export async function foldersNamed(
  { db, slack }: Bot,
  reader: Reader,
  words: readonly string[],
): Promise<readonly knownNames.KnownName[]> {
  if (words.length === 0) return [];
  const { person } = reader;
  const channels = channelsOf(reader, await slack.channelsOf(person));
  const wanted = { projectId: null, named: words.slice(0, mostWords), each: itemsRead.ofEach };
  const places = await knownNames.placesShownTo(db, person, channels, wanted);
  return [...Map.groupBy(places, ({ projectId }) => projectId)].flatMap(([projectId, all]) => {
    const only = all.some(({ folderId }) => folderId === null)
      ? null
      : new Set(all.map((each) => each.folderId));
    return knownFolders(all.map(seenAt(unknownRoot)))
      .filter(({ id }) => only === null || only.has(id))
      .map(({ id, path }) => ({ id, kind: 'folder', projectId, name: path.join(' › '), isSent: true }));
  });
}

/**
 * Returns the folders that notifications and items name, each once, sorted by path. `notifications` is sorted newest first; the first one to
 * name a folder determines its path, and the newest folders are known if there are too many.
 * Folder ids are only in `IdPath`, "ids from root folder down to the item" (service interface), so names come from a `Path` that has
 * the same number of parts. The root is the project itself, not one of its folders.
 */
export function knownFolders(notifications: readonly Seen[]): KnownFolder[] {
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
export function knownPlaces(notifications: readonly Seen[]): ReadonlySet<string> {
  const places = new Set<string>();
  for (const { path } of notifications) {
    const names = partsOf(path);
    for (const [index, name] of names.entries())
      for (const place of [name, names.slice(0, index + 1).join('/'), names.slice(1, index + 1).join('/')])
        places.add(place);
  }
  // Once for each, as this takes the longest.
  return new Set([...places].map(spelling));
}

function partsOf(path: string | null): string[] {
  return trimSlashes(path ?? '')
    .split('/', most.parts + 1)
    .filter((part) => part !== '');
}
