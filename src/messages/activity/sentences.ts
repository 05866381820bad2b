import { type Change, someone } from '../../core/model/change.ts';
import { clean } from '../text/escape.ts';
import {
  clock,
  counted,
  forEye,
  item,
  joined,
  link,
  type Phrase,
  person,
  place,
  plainly,
  quoted,
  time,
} from '../text/phrase.ts';
import { type Group, wasRenamed } from './grouping.ts';
import { signs } from './signs.ts';

/**
 * Who did what to which thing, and where: "➕ Dana Ek added Level 1.pdf to Plans › Level 1". Names of several things are not in it.
 *
 * @param signed whether it begins with the sign of its verb
 */
export function sentenceOf(group: Group, signed: boolean): Phrase {
  const sign = signed ? [forEye(`${signs[group.first.verb].sign} `, '')] : [];
  return [...sign, ...deed(group), ...howOften(group)];
}

/** One name of a group for a list of them: "Level 1.pdf", or "Level 1.pdf → Level 01.pdf". Null where no name is known. */
export function nameInList(change: Change): Phrase | null {
  const { name, previousName } = change;
  if (!isShown(name)) return null;
  return wasRenamed(change) && isShown(previousName)
    ? [item(previousName), arrow, thing(change)]
    : [thing(change)];
}

/** The project or session a change belongs to, by its name, else by its id. Null where it is not known or is the thing itself. */
export function withinOf({ within, kind }: Change): Phrase | null {
  if (within === null || kind === within.kind) return null;
  return isShown(within.name) ? [plainly(within.name)] : [`${within.kind} `, plainly(within.id)];
}

/** The project or session that all changes belong to, else null. */
export function commonWithin(changes: readonly Change[]): Change['within'] {
  const [first] = changes;
  const within = first?.within ?? null;
  return changes.every((change) => change.within?.id === within?.id) ? within : null;
}

/** When, as day and time: one moment, or from the first to the last. Null where no time is known. */
export function timeSpan(changes: readonly Change[]): Phrase | null {
  const span = spanOf(changes);
  if (span === null) return null;
  if (span.isMoment) return [time(span.last)];
  const end = span.last.getTime() - span.first.getTime() < halfADay ? clock(span.last) : time(span.last);
  return [time(span.first), ' to ', end];
}

/** "happened at 14:03" where all of it was more than 5 minutes ago, else null. Of half a day and more ago it names the day. */
export function happened(changes: readonly Change[], now: Date): Phrase | null {
  const span = spanOf(changes);
  if (span === null || now.getTime() - span.last.getTime() <= lateMs) return null;
  const show = now.getTime() - span.first.getTime() < halfADay ? clock : time;
  const named = show === time;
  if (span.isMoment) return [named ? 'happened ' : 'happened at ', show(span.last)];
  return [named ? 'happened ' : 'happened from ', show(span.first), ' to ', show(span.last)];
}

const minute = 60_000;
/** When something older than this is posted, it says when it happened (DESIGN 5). */
const lateMs = 5 * minute;
const halfADay = 12 * 60 * minute;

function spanOf(changes: readonly Change[]): { first: Date; last: Date; isMoment: boolean } | null {
  const times = changes.map((change) => change.happenedAt.getTime()).filter((at) => Number.isFinite(at));
  if (times.length === 0) return null;
  const first = times.reduce((a, b) => Math.min(a, b));
  const last = times.reduce((a, b) => Math.max(a, b));
  const isMoment = Math.floor(first / minute) === Math.floor(last / minute);
  return { first: new Date(first), last: new Date(last), isMoment };
}

const arrow = forEye(' → ', ' to ');

function deed(group: Group): Phrase {
  const { first } = group;
  const who = [person(actorOf(first))];
  const what = whatOf(group);
  switch (first.verb) {
    case 'added':
      return [...who, ' added ', ...what, ...at('to', first.folder)];
    case 'deleted':
      return [...who, ' deleted ', ...what, ...at('from', first.folder)];
    case 'renamed':
      return [...who, ' renamed ', ...renaming(group), ...at('in', first.folder)];
    case 'moved':
      return [...who, ' moved ', ...what, ...moving(group)];
    case 'renamed and moved':
      return [
        ...who,
        ' renamed ',
        ...renaming(group),
        ` and moved ${isOne(group) ? 'it' : 'them'}`,
        ...moving(group),
      ];
    case 'new version':
      return [...who, ...checkedIn(group), ...at('in', first.folder)];
    case 'session changed':
      return [...who, ' changed ', ...what, ': its expiry or its status (the service doesn’t say which)'];
    case 'updated':
      return [...who, ' changed ', ...what, ...at('in', first.folder)];
    case 'other':
      return [
        'The service reported ',
        isShown(first.eventType) ? quoted(first.eventType) : 'something',
        ' for ',
        ...what,
        ...at('in', first.folder),
        ', by ',
        ...(isKnown(first) ? who : ['someone']),
      ];
  }
}

/** The name in Slack, else the name part of the e-mail address. */
export function actorOf({ actorName, actorEmail }: Pick<Change, 'actorName' | 'actorEmail'>): string {
  if (isShown(actorName)) return actorName;
  if (!isShown(actorEmail)) return someone;
  const [name] = actorEmail.split('@');
  return isShown(name ?? null) ? (name ?? someone) : actorEmail;
}

function isKnown({ actorName, actorEmail }: Change): boolean {
  return isShown(actorName) || isShown(actorEmail);
}

/** Only files are checked in; of a folder no more is known than that it was changed. */
function checkedIn(group: Group): Phrase {
  const { kind } = group.first;
  if (kind !== 'file' && kind !== 'item') return [' changed ', ...whatOf(group)];
  return [` checked in ${isOne(group) ? 'a new version' : 'new versions'} of `, ...whatOf(group)];
}

function renaming(group: Group): Phrase {
  const [only] = group.things;
  if (!isOne(group) || !only || !isShown(only.name)) return whatOf(group);
  const { kind, name, previousName } = only;
  if (!isShown(previousName)) {
    // A project or session that was certainly renamed, under a name that is all that is known of it.
    if (kind === 'project' || kind === 'session') return [`the ${kind} to `, thing(only)];
    return whatOf(group);
  }
  if (clean(name) === clean(previousName)) {
    return [...whatOf(group), ' (only in characters that cannot be seen)'];
  }
  return [...kindBefore(only), item(previousName), arrow, thing(only)];
}

function moving(group: Group): Phrase {
  const { folder, previousFolder } = group.first;
  if (folder === null || previousFolder === null || !isOne(group)) {
    return [...at('from', previousFolder), ...at('to', folder)];
  }
  return [forEye(': ', ' from '), folderName(previousFolder), arrow, folderName(folder)];
}

/** `[]` is the root of the project, where its folders are. */
function at(preposition: 'in' | 'to' | 'from', folder: readonly string[] | null): Phrase {
  if (folder === null) return [];
  if (folder.length > 0) return [` ${preposition} `, place(folder)];
  return [preposition === 'in' ? ' at the top level' : ` ${preposition} the top level`];
}

function folderName(folder: readonly string[]): Phrase[number] {
  return folder.length === 0 ? 'the top level' : place(folder);
}

function whatOf(group: Group): Phrase {
  const { first, things } = group;
  const [only = first] = things;
  if (!isOne(group)) {
    if (first.kind !== 'other') return [counted(things.length, first.kind)];
    return [`${things.length.toLocaleString('en')} `, kindWord(first)];
  }
  if (isShown(only.name)) return [...kindBefore(only), thing(only)];
  if (first.kind === 'project' || first.kind === 'session') return [`the ${first.kind}`];
  return first.kind === 'other'
    ? ['a ', kindWord(first)]
    : [first.kind === 'item' ? 'an item' : `a ${first.kind}`];
}

/** What goes before a name: files need nothing, and an item may be one. */
function kindBefore(change: Change): Phrase {
  switch (change.kind) {
    case 'file':
    case 'item':
      return [];
    case 'other':
      return [kindWord(change), ' '];
    case 'folder':
    case 'document':
    case 'project':
    case 'session':
      return [`${change.kind} `];
  }
}

/** Nothing can be opened any more where the thing was deleted. */
function thing({ name, url, verb }: Change): Phrase[number] {
  const shown = name ?? '';
  return url === null || verb === 'deleted' ? item(shown) : link(shown, url);
}

function kindWord({ resourceType }: Change) {
  return isShown(resourceType) ? quoted(resourceType) : 'something of an unknown kind';
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

/** "Harbour Tower · happened at 14:03", for the small line. Null where there is nothing to say. */
export function dotted(phrases: readonly (Phrase | null)[]): Phrase | null {
  const known = phrases.filter((phrase) => phrase !== null);
  return known.length === 0 ? null : joined(known, ' · ');
}
