import type { Change } from '../../core/model/change.ts';

/** Changes that one sentence can describe: they have the same actor, verb and place. Files and folders share one. */
export type Group = {
  readonly first: Change;
  /** All changes, including the first, in order of arrival. */
  readonly changes: readonly Change[];
  readonly things: readonly Thing[];
};

/** One change per item, from its state at first to its state now: 60 renames of one file are one change. */
export type Thing = Change & {
  /** All its changes in the group. */
  readonly repeats: readonly Change[];
};

/**
 * Groups changes, ordered by the first change of each group. Changes to one item keep their order: added, deleted and added again stays
 * three sentences, because merging the two additions would put the deletion last.
 */
export function groupChanges(changes: readonly Change[]): readonly Group[] {
  const groups: Change[][] = [];
  const groupOfKey = new Map<string, number>();
  const lastGroupOfThing = new Map<string, number>();
  for (const change of changes) {
    const key = keyOf(change);
    const things = keysOfThing(change);
    const notBefore = Math.max(-1, ...things.map((thing) => lastGroupOfThing.get(thing) ?? -1));
    const known = groupOfKey.get(key);
    const index = known !== undefined && known >= notBefore ? known : groups.push([]) - 1;
    groups[index]?.push(change);
    groupOfKey.set(key, index);
    for (const thing of things) lastGroupOfThing.set(thing, index);
  }
  return groups.flatMap((group) => {
    const [first] = group;
    return first === undefined ? [] : [{ first, changes: group, things: distinct(group) }];
  });
}

/** Returns whether all changes are of one item, such as one file saved repeatedly. */
export function areOfOne(changes: readonly Change[]): boolean {
  const [first, ...others] = changes;
  if (first === undefined || others.length === 0) return first !== undefined;
  return first.itemId !== null && others.every(({ itemId }) => itemId === first.itemId);
}

/** Returns the keys by which an item is recognized in other changes: its id, its current place and its previous place. */
export function keysOfThing(change: Change): readonly string[] {
  return [nowAt(change), beforeAt(change), ...idKey(change)];
}

/** Whether a project or session itself changed. */
export function isOfProject({ kind }: Change): boolean {
  return kind === 'project' || kind === 'session';
}

function isItem({ kind }: Change): boolean {
  return kind === 'file' || kind === 'folder' || kind === 'item';
}

/** Whether the verb refers to the previous folder. */
export function hasMoved({ verb }: Change): boolean {
  return verb === 'moved' || verb === 'renamed and moved';
}

/** Whether the verb refers to the previous name. */
export function wasRenamed({ verb }: Change): boolean {
  return verb === 'renamed' || verb === 'renamed and moved';
}

/** Returns the key of the actor; null if the actor is unknown. */
export function actorKey({ actorEmail, actorName }: Change): string | null {
  return actorEmail?.toLowerCase() ?? actorName;
}

function keyOf(change: Change): string {
  const { verb, kind, folder, previousFolder, within } = change;
  return JSON.stringify([
    actorKey(change),
    verb,
    isItem(change) ? 'item' : kind,
    kind === 'other' ? change.resourceType : null,
    verb === 'other' ? change.eventType : null,
    folder,
    hasMoved(change) ? previousFolder : null,
    within?.kind,
    within?.id,
  ]);
}

function nowAt({ name, folder, within }: Change): string {
  return JSON.stringify([within?.id, folder, name]);
}

function beforeAt({ name, previousName, folder, previousFolder, within }: Change): string {
  return JSON.stringify([within?.id, previousFolder ?? folder, previousName ?? name]);
}

function idKey({ itemId, within }: Change): string[] {
  return itemId === null ? [] : [JSON.stringify([within?.id, itemId])];
}

/** Merges changes by item, tracked by its id or else from name to name. A change with neither counts as an item of its own. */
function distinct(group: readonly Change[]): readonly Thing[] {
  const things = new Map<string, Thing & { readonly repeats: Change[] }>();
  const nameless = group.filter((change) => change.itemId === null && change.name === null);
  for (const change of group) {
    const [id] = idKey(change);
    if (id === undefined && change.name === null) continue;
    const before = id ?? beforeAt(change);
    const earlier = things.get(before);
    const now = id ?? nowAt(change);
    if (now !== before) things.delete(before);
    const repeats = earlier?.repeats ?? [];
    repeats.push(change);
    things.set(now, { ...(earlier ? fromTo(earlier, change) : change), repeats });
  }
  return [...things.values(), ...nameless.map((change) => ({ ...change, repeats: [change] }))];
}

function fromTo(earlier: Change, later: Change): Change {
  return { ...later, previousName: earlier.previousName, previousFolder: earlier.previousFolder };
}
