import { countSlips } from '../../lib/count-slips.ts';
import { fold } from './words.ts';

/** A word of the grammar, with the other words that people use for it. */
export type Candidate = { readonly word: string; readonly alike?: readonly string[] };

const longestWord = 24;

/**
 * Returns the word of the grammar of which the typed one is a synonym or a misspelling: by one slip in words of four to six letters, by two
 * in longer ones. Undefined if no word, or more than one, is nearest.
 */
export function nearest(typed: string, candidates: readonly Candidate[]): string | undefined {
  if (typed.length > longestWord) return undefined;
  const word = fold(typed).replace(/^[^\p{L}\p{N}]{1,3}|[^\p{L}\p{N}]{1,3}$/gu, '');
  const same = candidates.find((candidate) => candidate.word === word || candidate.alike?.includes(word));
  return same ? same.word : leastSlips(word, candidates);
}

function leastSlips(word: string, candidates: readonly Candidate[]): string | undefined {
  let best: string | undefined;
  let fewest = 3;
  for (const { word: meant } of candidates) {
    const slips = countSlips(word, meant);
    if (slips > fewest || slips > (meant.length < 4 ? 0 : meant.length < 7 ? 1 : 2)) continue;
    best = slips < fewest ? meant : undefined;
    fewest = slips;
  }
  return best;
}
