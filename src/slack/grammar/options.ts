import type { TypedFilters, TypedWhen } from '../../core/model/request.ts';
import type { Cursor } from './cursor.ts';
import { isOneOf } from './cursor.ts';
import { eventTypeOf } from './event-types.ts';
import type { Misunderstood } from './misunderstood.ts';
import { nearest } from './nearest.ts';
import { readPaths as readPathList } from './paths.ts';
import {
  base,
  endsList,
  type OptionWord,
  readBy,
  readExcept,
  readItself,
  readName,
  readNotBy,
  readOnly,
  readThreads,
  type Typed,
} from './read-option.ts';
import { fitsDigest, readDigest, readLive, scheduleOf } from './schedule.ts';
import type { Word } from './words.ts';

/** Groups of options, named as in the form and in the order of help. */
export const optionGroups = ['Events', 'Delivery', 'More options'] as const;

/** An option after the resource of a subscription; options come in any order. Both the parser and help are built from these rows. */
export type Option = {
  readonly word: OptionWord;
  readonly alike: readonly string[];
  readonly group: (typeof optionGroups)[number];
  /** A typical use, for help. */
  readonly usage: string;
  /** What resets it to its default, since omitting an option keeps its current value. */
  readonly byDefault?: string;
  readonly description: string;
  /** An example with arguments. */
  readonly example: string;
  /** Whether a word can be its first argument. If it can, the word before it in a list of globs may be a misspelled option. */
  fits(word: Word | null): boolean;
  /** Reads the arguments. */
  read(cursor: Cursor, typed: Typed): void;
};

export type TypedOptions = {
  readonly itself: boolean;
  readonly filters: TypedFilters;
  readonly when: TypedWhen | undefined;
  readonly threads: boolean | undefined;
  readonly name: string | undefined;
};

export const options: readonly Option[] = [
  {
    word: 'itself',
    alike: ['plain', 'alone'],
    group: 'More options',
    usage: 'itself',
    description: 'The project, folder or session itself, without its contents.',
    example: 'itself',
    fits: () => false,
    read: readItself,
  },
  {
    word: 'only',
    alike: ['events', 'types', 'just'],
    group: 'Events',
    usage: 'only added,changed,deleted',
    byDefault: 'only all',
    description: 'Only these events.',
    example: 'only create,delete',
    fits: (word) => word?.parts.some((part) => eventTypeOf(part) !== null) === true,
    read: readOnly,
  },
  {
    word: 'in',
    alike: ['path', 'paths', 'under', 'inside', 'within', 'inn', 'im', 'ni'],
    group: 'Events',
    usage: 'in "Plans/Level 1/**" "!Archive/**"',
    byDefault: 'in anywhere',
    description: 'Only changes in these folders. ! excludes one.',
    example: 'in "Plans/Level 1/**"',
    fits: () => false,
    read: readPaths,
  },
  {
    word: 'by',
    alike: ['from'],
    group: 'Events',
    usage: 'by dana@example.com @dana',
    byDefault: 'by anyone',
    description: 'Only changes by these people.',
    example: 'by dana@example.com',
    fits: () => false,
    read: readBy,
  },
  {
    word: 'not',
    alike: ['without', 'ignore', 'excluding'],
    group: 'Events',
    usage: 'not by dana@example.com @dana',
    byDefault: 'not by nobody',
    description: 'Ignore changes by these people.',
    example: 'not by dana@example.com',
    fits: () => false,
    read: readNotBy,
  },
  {
    word: 'digest',
    alike: ['summary', 'digests', 'summarize'],
    group: 'Delivery',
    usage: 'digest daily 09:00',
    byDefault: 'digest off',
    description: 'One summary a day, in your time zone. Or digest hourly.',
    example: 'digest daily 09:00',
    fits: fitsDigest,
    read: readDigest,
  },
  {
    word: 'weekdays',
    alike: ['weekday', 'workdays'],
    group: 'Delivery',
    usage: 'digest daily 09:00 weekdays',
    description: 'No summary on Saturday and Sunday.',
    example: 'digest daily 09:00 weekdays',
    fits: () => false,
    read: (cursor, typed) => {
      typed.weekdays = cursor.last() ?? undefined;
    },
  },
  {
    word: 'except',
    alike: ['excepting', 'but'],
    group: 'Delivery',
    usage: 'digest hourly except deleted',
    description: 'Post these events right away, the rest in the digest.',
    example: 'digest hourly except deleted',
    fits: (word) => word?.parts.some((part) => eventTypeOf(part) !== null) === true,
    read: readExcept,
  },
  {
    word: 'live',
    alike: ['now', 'instantly', 'immediately'],
    group: 'Delivery',
    usage: 'live',
    description: 'Post changes as they happen. The default.',
    example: 'live',
    fits: () => false,
    read: readLive,
  },
  {
    word: 'threads',
    alike: ['thread', 'threaded'],
    group: 'More options',
    usage: 'threads',
    byDefault: 'threads off',
    description: 'Group later changes to an item in its thread.',
    example: 'threads on',
    fits: (word) => isOneOf(word, ['on', 'off']),
    read: readThreads,
  },
  {
    word: 'as',
    alike: ['named', 'called'],
    group: 'More options',
    usage: 'as "Harbour Tower"',
    description: 'The name to show until the service sends one.',
    example: 'as "Harbour Tower"',
    fits: () => false,
    read: readName,
  },
];

/**
 * Reads all options up to the end of the line. `kind` is the kind of resource; `unknown` makes the error for a word that is not an
 * option. Throws `Misunderstood`.
 */
export function readOptions(
  cursor: Cursor,
  kind: string,
  unknown: (cursor: Cursor, word: Word) => Misunderstood,
): TypedOptions {
  const typed: Typed = {
    kind,
    itself: false,
    only: undefined,
    paths: undefined,
    by: undefined,
    notBy: undefined,
    when: undefined,
    weekdays: undefined,
    except: undefined,
    threads: undefined,
    name: undefined,
  };
  for (let word = cursor.peek(); word; word = cursor.peek()) {
    const found = options.find((option) => isOneOf(word, [option.word]));
    if (!found) throw unknown(cursor, word);
    cursor.skip();
    found.read(cursor, typed);
  }
  const { itself, only, paths, by, notBy, threads, name } = typed;
  return { itself, filters: { only, paths, by, notBy }, when: scheduleOf(typed), threads, name };
}

function readPaths(cursor: Cursor, typed: Typed): void {
  typed.paths = readPathList(cursor, typed.paths, {
    example: `${base} in "Plans/Level 1/**"`,
    isEnd: endsList,
    optionMeant: ({ text }, next) =>
      nearest(
        text,
        options.filter((option) => option.fits(next)),
      ),
  });
}
