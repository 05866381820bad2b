import { isRoot } from '../../core/model/typed-text.ts';
import { type Line, longestKnown } from './line.ts';
import { isJoiner, readList } from './lists.ts';
import { isGrammarWord } from './vocabulary.ts';
import type { Part, Word } from './words.ts';

export const patternsExpected = 'the name of a folder or file, in quotes';

/** Reads the patterns after `in`; null if none are next. */
export function readPatterns(line: Line): string[] | null {
  const patterns: string[] = [];
  for (;;) {
    const isMore = patterns.length > 0;
    const joint = isMore && isJoiner(line.peek()) ? 1 : 0;
    const place = knownAt(line, joint) ?? joinedAt(line, joint);
    if (place) line.take(joint + place.count);
    const found = place ? [place.pattern] : readList(line, (part) => patternOf(part, !isMore), isMore);
    if (found === null) return isMore ? patterns : null;
    patterns.push(...found);
  }
}

type Run = { readonly pattern: string; readonly count: number };

/** Returns the longest run of words that spells a folder or an item which the person may know of; null if none does. */
function knownAt(line: Line, from: number): Run | null {
  const { places } = line.with;
  if (!places || line.peek(from)?.quoted) return null;
  const found = longestKnown(line, from, (spelled) => places.has(spelled));
  return found && { pattern: found.text.replace(/ ?[/›>] ?/g, '/'), count: found.count };
}

/** Returns words with a slash that stands alone between them as one pattern: messages show places as `Plans › Level 1`. Null if none are. */
function joinedAt(line: Line, from: number): Run | null {
  const names: string[] = [];
  const next = (ahead: number) => line.peek(from + ahead);
  for (let word = next(0); word && !isGrammarWord(word); word = next(2 * names.length)) {
    names.push(word.text);
    if (!isSeparator(next(2 * names.length - 1))) break;
  }
  return names.length < 2 ? null : { pattern: names.join('/'), count: 2 * names.length - 1 };
}

function isSeparator(word: Word | null): boolean {
  return word !== null && !word.quoted && ['/', '›', '>'].includes(word.text);
}

/** Returns a word as a pattern, if it is one by its quotes, its signs or its ending; null if not. Signs alone are one only in front. */
function patternOf({ text: typed, quoted, mark }: Part, isFirst: boolean): string | null {
  const text = typed.trim();
  if (quoted) return text === '' ? null : text;
  const isLink = (mark?.kind === 'link' || text.includes('://')) && /\d{3}-?\d{3}-?\d{3}/.test(text);
  if (isLink) return null;
  if (!/[\p{L}\p{N}]/u.test(text)) return isFirst && (isRoot(text) || text.includes('*')) ? text : null;
  const hasEnding = /\.[\p{L}\p{N}]{1,5}$/u.test(text.replace(/[^\p{L}\p{N}]{1,3}$/u, ''));
  return hasEnding || /^!|[/›>*]/u.test(text) ? text : null;
}
