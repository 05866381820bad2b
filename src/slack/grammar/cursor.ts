import { across, Misunderstood, type Stretch } from './misunderstood.ts';
import type { Part, Word } from './words.ts';

/** Walks through the words of a line once. */
export type Cursor = {
  /** Returns the next word, or null at the end; `ahead` skips that many words first. */
  peek(ahead?: number): Word | null;
  skip(): void;
  /** Takes the next word; throws `Misunderstood` at the end. */
  take(expected: string): Word;
  /** Takes the next word unless `isEnd` accepts it; returns null then, and at the end. */
  takeUnless(isEnd: (word: Word) => boolean): Word | null;
  /** Takes all words to the end of the line as one; throws `Misunderstood` if there are none. */
  takeRest(expected: string): Part;
  /** Takes the next word if it is one of these, unquoted. */
  accept(...words: readonly string[]): Word | null;
  /** Throws `Misunderstood` about the next word if there is one; the correction replaces everything from there on with `meant`. */
  expectEnd(correction?: { readonly meant?: string | undefined; readonly example?: string }): void;
  /** Returns the word taken last. */
  last(): Word | null;
  /** Returns the range from the start of `first` to the end of the word taken last. */
  stretchFrom(first: Stretch | null): Stretch | undefined;
  /** Returns the words from the next one up to the first for which `isEnd` is true. */
  ahead(isEnd: (word: Word) => boolean): readonly Word[];
  /** The Slack user that `me` stands for; null if there is none. */
  readonly me: string | null;
  /** Returns the last word that ends before this part, or the last word of the line for null. */
  before(part: Stretch | null): Word | null;
};

export function makeCursor(words: readonly Word[], me: string | null): Cursor {
  let index = 0;
  const cursor: Cursor = {
    peek: (ahead = 0) => words[index + ahead] ?? null,
    skip: () => {
      index += 1;
    },
    take: (expected) => {
      const word = cursor.takeUnless(() => false);
      if (!word) throw new Misunderstood(null, expected);
      return word;
    },
    takeUnless: (isEnd) => {
      const word = cursor.peek();
      if (!word || isEnd(word)) return null;
      index += 1;
      return word;
    },
    takeRest: (expected) => {
      const rest = words.slice(index);
      const first = cursor.take(expected);
      index = words.length;
      return { ...first, text: rest.map(({ text }) => text).join(' '), end: rest.at(-1)?.end ?? first.end };
    },
    accept: (...accepted) => cursor.takeUnless((word) => !isOneOf(word, accepted)),
    expectEnd: (correction) => {
      const word = cursor.peek();
      if (!word) return;
      const at = across(word, words.at(-1) ?? word);
      throw new Misunderstood(word, 'nothing more', { meant: '', at, ...correction });
    },
    ahead: (isEnd) => {
      const rest = words.slice(index);
      const end = rest.findIndex(isEnd);
      return end === -1 ? rest : rest.slice(0, end);
    },
    me,
    last: () => words[index - 1] ?? null,
    stretchFrom: (first) => (first ? across(first, cursor.last() ?? first) : undefined),
    before: (part) => words.findLast((word) => !part || word.end <= part.start) ?? null,
  };
  return cursor;
}

/** What people say in several words: what it means, and the words that can stand in each place. */
export type Phrases = readonly (readonly [meant: string, ...places: (readonly string[])[]])[];

/** Returns what the next words mean, and where they are, if they are one of these phrases; null if not. */
export function phraseAhead(cursor: Cursor, phrases: Phrases): { meant: string; at: Stretch } | null {
  for (const [meant, ...places] of phrases) {
    const words = places.map((_, index) => cursor.peek(index));
    const [first, last] = [words[0], words.at(-1)];
    const isMeant = places.every((place, index) => isOneOf(words[index] ?? null, place));
    if (isMeant && first && last) return { meant, at: across(first, last) };
  }
  return null;
}

/** Whether a word is one of these words of the grammar. A quoted word never is. */
export function isOneOf(word: Word | null, words: readonly string[]): boolean {
  return word !== null && !word.quoted && words.includes(word.folded);
}
