import type { Part } from './words.ts';

/** A range of the typed line. */
export type Stretch = Pick<Part, 'start' | 'end'>;

type Correction = {
  /** What was probably meant, to replace the word or to go at the end of the line. Empty if the word should be dropped. */
  readonly meant?: string | undefined;
  /** What `meant` replaces, if that is not just the word. */
  readonly at?: Stretch | undefined;
  /** Whether the corrected line cannot be run, only typed elsewhere. */
  readonly onlyShown?: boolean;
  /** A line that works, as it is typed after `/plancast`; where it is missing, `withExample` adds it. */
  readonly example?: string;
};

/** What went wrong, in terms of the grammar. */
export type Fault = Correction & {
  /** Null if something is missing at the end. */
  readonly word: Part | null;
  readonly expected: string;
};

/** Thrown inside the grammar at the first word that cannot be understood; `parseCommand` turns it into the answer. */
export class Misunderstood extends Error {
  /** The readers of larger parts of the line add to it. */
  fault: Fault;

  constructor(word: Part | null, expected: string, correction: Correction = {}) {
    super(`expected ${expected}`);
    this.name = 'Misunderstood';
    this.fault = { word, expected, ...correction };
  }
}

/** Runs a reader. A mistake that it reports without an example gets this one. */
export function withExample<T>(example: string, read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (error instanceof Misunderstood) error.fault = { example, ...error.fault };
    throw error;
  }
}

/** Returns the position right before a word, where something is missing. */
export function before({ start }: Stretch): Stretch {
  return { start, end: start };
}

/** Returns the range from the start of one word to the end of another. */
export function across({ start }: Stretch, { end }: Stretch): Stretch {
  return { start, end };
}
