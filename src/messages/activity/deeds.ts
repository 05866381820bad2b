import { type Change, type ChangeVerb, someone } from '../../core/model/change.ts';
import { clean } from '../text/escape.ts';
import {
  counted,
  forEye,
  item,
  joined,
  link,
  type Marked,
  type Phrase,
  person,
  place,
  quoted,
  say,
} from '../text/phrase.ts';
import type { Group } from './grouping.ts';

type Deed = {
  /** The sign in front of the sentence. */
  readonly sign: string;
  /** The verb in counts and lists. */
  readonly word: string;
  /** Whether a digest lists it first, so that it is not overlooked. */
  readonly notable?: true | undefined;
  readonly said: (group: Group) => Phrase;
};

/** How each verb is shown. */
export const deeds: Readonly<Record<ChangeVerb, Deed>> = {
  added: {
    sign: '➕',
    word: 'added',
    said: (group) => say`${who(group)} added ${whatOf(group)}${at('to', group.first.folder)}`,
  },
  updated: {
    sign: '🔁',
    word: 'updated',
    said: (group) =>
      say`${who(group)} updated ${whatOf(group)}${often(group)}${at('in', group.first.folder)}`,
  },
  renamed: {
    sign: '✏️',
    word: 'renamed',
    said: (group) => say`${who(group)} renamed ${renaming(group)}${at('in', group.first.folder)}`,
  },
  moved: {
    sign: '📂',
    word: 'moved',
    said: (group) => say`${who(group)} moved ${whatOf(group)}${moving(group)}`,
  },
  'renamed and moved': {
    sign: '📂',
    word: 'renamed and moved',
    said: (group) =>
      say`${who(group)} renamed ${renaming(group)} and moved ${isOne(group) ? 'it' : 'them'}${moving(group)}`,
  },
  'session changed': {
    sign: '⏳',
    word: 'updated (expiry or status)',
    notable: true,
    said: (group) => say`${who(group)} updated ${whatOf(group)} (expiry or status)`,
  },
  deleted: {
    sign: '🗑️',
    word: 'deleted',
    notable: true,
    said: (group) => say`${who(group)} deleted ${whatOf(group)}${at('from', group.first.folder)}`,
  },
  other: {
    sign: '🔔',
    word: 'reported',
    said: (group) => {
      const { eventType, folder } = group.first;
      const what = isShown(eventType) ? say`: ${quoted(eventType)}` : [];
      const by = isKnown(group.first) ? say`, by ${who(group)}` : [];
      return say`Something happened to ${whatOf(group)}${at('in', folder)}${by}${what}`;
    },
  },
};

function who({ first }: Group): Phrase {
  return [person(actorOf(first))];
}

export const arrow = forEye(' → ', ' to ');

/** Returns the actor's name in Slack, or else the name part of the email address. */
export function actorOf({ actorName, actorEmail }: Pick<Change, 'actorName' | 'actorEmail'>): string {
  if (isShown(actorName)) return actorName;
  if (!isShown(actorEmail)) return someone;
  const [name = null] = actorEmail.split('@');
  return isShown(name) ? name : actorEmail;
}

function isKnown({ actorName, actorEmail }: Change): boolean {
  return isShown(actorName) || isShown(actorEmail);
}

/** Returns " 20 times" for one item. */
function often(group: Group): Phrase {
  return isOne(group) && group.changes.length > 1 ? say` ${counted(group.changes.length, 'time')}` : [];
}

function renaming(group: Group): Phrase {
  const [only] = group.things;
  if (!isOne(group) || !only || !isShown(only.name)) return whatOf(group);
  const { previousName } = only;
  // It was certainly renamed, but only the new name is known.
  if (!isShown(previousName)) return say`${unnamed(only)} to ${thing(only)}`;
  return [...kindBefore(only), item(previousName), arrow, thing(only)];
}

function moving(group: Group): Phrase {
  const { folder, previousFolder } = group.first;
  if (folder === null) return at('from', previousFolder);
  const from = previousFolder === null ? anotherFolder : folderName(previousFolder);
  if (!isOne(group)) return say` from ${from}${at('to', folder)}`;
  return [forEye(': ', ' from '), from, arrow, folderName(folder)];
}

/** Shown for a previous folder that is unknown, or that this channel may not see. */
const anotherFolder = 'another folder';

/** `[]` is the root of the project. */
function at(preposition: 'in' | 'to' | 'from', folder: readonly string[] | null): Phrase {
  if (folder === null) return [];
  if (folder.length > 0) return say` ${preposition} ${place(folder)}`;
  return [preposition === 'in' ? ' at the top level' : ` ${preposition} the top level`];
}

function folderName(folder: readonly string[]) {
  return folder.length === 0 ? 'the top level' : place(folder);
}

function whatOf(group: Group): Phrase {
  const { first, things } = group;
  const [only = first] = things;
  if (isOne(group)) return isShown(only.name) ? [...kindBefore(only), thing(only)] : unnamed(only);
  if (first.kind === 'other') return say`${counted(things.length, 'item')} of ${typeOf(first)}`;
  const kinds = [...Map.groupBy(things, ({ kind }) => kind)];
  const counts = kinds.map(([kind, own]): Phrase => [counted(own.length, kind)]);
  return joined(counts, ', ', ' and ');
}

/** What to call something without a name, and what goes before a name. A file needs no word there, and an item may be a file. */
const kindWords: Readonly<
  Record<Exclude<Change['kind'], 'other'>, readonly [alone: string, before: string]>
> = {
  project: ['the project', 'project '],
  folder: ['a folder', 'folder '],
  file: ['a file', ''],
  item: ['an item', ''],
  session: ['the session', 'session '],
  document: ['a document', 'document '],
};

function unnamed(change: Change): Phrase {
  if (change.kind !== 'other') return [kindWords[change.kind][0]];
  return say`an item of ${typeOf(change)}`;
}

function kindBefore(change: Change): Phrase {
  if (change.kind !== 'other') return [kindWords[change.kind][1]];
  return isShown(change.resourceType) ? say`${quoted(change.resourceType)} ` : [];
}

/** Returns the name, as a link if there is a URL. What was deleted can no longer be opened. */
export function thing({ name, url, verb }: Change): Marked {
  const shown = name ?? '';
  return url === null || verb === 'deleted' ? item(shown) : link(shown, url);
}

function typeOf({ resourceType }: Change): Phrase {
  return isShown(resourceType) ? say`type ${quoted(resourceType)}` : say`an unknown type`;
}

/** Returns whether a group is about one thing, so its sentence is in the singular. */
export function isOne({ things }: Group): boolean {
  return things.length === 1;
}

/** Returns whether a text of the service has anything to show once invisible characters are removed. */
export function isShown(text: string | null): text is string {
  return text !== null && clean(text) !== '';
}
