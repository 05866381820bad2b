import type { Part } from './words.ts';

/** A range of the typed line. */
export type Stretch = Pick<Part, 'start' | 'end'>;

/** What went wrong, in terms of the grammar. Examples are written as they are typed after `/plancast`. */
export type Fault = {
  /** Null if something is missing at the end. */
  readonly word: Part | null;
  readonly expected: string;
  readonly example: string;
  /** What was probably meant, to replace the word or to go at the end of the line. Empty if the word should be dropped. */
  readonly meant?: string | undefined;
  /** What `meant` replaces, if that is not just the word. */
  readonly at?: Stretch | undefined;
  /** Whether `meant` contains something made up, like an email address. Then the corrected line is shown but cannot be run. */
  readonly madeUp?: boolean | undefined;
};

/** What a reader expects at a position, before the word there is known. */
export type Expectation = Omit<Fault, 'word'>;

/** Thrown inside the grammar at the first word that cannot be understood; `parseCommand` turns it into the answer. */
export class Misunderstood extends Error {
  readonly fault: Fault;

  constructor(fault: Fault, options?: ErrorOptions) {
    super(`expected ${fault.expected}`, options);
    this.name = 'Misunderstood';
    this.fault = fault;
  }
}

/** Returns the position right before a word, where something is missing. */
export function before({ start }: Stretch): Stretch {
  return { start, end: start };
}
