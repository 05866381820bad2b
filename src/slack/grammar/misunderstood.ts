import type { Part } from './words.ts';

/** What went wrong, in the terms of the grammar: examples are words as they stand behind `/plancast`. */
export type Fault = {
  /** Null where something is missing at the end. */
  readonly word: Part | null;
  readonly expected: string;
  readonly example: string;
  readonly meant?: string | undefined;
};

/** Thrown inside the grammar at the first word that cannot be understood; `parseCommand` makes the answer of it. */
export class Misunderstood extends Error {
  readonly fault: Fault;

  constructor(fault: Fault) {
    super(`expected ${fault.expected}`);
    this.name = 'Misunderstood';
    this.fault = fault;
  }
}
