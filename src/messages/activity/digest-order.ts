import type { Change } from '../../core/model/change.ts';
import { deeds } from './deeds.ts';
import { type Group, keysOfThing } from './grouping.ts';

/** A digest's groups: the notable ones, and the rest by folder. */
type DigestOrder = { readonly notable: readonly Group[]; readonly rest: readonly Group[] };

/** Notable are deletions, finalizing, expiry, and changes to a project or session itself. */
function isNotable({ verb, kind }: Change): boolean {
  return deeds[verb].notable === true || kind === 'project' || kind === 'session';
}

type Rank = { readonly folder: string; readonly index: number; readonly group: Group };

/** Puts notable groups first and orders the rest by folder, but never reorders the changes to one item. */
export function inDigestOrder(groups: readonly Group[]): DigestOrder {
  const notable: Group[] = [];
  const rest: Rank[] = [];
  const latest = new Map<string, string>();
  for (const [index, group] of groups.entries()) {
    const keys = group.changes.flatMap(keysOfThing);
    const before = keys.flatMap((key) => latest.get(key) ?? []);
    if (isNotable(group.first) && before.length === 0) {
      notable.push(group);
    } else {
      const folder = before.reduce(later, folderKey(group.first));
      rest.push({ folder, index, group });
      for (const key of keys) latest.set(key, folder);
    }
  }
  rest.sort((a, b) => (a.folder === b.folder ? a.index - b.index : a.folder < b.folder ? -1 : 1));
  return { notable, rest: rest.map(({ group }) => group) };
}

const later = (one: string, other: string) => (one > other ? one : other);

function folderKey({ within, folder }: Change): string {
  return JSON.stringify([within?.name ?? within?.id ?? '', folder ?? []]);
}
