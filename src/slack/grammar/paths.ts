import { quote } from '../../core/model/format-request.ts';
import { countWildcards, maxWildcards } from '../../core/model/glob.ts';
import { isGlob, isRoot, maxGlobsLength } from '../../core/model/typed-text.ts';
import { grouped } from '../../messages/text/grouped.ts';
import { type Cursor, isOneOf } from './cursor.ts';
import { eventTypeOf } from './event-types.ts';
import { across, Misunderstood } from './misunderstood.ts';
import { nearest } from './nearest.ts';
import { endsList, optionRows } from './option-rows.ts';
import { readList } from './read-list.ts';
import type { Part, Word } from './words.ts';

const expected = 'a path, in quotes if it has spaces';
/** In `in Plans, weekly`, the last word is no folder. */
const schedules = /^(?:hourly|daily|weekly|monthly|every|each)$/i;

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
    read: (part) => readGlob(wholePath(cursor, part)),
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

/** Throws a correction for `in threads` and `in a digest`. */
function expectPath(cursor: Cursor): void {
  const [option, first] = [cursor.last(), cursor.peek()];
  const next = isOneOf(first, ['a', 'an', 'the']) ? cursor.peek(1) : null;
  if (!option || !first || !isOneOf(next ?? first, ['thread', 'threads', 'digest'])) return;
  throw new Misunderstood(first, expected, { meant: '', at: next ? across(option, first) : option });
}

/**
 * Reads on after a bare word of a path: a slash that stands alone joins two names, as messages show them (`Plans › Level 1`), and a number
 * ends one.
 */
function wholePath(cursor: Cursor, part: Part): Part {
  let { text, end } = part;
  if (part.quoted || end !== cursor.last()?.end) return part;
  for (let next = cursor.peek(); next; next = cursor.peek()) {
    const behind = isOneOf(next, ['/', '›', '>']) ? cursor.peek(1) : null;
    const isName = behind !== null && behind.parts.length === 1 && !endsList(behind);
    const isNumber = !next.quoted && /^\d{1,2}(\/|$)/.test(next.text) && /(?:^!?|\/)\p{L}+$/u.test(text);
    if (!isName && !isNumber) break;
    if (isName) cursor.skip();
    text += isName ? `/${behind.text}` : ` ${next.text}`;
    end = cursor.take(expected).end;
  }
  return { ...part, text, end };
}

function readGlob(part: Part): string {
  const glob = part.text.trim();
  if (!part.quoted && (eventTypeOf(part) || schedules.test(glob)))
    throw new Misunderstood(part, 'quotes around a folder of that name');
  if (/(^|[!{,])(…|\.{3})\//u.test(glob))
    throw new Misunderstood(part, 'the whole path, which is shortened here');
  if (isRoot(glob) && !glob.startsWith('!')) return glob;
  if (!isGlob(glob))
    throw new Misunderstood(part, `${expected}, and at most ${grouped(maxGlobsLength)} characters`);
  if (countWildcards(glob) <= maxWildcards) return glob;
  const fewer = `a path with at most ${maxWildcards} wildcards (each *, ?, ** and {…} is one)`;
  throw new Misunderstood(part, fewer);
}

/** Returns the option for a folder that was typed without it. `not`: `!` to exclude it. */
export function folderOption(text: string, not = ''): string {
  return `in ${quote(not + text.trim().replace(/^!/, ''))}`;
}
