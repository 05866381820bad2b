import { countWildcards, maxWildcards } from './glob.ts';
import { isGlob, isRoot, maxGlobsLength, maxListLength } from './typed-text.ts';

/** What is wrong with a pattern, or with all of one subscription together. */
export type PatternFault = { readonly value: string | null; readonly expected: string };

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
      return { value, expected: 'a path of at most 4,000 characters' };
  }
  if (patterns.length > maxListLength)
    return { value: patterns[maxListLength] ?? null, expected: `at most ${maxListLength} paths` };
  const isLong = patterns.join('').length > maxGlobsLength;
  return isLong ? { value: null, expected: 'paths of at most 4,000 characters together' } : null;
}

/** Returns patterns without duplicates. Everything is in the root, so next to it only what is excluded remains. */
export function withoutRoot(patterns: readonly string[]): string[] {
  const distinct = [...new Set(patterns)];
  return distinct.some(isRoot) ? distinct.filter((pattern) => pattern.startsWith('!')) : distinct;
}
