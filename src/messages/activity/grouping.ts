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

/** Returns all changes of each item, in order: by its id, or else from name to name. A change with neither is one of its own. */
export function byItem(changes: readonly Change[]): readonly (readonly Change[])[] {
  const histories = new Set<Change[]>();
  const last = new Map<string, Change[]>();
  for (const change of changes) {
    const [id] = idKey(change);
    const isKnown = id !== undefined || change.name !== null;
    const before = id ?? beforeAt(change);
    const history = (isKnown && last.get(before)) || [];
    last.delete(before);
    if (isKnown) last.set(id ?? nowAt(change), history);
    history.push(change);
    histories.add(history);
  }
  return [...histories];
}

/** Merges the changes of each item. */
function distinct(group: readonly Change[]): readonly Thing[] {
  return byItem(group).flatMap((repeats) => {
    const [first, last] = [repeats[0], repeats.at(-1)];
    if (!first || !last) return [];
    const { previousName, previousFolder } = first;
    return [{ ...last, previousName, previousFolder, repeats }];
  });
}
