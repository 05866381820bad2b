import type { Change } from './change.ts';
import { itemKey, projectItemKey } from './item-keys.ts';
import type { Notification } from './notification.ts';
import type { Channel } from './people.ts';

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
  /** False once the exclusion was undone or removed. */
  readonly isActive: boolean;
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
export function isItemExcluded({ items }: Excluded, event: Notification): boolean {
  if (items.size === 0) return false;
  const key = itemKey(event);
  if (key !== null && items.has(key)) return true;
  if (event.resourceType === 'SessionDocuments') return items.has(`session:${event.sessionId}`);
  const ids = event.idPath?.split('/') ?? [];
  return ids.some((id) => id !== '' && items.has(projectItemKey(event.projectId, id)));
}

/** Returns whether an event was caused by a person whose changes are hidden. */
export function isPersonExcluded({ people }: Excluded, { actorEmail }: Notification): boolean {
  return actorEmail !== null && people.has(actorEmail.toLowerCase());
}
