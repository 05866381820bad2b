import { quote } from '../../core/model/format-request.ts';
import { countWildcards, maxWildcards } from '../../core/model/glob.ts';
import { isGlob, isRoot, maxGlobLength } from '../../core/model/typed-text.ts';
import { type Cursor, isOneOf } from './cursor.ts';
import { Misunderstood } from './misunderstood.ts';
import { endsList } from './option-rows.ts';
import { readList } from './read-list.ts';
import type { Part, Word } from './words.ts';

type PathList = {
  readonly example: string;
  /** Returns the option that was probably meant by a word, given the next word. */
  readonly optionMeant: (word: Part, next: Word | null) => string | undefined;
};

const expected = 'a path, in quotes if it has spaces';

/**
 * Reads globs up to the next option and adds them to the ones read before. Everything is in the root, so next to it only what a `!`
 * excludes remains. Throws `Misunderstood`.
 */
export function readPaths(
  cursor: Cursor,
  before: readonly string[] | undefined,
  list: PathList,
): readonly string[] {
  expectPath(cursor, list.example);
  const paths = readList(cursor, before, {
    what: 'paths',
    none: 'anywhere',
    joiners: [],
    expected,
    example: list.example,
    read: (part) => readGlob(part, cursor, list),
    keyOf: (glob) => glob,
  });
  return paths.some(isRoot) ? paths.filter((path) => path.startsWith('!')) : paths;
}

/** Throws a correction for `in threads`, for a path as messages show it (`in Plans › Level 1`), and for `in Plans/Level 1` without quotes. */
function expectPath(cursor: Cursor, example: string): void {
  const words = cursor.ahead(endsList);
  const [option, first, end] = [cursor.last(), cursor.peek(), words.at(-1)?.end];
  if (!option || !first) return;
  if (isOneOf(first, ['threads']))
    throw new Misunderstood({ word: first, expected, example, meant: '', at: option });
  expectQuotes(words, example);
  const joint = words.find((word) => isOneOf(word, ['›', '>']));
  if (!joint || end === undefined) return;
  const path = words
    .map(({ text }) => text)
    .join(' ')
    .replace(/ [›>] /g, '/');
  const slashes = 'a path with slashes, in quotes if it has spaces';
  const at = { start: option.start, end };
  throw new Misunderstood({ word: joint, expected: slashes, example, meant: insideFolder(path), at });
}

/** Throws a correction for a folder name that ends in a number and is not in quotes, since the number would be a path of its own. */
function expectQuotes(words: readonly Word[], example: string): void {
  const isNamed = ({ parts, quoted, text }: Word) => parts.length === 1 && !quoted && /\p{L}$/u.test(text);
  for (const [index, word] of words.entries()) {
    const name = words[index - 1];
    if (word.quoted || !/^\d{1,2}(\/|$)/.test(word.text) || !name || !isNamed(name)) continue;
    const meant = insideFolder(`${name.text} ${word.text}`).slice('in '.length);
    throw new Misunderstood({ word, expected, example, meant, at: { start: name.start, end: word.end } });
  }
}

function readGlob(part: Part, cursor: Cursor, { example, optionMeant }: PathList): string {
  const bare = !part.quoted && /^\p{L}+$/u.test(part.text);
  const meant = bare ? optionMeant(part, cursor.peek()) : undefined;
  if (meant !== undefined) {
    const either = `${meant}, or quotes around it if it is a path`;
    throw new Misunderstood({ word: part, expected: either, meant, example });
  }
  const glob = part.text.trim();
  if (isRoot(glob) && !glob.startsWith('!')) return glob;
  if (!isGlob(glob)) {
    const shorter = `${expected}, and at most ${maxGlobLength} characters`;
    throw new Misunderstood({ example, word: part, expected: shorter });
  }
  if (countWildcards(glob) > maxWildcards) {
    const fewer = `a path with at most ${maxWildcards} wildcards (each *, ?, ** and {…} is one)`;
    throw new Misunderstood({ example, word: part, expected: fewer });
  }
  return glob;
}

/** Returns the option for a folder name that was typed without one: everything in the folder. */
export function insideFolder(text: string): string {
  const glob = text.trim().replace(/\/+$/, '');
  if (/^\.[a-z0-9]{1,5}$/i.test(glob)) return `in ${quote(`**/*${glob}`)}`;
  const isWhole = /[*?]/.test(glob) || /\.[a-z0-9]{1,5}$/i.test(glob);
  return `in ${quote(isWhole ? glob : `${glob}/**`)}`;
}

/** Returns the option that excludes a folder. */
export function outsideFolder(text: string): string {
  return insideFolder(`!${text.trim().replace(/^!/, '')}`);
}
