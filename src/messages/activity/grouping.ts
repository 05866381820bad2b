import type { Change } from '../../core/model/change.ts';

/** Changes that one sentence can describe: one person did one thing to one kind of thing in one place. */
export type Group = {
  readonly first: Change;
  /** All of them, the first included, in the order they came. */
  readonly changes: readonly Change[];
  /** One change for each thing it happened to, from how that was at first to how it is now: 60 renames of one file are one file. */
  readonly things: readonly Change[];
};

/**
 * Groups changes in the order of first happening. What happened to one thing keeps its order: added, deleted and added again stays
 * three sentences, where one sentence would end with the wrong one.
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

/** How many changes some groups stand for. */
export function changesIn(groups: readonly Group[]): number {
  return groups.reduce((sum, { changes }) => sum + changes.length, 0);
}

/** Under what a thing can be recognized in other changes: its id, its place now and its place before. */
export function keysOfThing(change: Change): readonly string[] {
  return [placeKey(nowAt(change)), placeKey(beforeAt(change)), ...idKey(change)];
}

/** Whether the verb speaks of where the thing was before. */
export function hasMoved({ verb }: Change): boolean {
  return verb === 'moved' || verb === 'renamed and moved';
}

/** Whether the verb speaks of what the thing was called before. */
export function wasRenamed({ verb }: Change): boolean {
  return verb === 'renamed' || verb === 'renamed and moved';
}

/** Who did it, as far as people are known; null if nobody is named. */
export function actorKey({ actorEmail, actorName }: Change): string | null {
  return actorEmail?.toLowerCase() ?? actorName;
}

function keyOf(change: Change): string {
  const { verb, kind, folder, previousFolder, within } = change;
  return JSON.stringify([
    actorKey(change),
    verb,
    kind,
    kind === 'other' ? change.resourceType : null,
    verb === 'other' ? change.eventType : null,
    folder,
    hasMoved(change) ? previousFolder : null,
    within?.kind,
    within?.id,
  ]);
}

type At = readonly [within: string | undefined, folder: Change['folder'], name: string | null];

function nowAt({ name, folder, within }: Change): At {
  return [within?.id, folder, name];
}

function beforeAt({ name, previousName, folder, previousFolder, within }: Change): At {
  return [within?.id, previousFolder ?? folder, previousName ?? name];
}

function placeKey(at: At): string {
  return JSON.stringify(at);
}

function idKey({ itemId, within }: Change): string[] {
  return itemId === null ? [] : [JSON.stringify([within?.id, itemId])];
}

/** A thing is followed by its id, else from name to name. Where neither is known, each change counts as a thing of its own. */
function distinct(group: readonly Change[]): readonly Change[] {
  const things = new Map<string, Change>();
  const nameless = group.filter((change) => change.itemId === null && change.name === null);
  for (const change of group) {
    const [id] = idKey(change);
    if (id === undefined && change.name === null) continue;
    const before = id ?? placeKey(beforeAt(change));
    const earlier = things.get(before);
    const now = id ?? placeKey(nowAt(change));
    if (now !== before) things.delete(before);
    things.set(now, earlier ? fromTo(earlier, change) : change);
  }
  return [...things.values(), ...nameless];
}

function fromTo(earlier: Change, later: Change): Change {
  return { ...later, previousName: earlier.previousName, previousFolder: earlier.previousFolder };
}
