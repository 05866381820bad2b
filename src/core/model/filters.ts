import { type Excluded, isItemExcluded, isPersonExcluded, nothingExcluded } from './exclusion.ts';
import { type GlobPath, matchesGlob, parseGlob, readGlobPath } from './glob.ts';
import { type Notification, rootOf } from './notification.ts';
import type { Filters, PersonName, Target } from './subscription.ts';

/** Why an event is filtered. Where several filters match, the first of type, item, person, path counts. */
export type FilterReason = 'type' | 'item' | 'person' | 'path';

/** Says whether the person behind an e-mail address at the service is the one a filter names. */
export type IsPerson = (email: string, person: PersonName) => boolean;

/**
 * The first filter that an event does not pass, or null if it is to be posted. Of several sets of filters it has to pass all.
 *
 * `excluded`: what is muted and skipped in the channel.
 * An event type this bot does not know passes every `only`, since dropping what is not known yet would lose it.
 */
export function failedFilter(
  filters: readonly Filters[],
  event: Notification,
  isPerson: IsPerson,
  excluded: Excluded = nothingExcluded,
): FilterReason | null {
  if (!filters.every((each) => typePasses(each, event))) return 'type';
  if (isItemExcluded(excluded, event)) return 'item';
  if (isPersonExcluded(excluded, event)) return 'person';
  if (!filters.every((each) => personPasses(each, event, isPerson))) return 'person';
  if (!filters.every(({ paths }) => pathPasses(paths, event))) return 'path';
  return null;
}

function typePasses(filters: Filters, event: Notification): boolean {
  const type = event.eventType.toLowerCase();
  const known = type === 'create' || type === 'update' || type === 'delete';
  return filters.only.length === 0 || !known || filters.only.includes(type);
}

function personPasses(filters: Filters, event: Notification, isPerson: IsPerson): boolean {
  const email = event.actorEmail?.toLowerCase() ?? null;
  const isOneOf = (people: readonly PersonName[]) =>
    email !== null && people.some((person) => isPerson(email, person));
  if (filters.by.length > 0 && !isOneOf(filters.by)) return false;
  return !isOneOf(filters.notBy);
}

/**
 * Whether the place where an item was before is within what a subscription posts, so that its channel may read it: of a folder that is
 * followed with its contents what was in it, else what the globs let pass. `last.path` is without the root, where `event` tells one.
 */
export function showsPlace(
  scope: Scope,
  filters: readonly Filters[],
  event: Notification,
  last: { readonly path: string | null; readonly idPath: string | null },
): boolean {
  const { target } = scope;
  if (followsContents(scope) && target.kind === 'folder') return isIn(last.idPath, target.itemId);
  const root = rootOf(event);
  const path = last.path === null || root === null ? last.path : `${root}/${last.path}`;
  return filters.every(({ paths }) => pathPasses(paths, { ...event, path }));
}

/** Whether an `IdPath` leads to a folder or through it. */
export function isIn(idPath: string | null, folderId: string): boolean {
  return idPath?.split('/').includes(folderId) === true;
}

/** Events without a path (of a project or session itself) pass; a session document is matched by its name. */
function pathPasses(globs: readonly string[], event: Notification): boolean {
  const text = event.resourceType === 'SessionDocuments' ? event.name : event.path;
  if (globs.length === 0 || text === null) return true;
  const path = readGlobPath(text);
  const kept = globs.filter((glob) => !glob.startsWith('!'));
  const skipped = globs.filter((glob) => glob.startsWith('!')).map((glob) => glob.slice(1));
  if (kept.length > 0 && !matchesAny(kept, path)) return false;
  return !matchesAny(skipped, path);
}

function matchesAny(globs: readonly string[], path: GlobPath): boolean {
  return globs.some((glob) => matchesGlob(parseGlob(glob), path));
}

/** What decides whether an event belongs to a subscription at all. */
type Scope = { readonly target: Target; readonly comprehensive: boolean };

/**
 * Whether an event of a remote subscription that covers a whole project is outside of the folder that is followed with its contents.
 * `lastIdPath`: where its item was last heard of; null where that is not known. An item that was inside is not outside yet, so that its
 * move away is posted once. Without an `IdPath` nothing says where an item is, so all of that is outside but the folder's and the project's
 * deletion.
 */
export function isOutsideFolder(scope: Scope, event: Notification, lastIdPath: string | null): boolean {
  const { target } = scope;
  if (!followsContents(scope) || target.kind !== 'folder') return false;
  if (endsFolder(scope, event)) return false;
  return event.idPath === null || !(isIn(event.idPath, target.itemId) || isIn(lastIdPath, target.itemId));
}

/** Whether an event deletes the followed folder, or the project that it is in. */
export function endsFolder(scope: Scope, { eventType, resourceType, itemId }: Notification): boolean {
  const { target } = scope;
  if (eventType !== 'Delete' || !followsContents(scope) || target.kind !== 'folder') return false;
  return resourceType === 'Projects' || (resourceType === 'ProjectItems' && itemId === target.itemId);
}

/** Whether a folder is followed with its contents, by a remote subscription that covers its project. */
export function followsContents({ target, comprehensive }: Scope): boolean {
  return target.kind === 'folder' && comprehensive;
}
