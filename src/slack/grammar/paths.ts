import { quote } from '../../core/model/format-request.ts';
import { countWildcards, maxWildcards } from '../../core/model/glob.ts';
import { isGlob, isRoot, maxGlobsLength } from '../../core/model/typed-text.ts';
import { grouped } from '../../messages/text/grouped.ts';
import { type Cursor, isOneOf } from './cursor.ts';
import { across, Misunderstood } from './misunderstood.ts';
import { nearest } from './nearest.ts';
import { endsList, optionRows } from './option-rows.ts';
import { readList } from './read-list.ts';
import type { Part, Word } from './words.ts';

const expected = 'a path, in quotes if it has spaces';

/**
 * Reads globs up to the next word that is none and adds them to the ones read before. Everything is in the root, so next to it only what a
 * `!` excludes remains. Throws `Misunderstood`.
 */
export function readPathList(cursor: Cursor, before: readonly string[] | undefined): readonly string[] {
  expectPath(cursor);
  const paths = readList(cursor, before, {
    what: 'paths',
    none: 'anywhere',
    joiners: [],
    expected,
    fits: isPath,
    read: readGlob,
    keyOf: (glob) => glob,
  });
  const [last, next] = [cursor.last(), cursor.peek()];
  // In `in Site photos`, the first word alone would be another folder.
  if (
    last &&
    next &&
    !isPath(last) &&
    !isOneOf(last, ['anywhere']) &&
    !next.quoted &&
    !endsList(next) &&
    nearest(next.text, optionRows) === undefined
  ) {
    throw new Misunderstood(next, 'quotes around a path of several words');
  }
  if (paths.join('').length > maxGlobsLength) {
    throw new Misunderstood(cursor.last(), `paths of at most ${grouped(maxGlobsLength)} characters together`);
  }
  return paths.some(isRoot) ? paths.filter((path) => path.startsWith('!')) : paths;
}

/** Whether a word is a path wherever it stands in a list of them, and not one that is left over: by its quotes, its signs or its ending. */
export function isPath(word: Word | null): boolean {
  return word !== null && (word.quoted || /^!|[/›>*]|\.[\p{L}\p{N}]{1,5}$/u.test(word.text));
}

/** Throws a correction for `in threads`, for a path as messages show it (`in Plans › Level 1`), and for `in Plans/Level 1` without quotes. */
function expectPath(cursor: Cursor): void {
  const words = cursor.ahead(endsList);
  const [option, first] = [cursor.last(), cursor.peek()];
  if (!option || !first) return;
  if (isOneOf(first, ['threads'])) throw new Misunderstood(first, expected, { meant: '', at: option });
  const joint = words.find((word) => isOneOf(word, ['›', '>']));
  if (!joint) {
    expectQuotes(words);
    return;
  }
  const path = words.map(({ text }) => text).join(' ');
  // Any more words may be left over.
  const isWhole = /^\S+(?: \d{1,2})?(?: [›>] \S+(?: \d{1,2})?)+$/.test(path);
  const meant = isWhole ? insideFolder(path.replace(/ [›>] /g, '/')) : undefined;
  const slashes = 'a path with slashes, in quotes if it has spaces';
  throw new Misunderstood(joint, slashes, { meant, at: across(option, words.at(-1) ?? joint) });
}

/** Throws a correction for a folder name that ends in a number and is not in quotes, since the number would be a path of its own. */
function expectQuotes(words: readonly Word[]): void {
  const isNamed = ({ parts, quoted, text }: Word) =>
    parts.length === 1 && !quoted && /(?:^!?|\/)\p{L}+$/u.test(text);
  for (const [index, word] of words.entries()) {
    const name = words[index - 1];
    if (word.quoted || !/^\d{1,2}(\/|$)/.test(word.text) || !name || !isNamed(name)) continue;
    const meant = insideFolder(`${name.text} ${word.text}`).slice('in '.length);
    throw new Misunderstood(word, expected, { meant, at: across(name, word) });
  }
}

function readGlob(part: Part): string {
  const glob = part.text.trim();
  if (/(^|[!{,])(…|\.{3})\//u.test(glob))
    throw new Misunderstood(part, 'the whole path, which is shortened here');
  if (isRoot(glob) && !glob.startsWith('!')) return glob;
  if (!isGlob(glob))
    throw new Misunderstood(part, `${expected}, and at most ${grouped(maxGlobsLength)} characters`);
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
