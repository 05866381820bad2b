import type { Change } from '../../core/model/change.ts';
import { clean } from '../text/escape.ts';
import {
  clock,
  counted,
  item,
  joined,
  type Phrase,
  person,
  place,
  plainly,
  quoted,
  time,
} from '../text/phrase.ts';
import { type Group, wasRenamed } from './grouping.ts';

/** Who did what to which thing, and where in the project: "Dana Ek renamed Level 1.pdf to Level 01.pdf in Plans / Level 1". */
export function notify(group: Group): Phrase {
  return [...deed(group), ...howOften(group)];
}

/** One name of a group for a list of them: "Level 1.pdf", or "Level 1.pdf to Level 01.pdf". Null where no name is known. */
export function nameInList(change: Change): Phrase | null {
  const { name, previousName } = change;
  if (!isShown(name)) return null;
  return wasRenamed(change) && isShown(previousName)
    ? [item(previousName), ' to ', item(name)]
    : [item(name)];
}

/** The followed project or session: "Harbour Tower (project 123-456-789)". Null where it is not known. */
export function tellWithin({ within, kind }: Change): Phrase | null {
  if (within === null) return null;
  const id: Phrase = [`${within.kind} `, plainly(within.id)];
  // Its own name stands in the sentence already.
  if (kind === within.kind) return isShown(within.id) ? id : null;
  if (!isShown(within.name)) return id;
  return [plainly(within.name), ' (', ...id, ')'];
}

/** The followed project or session where all changes are of the same one, else null. */
export function tellCommonWithin(changes: readonly Change[]): Phrase | null {
  const [first] = changes;
  const within = first?.within;
  if (!first || !within || changes.some((change) => change.within?.id !== within.id)) return null;
  return tellWithin({ ...first, kind: 'item' });
}

/** When: one moment, or from the first to the last. Null where no time is known. */
export function tellTime(changes: readonly Change[]): Phrase | null {
  const times = changes.map((change) => change.happenedAt.getTime()).filter((at) => Number.isFinite(at));
  if (times.length === 0) return null;
  const first = times.reduce((a, b) => Math.min(a, b));
  const last = times.reduce((a, b) => Math.max(a, b));
  if (minuteOf(first) === minuteOf(last)) return [time(new Date(last))];
  const end = last - first < halfADay ? clock(new Date(last)) : time(new Date(last));
  return [time(new Date(first)), ' to ', end];
}

const minute = 60_000;
const halfADay = 12 * 60 * minute;

function minuteOf(at: number): number {
  return Math.floor(at / minute);
}

function deed(group: Group): Phrase {
  const { first } = group;
  const who = actorOf(first);
  const what = thingOf(group);
  switch (first.verb) {
    case 'added':
      return [...who, ' added ', ...what, ...at('to', first.folder)];
    case 'deleted':
      return [...who, ' deleted ', ...what, ...at('from', first.folder)];
    case 'renamed':
      return [...who, ' renamed ', ...renaming(group), ...at('in', first.folder)];
    case 'moved':
      return [...who, ' moved ', ...what, ...moving(first)];
    case 'renamed and moved':
      return [
        ...who,
        ' renamed ',
        ...renaming(group),
        ` and moved ${isOne(group) ? 'it' : 'them'}`,
        ...moving(first),
      ];
    case 'new version':
      return [...who, ...checkedIn(group), ...at('in', first.folder)];
    case 'session changed':
      return [...who, ' changed ', ...what, ' (its expiry date or its status)'];
    case 'updated':
      return [...who, ' updated ', ...what, ...at('in', first.folder)];
    case 'other':
      return [
        'The service reports ',
        isShown(first.eventType) ? quoted(first.eventType) : 'something',
        ' for ',
        ...what,
        ...at('in', first.folder),
        ', by ',
        ...(isKnown(first) ? who : ['someone']),
      ];
  }
}

function actorOf({ actorName, actorEmail }: Change): Phrase {
  if (isShown(actorName)) return [person(actorName)];
  return [person(isShown(actorEmail) ? actorEmail : 'Someone')];
}

function isKnown({ actorName, actorEmail }: Change): boolean {
  return isShown(actorName) || isShown(actorEmail);
}

/** A check-in is something files have; of a folder no more is known than that it was updated. */
function checkedIn(group: Group): Phrase {
  const { kind } = group.first;
  if (kind !== 'file' && kind !== 'item') return [' updated ', ...thingOf(group)];
  return [` checked in ${isOne(group) ? 'a new version' : 'new versions'} of `, ...thingOf(group)];
}

function renaming(group: Group): Phrase {
  const { first } = group;
  if (!isOne(group) || !isShown(first.name) || !isShown(first.previousName)) return thingOf(group);
  if (clean(first.name) === clean(first.previousName)) {
    return [...thingOf(group), ' (only in characters that cannot be seen)'];
  }
  return [...article(first), item(first.previousName), ' to ', item(first.name)];
}

function moving({ folder, previousFolder }: Change): Phrase {
  return [...at('from', previousFolder), ...at('to', folder)];
}

/** `[]` is the root of the project, where its folders are. */
function at(preposition: 'in' | 'to' | 'from', folder: readonly string[] | null): Phrase {
  if (folder === null) return [];
  if (folder.length > 0) return [` ${preposition} `, place(folder)];
  return [preposition === 'in' ? ' at the top level' : ` ${preposition} the top level`];
}

function thingOf(group: Group): Phrase {
  const { first, things } = group;
  if (!isOne(group)) {
    if (first.kind !== 'other') return [counted(things.length, first.kind)];
    return [`${things.length.toLocaleString('en')} `, kindWord(first)];
  }
  if (isShown(first.name)) return [...article(first), item(first.name)];
  if (first.kind === 'project' || first.kind === 'session') return [`the ${first.kind}`];
  return first.kind === 'other'
    ? ['a ', kindWord(first)]
    : [first.kind === 'item' ? 'an item' : `a ${first.kind}`];
}

/** What goes before a name; files need nothing, and an item may be one. */
function article(change: Change): Phrase {
  switch (change.kind) {
    case 'file':
    case 'item':
      return [];
    case 'other':
      return ['the ', kindWord(change), ' '];
    case 'folder':
    case 'document':
    case 'project':
    case 'session':
      return [`the ${change.kind} `];
  }
}

function kindWord({ resourceType }: Change) {
  return isShown(resourceType) ? quoted(resourceType) : 'thing of an unknown kind';
}

function howOften(group: Group): Phrase {
  const times = group.changes.length;
  if (times === group.things.length) return [];
  return [isOne(group) ? `, ${counted(times, 'time')}` : `, ${counted(times, 'time')} in all`];
}

function isOne({ things }: Group): boolean {
  return things.length === 1;
}

function isShown(text: string | null): text is string {
  return text !== null && clean(text) !== '';
}

/** "Harbour Tower (project 123-456-789) · today at 14:03", for the line below a sentence. */
export function below(phrases: readonly (Phrase | null)[]): Phrase | null {
  const known = phrases.filter((phrase) => phrase !== null);
  return known.length === 0 ? null : joined(known, ' · ');
}
