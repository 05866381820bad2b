import type { Part } from './words.ts';

/** A stretch of the typed line. */
export type Stretch = Pick<Part, 'start' | 'end'>;

/** What went wrong, in the terms of the grammar: examples are words as they stand behind `/plancast`. */
export type Fault = {
  /** Null where something is missing at the end. */
  readonly word: Part | null;
  readonly expected: string;
  readonly example: string;
  /** What was probably meant; an empty text where the word is too much. It takes the place of the word, or goes to the end. */
  readonly meant?: string | undefined;
  /** What `meant` takes the place of, where that is not just the word. */
  readonly at?: Stretch | undefined;
  /** `meant` holds something made up, like an e-mail address: the corrected line is shown, but not run. */
  readonly madeUp?: boolean | undefined;
};

/** What a reader expects at its place, before it is known which word stands there. */
export type Expectation = Omit<Fault, 'word'>;

/** Thrown inside the grammar at the first word that cannot be understood; `parseCommand` makes the answer of it. */
export class Misunderstood extends Error {
  readonly fault: Fault;

  constructor(fault: Fault, options?: ErrorOptions) {
    super(`expected ${fault.expected}`, options);
    this.name = 'Misunderstood';
    this.fault = fault;
  }
}

/** The place right before a word, where something was not typed that belongs there. */
export function before({ start }: Stretch): Stretch {
  return { start, end: start };
}
