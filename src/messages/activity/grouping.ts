import type { Change } from '../../core/model/change.ts';

/** Changes that one sentence can tell: the same person did the same thing to the same kind of thing in the same place. */
export type Group = {
  readonly first: Change;
  /** All of them, the first included, in the order they came. */
  readonly changes: readonly Change[];
  /** One change for each thing it happened to, so that "3 files" is true when one of them changed twice. */
  readonly things: readonly Change[];
};

/**
 * Puts together what can be told together, in the order of first happening. What happened to one thing is told in the order it
 * happened: added, deleted and added again stays three sentences where one sentence would end with the wrong one.
 */
export function groupChanges(changes: readonly Change[]): readonly Group[] {
  const groups: Change[][] = [];
  const groupOfKey = new Map<string, number>();
  const lastGroupOfThing = new Map<string, number>();
  for (const change of changes) {
    const key = keyOf(change);
    const things = thingsTouched(change);
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

/** Whether the verb speaks of where the thing was before. */
export function hasMoved({ verb }: Change): boolean {
  return verb === 'moved' || verb === 'renamed and moved';
}

/** Whether the verb speaks of what the thing was called before. */
export function wasRenamed({ verb }: Change): boolean {
  return verb === 'renamed' || verb === 'renamed and moved';
}

function keyOf(change: Change): string {
  const { verb, kind, folder, previousFolder, within } = change;
  return JSON.stringify([
    change.actorEmail?.toLowerCase() ?? change.actorName,
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

function thingsTouched({ name, previousName, folder, previousFolder, within }: Change): readonly string[] {
  const now = [within?.id, folder, name];
  const before = [within?.id, previousFolder ?? folder, previousName ?? name];
  return [JSON.stringify(now), JSON.stringify(before)];
}

/** Where no name is known, each change is taken for a thing of its own. */
function distinct(group: readonly Change[]): readonly Change[] {
  const seen = new Map<string, Change>();
  for (const [index, change] of group.entries()) {
    const key = JSON.stringify(change.name === null ? index : [change.previousName, change.name]);
    if (!seen.has(key)) seen.set(key, change);
  }
  return [...seen.values()];
}
