import { maxListLength } from '../../core/model/typed-text.ts';
import type { Cursor } from './cursor.ts';
import { Misunderstood } from './misunderstood.ts';
import { endsList } from './option-rows.ts';
import type { Part, Word } from './words.ts';

/** An option whose argument is a list, which can be typed more than once. */
type ListOption<T> = {
  /** What is in the list, in the plural. */
  readonly what: string;
  /** The word that empties the list. */
  readonly none: string;
  /** Words that may stand between two parts of it. */
  readonly joiners: readonly string[];
  /** What the grammar expects in place of each part. */
  readonly expected: string;
  /** Whether a word after the first belongs to the list. A word after a comma always does. */
  readonly fits: (word: Word) => boolean;
  /** Throws `Misunderstood`. */
  readonly read: (part: Part) => T;
  /** Two values with the same key are the same. */
  readonly keyOf: (value: T) => string;
};

/** Reads a list up to the next word that does not belong to it and adds it to the one read before, without duplicates. Throws `Misunderstood`. */
export function readList<T>(
  cursor: Cursor,
  before: readonly T[] | undefined,
  option: ListOption<T>,
): readonly T[] {
  const { what, none, keyOf } = option;
  const word = cursor.peek();
  const emptied = cursor.accept(none) !== null;
  const values = emptied ? [] : readParts(cursor, option);
  if (before && emptied !== (before.length === 0)) {
    throw new Misunderstood(word, `either ${what} or ${none}`);
  }
  const all = new Map<string, T>();
  for (const one of [...(before ?? []), ...values]) all.set(keyOf(one), all.get(keyOf(one)) ?? one);
  if (all.size > maxListLength) throw tooMany(word, what);
  return [...all.values()];
}

function readParts<T>(cursor: Cursor, { what, expected, joiners, fits, read }: ListOption<T>): T[] {
  const values: T[] = [];
  let word: Word | null = cursor.take(expected);
  if (endsList(word)) throw new Misunderstood(word, expected);
  while (word) {
    for (const part of word.parts) {
      values.push(read(part));
      if (values.length > maxListLength) throw tooMany(part, what);
    }
    const isJoined = endsInComma(cursor.last() ?? word) || cursor.accept(...joiners) !== null;
    word = cursor.takeUnless((next) => endsList(next) || !(isJoined || fits(next)));
  }
  return values;
}

function endsInComma({ parts, end }: Word): boolean {
  return parts.at(-1)?.end !== end;
}

function tooMany(word: Part | null, what: string): Misunderstood {
  return new Misunderstood(word, `at most ${maxListLength} ${what}`);
}
