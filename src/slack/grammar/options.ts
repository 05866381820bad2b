import { type Cursor, isOneOf } from './cursor.ts';
import { eventTypeOf } from './event-types.ts';
import { withExample } from './misunderstood.ts';
import { nearest } from './nearest.ts';
import { exampleWith, type OptionWord, optionRows } from './option-rows.ts';
import { readPathList } from './paths.ts';
import {
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
import { unknownOption } from './unknown-option.ts';
import type { Word } from './words.ts';

type OptionReader = {
  /** Reads the arguments. */
  read(cursor: Cursor, typed: Typed): void;
  /** Whether a word can be its first argument. If it can, the word before it in a list of globs may be a misspelled option. */
  fits?(word: Word | null): boolean;
};

const fitsTypes = (word: Word | null) => word?.parts.some((part) => eventTypeOf(part) !== null) === true;

const readers: Readonly<Record<OptionWord, OptionReader>> = {
  itself: { read: readItself },
  only: { read: readOnly, fits: fitsTypes },
  in: { read: readPaths },
  by: { read: readBy },
  not: { read: readNotBy },
  digest: { read: readDigest, fits: fitsDigest },
  weekdays: {
    read: (cursor, typed) => {
      typed.weekdays = cursor.last() ?? undefined;
    },
  },
  except: { read: readExcept, fits: fitsTypes },
  live: { read: readLive },
  threads: { read: readThreads, fits: (word) => isOneOf(word, ['on', 'off']) },
  as: { read: readName },
};

/** Reads all options up to the end of the line. `kind` is the kind of resource. Throws `Misunderstood`. */
export function readOptions(cursor: Cursor, kind: string) {
  const typed: Typed = { kind, itself: false, at: {} };
  for (let word = cursor.peek(); word; word = cursor.peek()) {
    const found = optionRows.find((row) => isOneOf(word, [row.word]));
    if (!found) throw unknownOption(cursor, word, kind);
    cursor.skip();
    withExample(exampleWith(found.example), () => readers[found.word].read(cursor, typed));
  }
  const { itself, only, paths, by, notBy, threads, name } = typed;
  return { itself, filters: { only, paths, by, notBy }, when: scheduleOf(typed), threads, name };
}

function readPaths(cursor: Cursor, typed: Typed): void {
  typed.paths = readPathList(cursor, typed.paths, ({ text }, next) =>
    nearest(
      text,
      optionRows.filter(({ word }) => readers[word].fits?.(next)),
    ),
  );
}
