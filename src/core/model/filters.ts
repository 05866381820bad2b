import type { Change } from './change.ts';
import { compileGlobs, readGlobPath } from './glob.ts';
import { itemKey, projectItemKey, type Remembered } from './items.ts';
import { type Notification, rootOf } from './notification.ts';
import type { Channel } from './people.ts';
import {
  type EventType,
  eventTypes,
  type Filters,
  isCarried,
  type PersonName,
  type Scope,
} from './subscription.ts';

/** What a channel does not post: a muted item with everything in it, or a hidden person's changes. */
export type ExclusionSubject =
  | {
      readonly kind: 'item';
      readonly key: string;
      readonly itemKind: Change['kind'];
      readonly name: string | null;
      readonly folder: readonly string[] | null;
    }
  /** `key`: the email address at the service, in lower case. */
  | { readonly kind: 'person'; readonly key: string };

/** An item that a member muted in a channel, or a person whose changes they hid there. */
export type Exclusion = Channel & {
  readonly id: string;
  readonly subject: ExclusionSubject;
  readonly byUserId: string;
};

/** What a channel excludes: item keys, and email addresses in lower case. */
export type Excluded = { readonly items: ReadonlySet<string>; readonly people: ReadonlySet<string> };

export const nothingExcluded: Excluded = { items: new Set(), people: new Set() };

/** Returns what a channel excludes, from what was muted and hidden there. */
export function excludedOf(subjects: readonly Pick<ExclusionSubject, 'kind' | 'key'>[]): Excluded {
  const keysOf = (wanted: ExclusionSubject['kind']) =>
    new Set(subjects.flatMap(({ kind, key }) => (kind === wanted ? [key] : [])));
  return { items: keysOf('item'), people: keysOf('person') };
}

/** The most exclusions a channel can have: every turn of its lane reads them. */
export const mostExclusions = 200;

/** Returns whether an event is about a muted item or something inside one. A folder is recognized by the ids in the item's `IdPath`. */
function isItemExcluded({ items }: Excluded, event: Notification): boolean {
  if (items.size === 0) return false;
  const key = itemKey(event);
  if (key !== null && items.has(key)) return true;
  if (event.resourceType === 'SessionDocuments') return items.has(`session:${event.sessionId}`);
  const ids = event.idPath?.split('/') ?? [];
  return ids.some((id) => id !== '' && items.has(projectItemKey(event.projectId, id)));
}

/** Returns whether an event was caused by a person whose changes are hidden. */
function isPersonExcluded({ people }: Excluded, { actorEmail }: Notification): boolean {
  return actorEmail !== null && people.has(actorEmail.toLowerCase());
}

/** Why an event is filtered. If several filters match, the first of type, item, person, path is reported. */
export const filterReasons = ['type', 'item', 'person', 'path'] as const;
type FilterReason = (typeof filterReasons)[number];

/** How many changes must have come, none of which matches a path, before people are warned about the paths. */
export const unmatchedCount = 20;

/** Returns whether an email address at the service belongs to the person that a filter names; null if that cannot be known now. */
export type IsPerson = (email: string, person: PersonName) => boolean | null;

type TypedPeople = { readonly [List in 'by' | 'notBy']?: Filters[List] | undefined };

/** Returns the ids of the Slack users whom filters name. */
export function usersIn({ by = [], notBy = [] }: TypedPeople): string[] {
  return [...by, ...notBy].flatMap((person) => ('userId' in person ? person.userId : []));
}

/** Looks up the addresses of the people whom filters name by their Slack user. `emailsOf` gives them in lower case; null: unknown now. */
export async function makeIsPerson(
  userIds: readonly string[],
  emailsOf: (userId: string) => Promise<readonly string[] | null>,
): Promise<IsPerson> {
  const found = [...new Set(userIds)].map(async (id) => [id, await emailsOf(id)] as const);
  const emails = new Map(await Promise.all(found));
  return (email, person) =>
    'email' in person
      ? person.email.toLowerCase() === email
      : (emails.get(person.userId)?.includes(email) ?? null);
}

/**
 * Returns why an event is filtered, or null if it will be posted. An event type this bot does not know passes every `only`, and where Slack does
 * not say who a person is, everybody's changes pass: dropping them would lose changes. `pathPasses`: one for many events.
 */
export function failedFilter(
  filters: Filters,
  event: Notification,
  isPerson: IsPerson,
  excluded: Excluded = nothingExcluded,
  pathPasses = makePathPasses(),
): FilterReason | null {
  if (!typePasses(filters, event)) return 'type';
  if (isItemExcluded(excluded, event)) return 'item';
  if (isPersonExcluded(excluded, event)) return 'person';
  if (!personPasses(filters, event, isPerson)) return 'person';
  return pathPasses(filters, event) ? null : 'path';
}

function typePasses({ only }: Filters, event: Notification): boolean {
  return only.length === 0 || isOfTypes(event, only) || !isOfTypes(event, eventTypes);
}

/** Returns whether an event is of one of these types. */
export function isOfTypes(
  { eventType }: Pick<Notification, 'eventType'>,
  types: readonly EventType[] = [],
): boolean {
  return types.some((type) => type === eventType.toLowerCase());
}

function personPasses(filters: Filters, event: Notification, isPerson: IsPerson): boolean {
  const email = event.actorEmail?.toLowerCase() ?? null;
  const isOneOf = (people: readonly PersonName[], unknown: boolean) =>
    email !== null && people.some((person) => isPerson(email, person) ?? unknown);
  if (filters.by.length > 0 && !isOneOf(filters.by, true)) return false;
  return !isOneOf(filters.notBy, false);
}

/**
 * Returns whether an item's previous location is within what the subscription posts, so its channel may read it: in the followed folder with its
 * contents, or else by the globs. `last.path` lacks the root, which is added where `event` reveals it.
 */
export function showsPlace(
  scope: Scope,
  filters: Filters,
  event: Notification,
  last: Pick<Remembered, 'path' | 'idPath'>,
  pathPasses: ReturnType<typeof makePathPasses>,
): boolean {
  const { target } = scope;
  if (isCarried(scope) && target.kind === 'folder') return isIn(last.idPath, target.itemId);
  const root = rootOf(event);
  const path = last.path === null || root === null ? last.path : `${root}/${last.path}`;
  return pathPasses(filters, { ...event, path });
}

/** Returns whether an `IdPath` leads to a folder or through it. */
export function isIn(idPath: string | null, folderId: string): boolean {
  return idPath?.split('/').includes(folderId) === true;
}

/** Makes a function that returns whether an event passes the paths of filters, which it compiles once. Events without a path pass. */
export function makePathPasses() {
  const known = new Map<readonly string[], ReturnType<typeof compileGlobs>>();
  return ({ paths }: Pick<Filters, 'paths'>, event: Notification): boolean => {
    const text = event.resourceType === 'SessionDocuments' ? event.name : event.path;
    if (paths.length === 0 || text === null) return true;
    const matches = known.get(paths) ?? compileGlobs(paths);
    known.set(paths, matches);
    return matches(readGlobPath(text));
  };
}

/**
 * Returns whether an event is outside the folder or file that is followed: a remote subscription to the whole project brings those of other
 * items too, until it has been replaced by one to the item alone. `lastIdPath`: the item's last known location, or null.
 * What was inside a followed folder until now is not outside, so its move out is posted once. An event without an `IdPath` has no known location
 * and is outside of every folder; a file is known by its id alone. The deletion of what is followed, or of its project, is never outside.
 */
export function isOutsideFollowed(scope: Scope, event: Notification, lastIdPath: string | null): boolean {
  const { target } = scope;
  if (!('itemId' in target) || endsCarried(scope, event)) return false;
  if (!isCarried(scope)) {
    return event.resourceType === 'Projects' || (event.itemId !== null && event.itemId !== target.itemId);
  }
  if (target.kind === 'file') return event.itemId !== target.itemId;
  return event.idPath === null || !(isIn(event.idPath, target.itemId) || isIn(lastIdPath, target.itemId));
}

/** Returns whether an event deletes a folder or file that is followed through its project, or that project. */
export function endsCarried(scope: Scope, { eventType, resourceType, itemId }: Notification): boolean {
  const { target } = scope;
  if (eventType !== 'Delete' || !isCarried(scope) || !('itemId' in target)) return false;
  return resourceType === 'Projects' || (resourceType === 'ProjectItems' && itemId === target.itemId);
}
