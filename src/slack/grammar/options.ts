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

/** What may follow the resource of a subscription, in any order: both the parser and help are made of this. */
export type Option = {
  readonly word: OptionWord;
  readonly alike: readonly string[];
  readonly usage: readonly string[];
  readonly description: string;
  /** With its arguments, as an example. */
  readonly example: string;
  /** Whether a word can be its first argument: sets a typing mistake in a list of globs apart from a glob. */
  fits(word: Word | null): boolean;
  /** Reads what follows the option's word. */
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
    usage: ['itself'],
    description: 'Only the project, folder or session, without its contents.',
    example: 'itself',
    fits: () => false,
    read: readItself,
  },
  {
    word: 'only',
    alike: ['events', 'types', 'just'],
    usage: ['only added,changed,deleted', 'only all'],
    description: 'Event types to post. Default: all.',
    example: 'only create,delete',
    fits: (word) => word?.parts.some((part) => eventTypeOf(part) !== null) === true,
    read: readOnly,
  },
  {
    word: 'in',
    alike: ['path', 'paths', 'under', 'inside', 'within', 'inn', 'im', 'ni'],
    usage: ['in "Plans/Level 1/**"', 'in "!Archive/**"', 'in anywhere'],
    description: 'Paths to post, as globs. Start one with ! to exclude it.',
    example: 'in "Plans/Level 1/**"',
    fits: () => false,
    read: readPaths,
  },
  {
    word: 'by',
    alike: ['from'],
    usage: ['by dana@example.com @dana', 'by me', 'by anyone'],
    description: 'Only changes by these people.',
    example: 'by dana@example.com',
    fits: () => false,
    read: readBy,
  },
  {
    word: 'not',
    alike: ['without', 'ignore', 'excluding'],
    usage: ['not by dana@example.com @dana', 'not by nobody'],
    description: 'Ignore changes by these people.',
    example: 'not by dana@example.com',
    fits: () => false,
    read: readNotBy,
  },
  {
    word: 'digest',
    alike: ['summary', 'digests', 'summarize'],
    usage: ['digest hourly', 'digest daily 09:00', 'digest daily 09:00 weekdays', 'digest off'],
    description: 'Post one summary an hour or a day, in your time zone.',
    example: 'digest daily 09:00',
    fits: fitsDigest,
    read: readDigest,
  },
  {
    word: 'weekdays',
    alike: ['weekday', 'workdays'],
    usage: ['digest daily 09:00 weekdays'],
    description: 'Monday to Friday only.',
    example: 'digest daily 09:00 weekdays',
    fits: () => false,
    read: (cursor, typed) => {
      typed.weekdays = cursor.last() ?? undefined;
    },
  },
  {
    word: 'except',
    alike: ['excepting', 'but'],
    usage: ['digest hourly except deleted'],
    description: 'Event types to post right away instead of in the digest.',
    example: 'digest hourly except deleted',
    fits: (word) => word?.parts.some((part) => eventTypeOf(part) !== null) === true,
    read: readExcept,
  },
  {
    word: 'live',
    alike: ['now', 'instantly', 'immediately'],
    usage: ['live'],
    description: 'Post changes as they happen. The default.',
    example: 'live',
    fits: () => false,
    read: readLive,
  },
  {
    word: 'threads',
    alike: ['thread', 'threaded'],
    usage: ['threads', 'threads off'],
    description: 'Group later changes of an item in its thread. Off by default.',
    example: 'threads on',
    fits: (word) => isOneOf(word, ['on', 'off']),
    read: readThreads,
  },
  {
    word: 'as',
    alike: ['named', 'called'],
    usage: ['as "Harbour Tower"'],
    description: 'The name to show until the service sends one.',
    example: 'as "Harbour Tower"',
    fits: () => false,
    read: readName,
  },
];

/** Reads all options up to the end of the line. `kind` is what they are for; `unknown` names what is none. Throws `Misunderstood`. */
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
