import { maxListLength } from '../../core/model/typed-text.ts';
import { Misunderstood } from './misunderstood.ts';
import type { Part } from './words.ts';

type Merging<T> = {
  readonly key: (one: T) => string;
  readonly word: Part | null;
  readonly what: string;
  readonly example: string;
};

/** A list with what a further option adds to it, each once. Throws `Misunderstood` if it becomes too long. */
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
