import { countWildcards, maxWildcards } from './glob.ts';
import { isGlob, isRoot, maxGlobsLength, maxListLength } from './typed-text.ts';

/** What is wrong with a pattern, or with all of one subscription together. */
type PatternFault = { readonly value: string | null; readonly expected: string };

/** Returns what is wrong with patterns; null if nothing is. */
export function patternsFault(patterns: readonly string[]): PatternFault | null {
  for (const value of patterns) {
    if (/(^|[!{,])(…|\.{3})\//u.test(value))
      return { value, expected: 'the full path instead of the shortened one' };
    if (countWildcards(value) > maxWildcards)
      return {
        value,
        expected: `a path with at most ${maxWildcards} wildcards (each *, ?, ** and {…} is one)`,
      };
    if (!isGlob(value) && (!isRoot(value) || value.startsWith('!')))
      return {
        value,
        expected:
          value.length > maxGlobsLength
            ? 'a path of at most 4,000 characters'
            : 'the name of a folder or file',
      };
  }
  if (patterns.length > maxListLength)
    return { value: patterns[maxListLength] ?? null, expected: `at most ${maxListLength} paths` };
  const isLong = patterns.join('').length > maxGlobsLength;
  return isLong ? { value: null, expected: 'paths of at most 4,000 characters together' } : null;
}

/**
 * Returns patterns without duplicates, and without spaces after `!`. Everything is in the root, so next to it only what is excluded remains.
 */
export function withoutRoot(patterns: readonly string[]): string[] {
  const distinct = [...new Set(patterns.map((pattern) => pattern.replace(/^!\s+/, '!')))];
  return distinct.some(isRoot) ? distinct.filter((pattern) => pattern.startsWith('!')) : distinct;
}

const separators = /[/›>\\]/;
/** The most braces in each other: a pattern has at most 10 wildcards, and each with alternatives is one. */
const deepest = 10;

/**
 * Returns a filter's pattern without the parents of its last folder, in each alternative of a brace: `A/B/*.pdf` is `…/B/*.pdf`. Where
 * text and folders in braces make one name together, nothing of that name is shown.
 */
export function shortPattern(glob: string): string {
  return shortIn(glob, 0);
}

/** `depth`: in how many braces the pattern is. */
function shortIn(glob: string, depth: number): string {
  if (depth > deepest) return '…';
  const [not = ''] = /^!+/.exec(glob) ?? [];
  if (not !== '') return `${not}${shortIn(glob.slice(not.length), depth)}`;
  const names = splitOutsideBraces(glob, separators)
    .map((name) => name.trim())
    .filter((name) => name !== '');
  let last = names.length - 1;
  // Wildcards name no folder, so the one before them is the last.
  if (/[*?]/.test(names[last] ?? '') && !separators.test(names[last] ?? '')) last -= 1;
  while (/^[*?]+$/.test(names[last] ?? '')) last -= 1;
  if (last <= 0 && !names.some((name) => separators.test(name))) return glob;
  const short = names
    .slice(Math.max(0, last))
    .map((name) => shortName(name, depth))
    .join('/');
  return last <= 0 ? short : `…/${short}`;
}

function shortName(name: string, depth: number): string {
  if (!separators.test(name)) return name;
  const alternatives = splitOutsideBraces(name.slice(1, -1), /,/);
  const isBrace = /^\{.*\}$/su.test(name) && splitOutsideBraces(`${name.slice(1, -1)}/`, /\//).at(-1) === '';
  return isBrace ? `{${alternatives.map((each) => shortIn(each, depth + 1)).join(',')}}` : '…';
}

/** The rest behind a brace that nothing opened or closed is one part. */
function splitOutsideBraces(text: string, separator: RegExp): string[] {
  const parts: string[] = [];
  let [part, depth] = ['', 0];
  for (const character of text) {
    if (character === '{') depth += 1;
    if (character === '}') depth = depth === 0 ? Number.NEGATIVE_INFINITY : depth - 1;
    if (depth === 0 && separator.test(character)) {
      parts.push(part);
      part = '';
    } else part += character;
  }
  return [...parts, part];
}
