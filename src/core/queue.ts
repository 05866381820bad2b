import type { MarkedTurn } from '../store/tables/turn-mark.ts';

/** The lanes as a queue, as far as their turns need it. */
export type Queue = {
  /** Stores the result of a turn, together with those of other turns; false if another process has claimed its lane. */
  readonly mark: (turn: MarkedTurn) => Promise<boolean>;
};
