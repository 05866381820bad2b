import { countWildcards, maxWildcards } from '../../core/model/glob.ts';
import type { TypedFilters, TypedWhen } from '../../core/model/request.ts';
import type { EventType, PersonName } from '../../core/model/subscription.ts';
import { eventTypes } from '../../core/model/subscription.ts';
import { isEmail, isGlob, isUserId, maxGlobLength, maxListLength } from '../../core/model/typed-text.ts';
import type { Cursor } from './cursor.ts';
import { isOneOf } from './cursor.ts';
import { Misunderstood } from './misunderstood.ts';
import type { Candidate } from './nearest.ts';
import { nearest } from './nearest.ts';
import { readTime } from './time.ts';
import type { Part, Word } from './words.ts';
import { fold } from './words.ts';

/** What may follow the resource of a subscription, in any order: both the parser and help are made of this. */
export type Option = {
  readonly word: string;
  readonly alike: readonly string[];
  readonly usage: readonly string[];
  readonly description: string;
  /** With its arguments, as an example. */
  readonly example: string;
  /** Whether a word can be its first argument: tells a slip of the fingers in a list of globs from a glob. */
  fits(word: Word | null): boolean;
  /** Reads what follows the option's word. */
  read(cursor: Cursor, typed: Typed): void;
};

/** What has been read so far. */
type Typed = {
  readonly kind: string;
  itself: boolean;
  only: readonly EventType[] | undefined;
  paths: readonly string[] | undefined;
  by: readonly PersonName[] | undefined;
  notBy: readonly PersonName[] | undefined;
  when: TypedWhen | undefined;
  threads: boolean | undefined;
};

export type TypedOptions = {
  readonly itself: boolean;
  readonly filters: TypedFilters;
  readonly when: TypedWhen | undefined;
  readonly threads: boolean | undefined;
};

const typeCandidates: readonly Candidate[] = [
  { word: 'create', alike: ['add', 'adds', 'added', 'new'] },
  { word: 'update', alike: ['change', 'changes', 'changed', 'modified', 'edited', 'moved', 'renamed'] },
  { word: 'delete', alike: ['remove', 'removes', 'removed'] },
];
const joiners = ['and', 'or'];

export const options: readonly Option[] = [
  {
    word: 'itself',
    alike: ['plain', 'alone'],
    usage: ['itself'],
    description: 'The project or session alone, without what is in it.',
    example: 'itself',
    fits: () => false,
    read: readItself,
  },
  {
    word: 'only',
    alike: ['events', 'types'],
    usage: ['only create,update,delete', 'only all'],
    description: 'The types of events to post. All, unless said.',
    example: 'only create,delete',
    fits: (word) => word?.parts.some((part) => eventTypeOf(part) !== null) === true,
    read: readOnly,
  },
  {
    word: 'in',
    alike: ['path', 'paths', 'under', 'inside'],
    usage: ['in "Plans/Level 1/**"', 'in "!Archive/**"', 'in anywhere'],
    description: 'The paths to post, as globs, several if need be; a leading ! leaves out.',
    example: 'in "Plans/Level 1/**"',
    fits: () => false,
    read: readPaths,
  },
  {
    word: 'by',
    alike: ['from'],
    usage: ['by dana@example.com @dana', 'by anyone'],
    description: 'The people whose changes to post, by e-mail or mention.',
    example: 'by dana@example.com',
    fits: () => false,
    read: readBy,
  },
  {
    word: 'not',
    alike: ['except', 'without'],
    usage: ['not by dana@example.com @dana', 'not by nobody'],
    description: 'The people whose changes to leave out.',
    example: 'not by dana@example.com',
    fits: () => false,
    read: readNotBy,
  },
  {
    word: 'digest',
    alike: ['summary', 'hourly', 'daily'],
    usage: ['digest hourly', 'digest daily 09:00'],
    description: 'Post one summary an hour or a day, at a time of your own zone.',
    example: 'digest daily 09:00',
    fits: (word) => isOneOf(word, ['hourly', 'daily', 'live']),
    read: readDigest,
  },
  {
    word: 'live',
    alike: ['now', 'instantly', 'immediately'],
    usage: ['live'],
    description: 'Post at once. So it is, unless said.',
    example: 'live',
    fits: () => false,
    read: readLive,
  },
  {
    word: 'threads',
    alike: [],
    usage: ['threads on', 'threads off'],
    description: "Post an item's later events into its thread. Off, unless said.",
    example: 'threads on',
    fits: (word) => isOneOf(word, ['on', 'off']),
    read: readThreads,
  },
];

/** The words that end a list, unless they are quoted. */
export const optionWords: readonly string[] = options.map(({ word }) => word);

const base = 'subscribe project 123-456-789';
const optionNames = 'only, in, by, not by, digest, live or threads';

/** Reads all options up to the end of the line. `kind` is what they are for. Throws `Misunderstood`. */
export function readOptions(cursor: Cursor, kind: string): TypedOptions {
  const typed: Typed = {
    kind,
    itself: false,
    only: undefined,
    paths: undefined,
    by: undefined,
    notBy: undefined,
    when: undefined,
    threads: undefined,
  };
  for (let word = cursor.peek(); word; word = cursor.peek()) {
    const option = optionAt(word);
    if (!option) {
      throw unknownOption(word, kind);
    }
    cursor.skip();
    option.read(cursor, typed);
  }
  const { itself, only, paths, by, notBy, when, threads } = typed;
  return { itself, filters: { only, paths, by, notBy }, when, threads };
}

function optionAt(word: Word): Option | undefined {
  return options.find((option) => isOneOf(word, [option.word]));
}

function unknownOption(word: Word, kind: string): Misunderstood {
  const expected = isWithin(kind) ? optionNames : `itself, ${optionNames}`;
  const missing = missingOption(word);
  const near = missing ?? nearest(word.text, options);
  const meant = isOneOf(word, ['hourly', 'daily']) ? `digest ${word.folded}` : near;
  const example = `${base} ${options.find((option) => option.word === near)?.example ?? 'only create,delete'}`;
  // Where the option's word was left out nothing is to be replaced: it is put in front.
  return new Misunderstood({ word: missing ? { ...word, end: word.start } : word, expected, example, meant });
}

/** The option of which this is an argument, where that can be seen. */
function missingOption(word: Word): string | undefined {
  const [first] = word.parts;
  if (first && eventTypeOf(first)) {
    return 'only';
  }
  if (first && personOf(first)) {
    return 'by';
  }
  return /[*/]/.test(word.text) ? 'in' : undefined;
}

function isWithin(kind: string): boolean {
  return kind === 'folder' || kind === 'file' || kind === 'document';
}

function readItself(cursor: Cursor, typed: Typed): void {
  const word = cursor.last();
  const example = `${base} itself`;
  if (isWithin(typed.kind)) {
    const expected = `nothing of the kind, as a ${typed.kind} is always followed alone; itself is for projects and sessions`;
    throw new Misunderstood({ word, expected, example });
  }
  if (typed.itself) {
    throw new Misunderstood({ word, expected: 'itself only once', example });
  }
  typed.itself = true;
}

function readOnly(cursor: Cursor, typed: Typed): void {
  const example = `${base} only create,delete`;
  const wanted = { expected: 'create, update or delete', example };
  const first = cursor.peek();
  const types = cursor.accept('all', 'everything') ? [] : readTypes(cursor, wanted);
  if (typed.only && !sameSet(typed.only, types)) {
    throw new Misunderstood({ word: first, expected: 'only once, with all its types behind it', example });
  }
  typed.only = types;
}

function readTypes(cursor: Cursor, wanted: { expected: string; example: string }): EventType[] {
  const types = new Set<EventType>();
  let word: Word | null = notOption(cursor, wanted);
  while (word) {
    for (const part of word.parts) {
      types.add(readType(part, wanted));
    }
    cursor.accept(...joiners);
    word = cursor.peek();
    if (!word || isOneOf(word, optionWords) || !looksLikeTypes(word)) {
      return [...types];
    }
    cursor.skip();
  }
  return [...types];
}

function looksLikeTypes(word: Word): boolean {
  const near = nearest(word.parts[0]?.text ?? '', [...typeCandidates, ...options]);
  return word.parts.length > 1 || typeCandidates.some((candidate) => candidate.word === near);
}

function readType(part: Part, wanted: { expected: string; example: string }): EventType {
  const type = eventTypeOf(part);
  if (!type) {
    throw new Misunderstood({ ...wanted, word: part, meant: nearest(part.text, typeCandidates) });
  }
  return type;
}

/** The contract's words and their other forms: creates, created. */
function eventTypeOf(part: Part): EventType | null {
  const word = fold(part.text);
  return eventTypes.find((type) => word === type || word === `${type}s` || word === `${type}d`) ?? null;
}

function readPaths(cursor: Cursor, typed: Typed): void {
  const example = `${base} in "Plans/Level 1/**"`;
  const wanted = { expected: 'a path, in quotes if it has spaces', example };
  const first = cursor.peek();
  const anywhere = cursor.accept('anywhere') !== null;
  const paths = anywhere ? [] : readGlobs(cursor, wanted);
  if (typed.paths && anywhere !== (typed.paths.length === 0)) {
    throw new Misunderstood({ word: first, expected: 'either paths or anywhere', example });
  }
  typed.paths = merged(typed.paths, paths, { key: (glob) => glob, word: first, what: 'paths', example });
}

function readGlobs(cursor: Cursor, wanted: { expected: string; example: string }): string[] {
  const globs: string[] = [];
  let word: Word | null = notOption(cursor, wanted);
  while (word) {
    for (const part of word.parts) {
      globs.push(readGlob(part, cursor, wanted));
      expectFew(globs, { what: 'paths', word: part, example: wanted.example });
    }
    word = cursor.peek();
    if (!word || isOneOf(word, optionWords)) {
      return globs;
    }
    cursor.skip();
  }
  return globs;
}

function readGlob(part: Part, cursor: Cursor, wanted: { expected: string; example: string }): string {
  const bare = !part.quoted && /^\p{L}+$/u.test(part.text);
  const next = cursor.peek();
  const fitting = bare ? options.filter((option) => option.fits(next)) : [];
  const meant = nearest(part.text, fitting);
  if (meant !== undefined) {
    const expected = `${meant}, or quotes around it if it is a path`;
    throw new Misunderstood({ word: part, expected, meant, example: wanted.example });
  }
  const glob = part.text.trim();
  if (!isGlob(glob)) {
    const expected = `${wanted.expected}, and at most ${maxGlobLength} characters`;
    throw new Misunderstood({ ...wanted, word: part, expected });
  }
  if (countWildcards(glob) > maxWildcards) {
    const expected = `a path with at most ${maxWildcards} wildcards (each *, ?, ** and {…} is one)`;
    throw new Misunderstood({ ...wanted, word: part, expected });
  }
  return glob;
}

function readBy(cursor: Cursor, typed: Typed): void {
  const list = { none: 'anyone', example: `${base} by dana@example.com`, against: typed.notBy };
  typed.by = readPeople(cursor, typed.by, list);
}

function readNotBy(cursor: Cursor, typed: Typed): void {
  const list = { none: 'nobody', example: `${base} not by dana@example.com`, against: typed.by };
  if (!cursor.accept('by')) {
    throw new Misunderstood({ word: cursor.peek(), expected: 'by', example: list.example });
  }
  typed.notBy = readPeople(cursor, typed.notBy, list);
}

type PeopleList = {
  /** The word that empties it. */
  readonly none: string;
  readonly example: string;
  /** The people of the opposite list. */
  readonly against: readonly PersonName[] | undefined;
};

function readPeople(
  cursor: Cursor,
  before: readonly PersonName[] | undefined,
  list: PeopleList,
): readonly PersonName[] {
  const { none, example, against } = list;
  const first = cursor.peek();
  const emptied = cursor.accept(none) !== null;
  const people: PersonName[] = [];
  if (!emptied) {
    let word: Word | null = notOption(cursor, { expected: personExpected, example });
    while (word) {
      for (const part of word.parts) {
        people.push(readPerson(part, { example, against }));
        expectFew(people, { what: 'people', word: part, example });
      }
      cursor.accept(...joiners);
      word = cursor.peek();
      if (!word || isOneOf(word, optionWords)) {
        break;
      }
      cursor.skip();
    }
  }
  if (before && emptied !== (before.length === 0)) {
    throw new Misunderstood({ word: first, expected: `either people or ${none}`, example });
  }
  return merged(before, people, { key: personKey, word: first, what: 'people', example });
}

const personExpected = 'the e-mail address or @mention of a person';

function readPerson(part: Part, { example, against }: Pick<PeopleList, 'example' | 'against'>): PersonName {
  const person = personOf(part);
  if (!person) {
    throw new Misunderstood({
      word: part,
      expected: personExpected,
      example,
      meant: nearest(part.text, options),
    });
  }
  if (against?.some((other) => personKey(other) === personKey(person))) {
    throw new Misunderstood({ word: part, expected: 'a person either by or not by, and not both', example });
  }
  return person;
}

/** Slack marks what it recognises; what was copied from elsewhere is tried as it stands. */
function personOf({ text, mark }: Part): PersonName | null {
  if (mark?.kind === 'person') {
    return isUserId(mark.id) ? { userId: mark.id } : null;
  }
  const mention = /^<@([A-Z0-9]{2,31})(?:\|[^>]{0,200})?>$/.exec(text)?.[1];
  if (mention !== undefined) {
    return isUserId(mention) ? { userId: mention } : null;
  }
  const address = mark?.kind === 'link' ? /^mailto:([^?]*)/i.exec(mark.url)?.[1] : undefined;
  const email = (address ?? text).replace(/^<|>$/g, '').trim();
  return isEmail(email) ? { email } : null;
}

function personKey(person: PersonName): string {
  return 'userId' in person ? person.userId : person.email.toLowerCase();
}

function readDigest(cursor: Cursor, typed: Typed): void {
  const example = `${base} digest daily 09:00`;
  const wanted = { expected: 'hourly, or daily and a time', example };
  const word = cursor.take(wanted);
  const schedules = ['hourly', 'daily', 'live'];
  const schedule = schedules.find((name) => isOneOf(word, [name]));
  if (schedule === undefined) {
    const meant = nearest(
      word.text,
      schedules.map((name) => ({ word: name })),
    );
    throw new Misunderstood({ ...wanted, word, meant });
  }
  if (schedule === 'daily') {
    setWhen(typed, { when: 'daily', at: readTime(cursor, example) }, word);
  } else {
    setWhen(typed, { when: schedule === 'live' ? 'live' : 'hourly' }, word);
  }
}

function readLive(cursor: Cursor, typed: Typed): void {
  setWhen(typed, { when: 'live' }, cursor.last());
}

function setWhen(typed: Typed, when: TypedWhen, word: Word | null): void {
  const { when: before } = typed;
  const at = (typedWhen: TypedWhen) => (typedWhen.when === 'daily' ? typedWhen.at : '');
  if (before && (before.when !== when.when || at(before) !== at(when))) {
    const example = `${base} digest daily 09:00`;
    throw new Misunderstood({ word, expected: 'one of live, digest hourly and digest daily', example });
  }
  typed.when = when;
}

function readThreads(cursor: Cursor, typed: Typed): void {
  const wanted = { expected: 'on or off', example: `${base} threads on` };
  const word = cursor.take(wanted);
  if (!isOneOf(word, ['on', 'off'])) {
    throw new Misunderstood({ ...wanted, word });
  }
  const threads = isOneOf(word, ['on']);
  if (typed.threads === !threads) {
    throw new Misunderstood({ ...wanted, word, expected: 'threads either on or off' });
  }
  typed.threads = threads;
}

/** The first word of a list: it is there, and it is not the next option. */
function notOption(cursor: Cursor, wanted: { expected: string; example: string }): Word {
  const word = cursor.take(wanted);
  if (isOneOf(word, optionWords)) {
    throw new Misunderstood({ ...wanted, word });
  }
  return word;
}

type Merging<T> = {
  readonly key: (one: T) => string;
  readonly word: Part | null;
  readonly what: string;
  readonly example: string;
};

/** A list with what a further option adds to it, each once. Throws `Misunderstood` if it becomes too long. */
function merged<T>(before: readonly T[] = [], more: readonly T[], merging: Merging<T>): readonly T[] {
  const all = new Map<string, T>();
  for (const one of [...before, ...more]) {
    const key = merging.key(one);
    all.set(key, all.get(key) ?? one);
  }
  const list = [...all.values()];
  expectFew(list, merging);
  return list;
}

function expectFew(
  list: readonly unknown[],
  { what, word, example }: { what: string; word: Part | null; example: string },
): void {
  if (list.length > maxListLength) {
    throw new Misunderstood({ word, expected: `at most ${maxListLength} ${what}`, example });
  }
}

function sameSet(one: readonly string[], other: readonly string[]): boolean {
  return one.length === other.length && one.every((element) => other.includes(element));
}
