import { maxListLength } from '../../core/model/typed-text.ts';
import { Misunderstood } from './misunderstood.ts';
import type { Part } from './words.ts';

type Merging<T> = {
  readonly key: (one: T) => string;
  readonly word: Part | null;
  readonly what: string;
  readonly example: string;
};

/** Adds the values of a repeated option to a list, without duplicates. Throws `Misunderstood` if the list becomes too long. */
export function merged<T>(
  before: readonly T[] = [],
  more: readonly T[],
  { key, word, what, example }: Merging<T>,
): readonly T[] {
  const all = new Map<string, T>();
  for (const one of [...before, ...more]) all.set(key(one), all.get(key(one)) ?? one);
  if (all.size > maxListLength) {
    throw new Misunderstood({ word, expected: `at most ${maxListLength} ${what}`, example });
  }
  return [...all.values()];
}
