import type { Plan } from './plan.ts';
import type { BenchDatabase } from './stage/database.ts';
import type { BenchSlack } from './stage/slack.ts';
import type { Undo } from './stage/undo.ts';

/** What a figure is given to measure with. */
export type Bench = {
  readonly plan: Plan;
  readonly slack: BenchSlack;
  /** A database of the figure's own, or the big one, which all big figures share (not for the purpose `bare`). */
  readonly database: (name: string, channels?: number) => Promise<BenchDatabase>;
  /** Whether that is the big one, on which only one bot may be measured at a time. */
  readonly isBig: boolean;
  /** Ends when the figure does. */
  readonly undo: Undo;
  /** Reports progress. */
  readonly say: (progress: string) => void;
};

/** Marks the notifications of one run of the load: eight hexadecimal digits that no other run has. */
export function newMark(): string {
  return crypto.randomUUID().slice(0, 8);
}
