import { quote } from '../../core/model/format-request.ts';
import { countWildcards, maxWildcards } from '../../core/model/glob.ts';
import { isGlob, isRoot, maxGlobLength } from '../../core/model/typed-text.ts';
import { type Cursor, isOneOf } from './cursor.ts';
import { across, Misunderstood } from './misunderstood.ts';
import { endsList } from './option-rows.ts';
import { readList } from './read-list.ts';
import type { Part, Word } from './words.ts';

/** Returns the option that was probably meant by a word, given the next word. */
type OptionMeant = (word: Part, next: Word | null) => string | undefined;

const expected = 'a path, in quotes if it has spaces';

/**
 * Reads globs up to the next option and adds them to the ones read before. Everything is in the root, so next to it only what a `!`
 * excludes remains. Throws `Misunderstood`.
 */
export function readPathList(
  cursor: Cursor,
  before: readonly string[] | undefined,
  optionMeant: OptionMeant,
): readonly string[] {
  expectPath(cursor);
  const paths = readList(cursor, before, {
    what: 'paths',
    none: 'anywhere',
    joiners: [],
    expected,
    read: (part) => readGlob(part, optionMeant(part, cursor.peek())),
    keyOf: (glob) => glob,
  });
  return paths.some(isRoot) ? paths.filter((path) => path.startsWith('!')) : paths;
}

/** Throws a correction for `in threads`, for a path as messages show it (`in Plans › Level 1`), and for `in Plans/Level 1` without quotes. */
function expectPath(cursor: Cursor): void {
  const words = cursor.ahead(endsList);
  const [option, first] = [cursor.last(), cursor.peek()];
  if (!option || !first) return;
  if (isOneOf(first, ['threads'])) throw new Misunderstood(first, expected, { meant: '', at: option });
  expectQuotes(words);
  const joint = words.find((word) => isOneOf(word, ['›', '>']));
  if (!joint) return;
  const path = words
    .map(({ text }) => text)
    .join(' ')
    .replace(/ [›>] /g, '/');
  const slashes = 'a path with slashes, in quotes if it has spaces';
  throw new Misunderstood(joint, slashes, {
    meant: insideFolder(path),
    at: across(option, words.at(-1) ?? joint),
  });
}

/** Throws a correction for a folder name that ends in a number and is not in quotes, since the number would be a path of its own. */
function expectQuotes(words: readonly Word[]): void {
  const isNamed = ({ parts, quoted, text }: Word) => parts.length === 1 && !quoted && /\p{L}$/u.test(text);
  for (const [index, word] of words.entries()) {
    const name = words[index - 1];
    if (word.quoted || !/^\d{1,2}(\/|$)/.test(word.text) || !name || !isNamed(name)) continue;
    const meant = insideFolder(`${name.text} ${word.text}`).slice('in '.length);
    throw new Misunderstood(word, expected, { meant, at: across(name, word) });
  }
}

/** `option`: what a bare word probably meant instead. */
function readGlob(part: Part, option: string | undefined): string {
  if (option !== undefined && !part.quoted && /^\p{L}+$/u.test(part.text)) {
    throw new Misunderstood(part, `${option}, or quotes around it if it is a path`, { meant: option });
  }
  const glob = part.text.trim();
  if (/(^|[!{,])(…|\.{3})\//u.test(glob))
    throw new Misunderstood(part, 'the whole path, which is shortened here');
  if (isRoot(glob) && !glob.startsWith('!')) return glob;
  if (!isGlob(glob)) throw new Misunderstood(part, `${expected}, and at most ${maxGlobLength} characters`);
  if (countWildcards(glob) <= maxWildcards) return glob;
  const fewer = `a path with at most ${maxWildcards} wildcards (each *, ?, ** and {…} is one)`;
  throw new Misunderstood(part, fewer);
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
