import type { Plan } from './plan.ts';
import type { BenchDatabase } from './stage/database.ts';
import type { BenchSlack } from './stage/slack.ts';
import type { Undo } from './stage/undo.ts';

/** The context that a figure's measurement gets. */
export type Bench = {
  readonly plan: Plan;
  readonly slack: BenchSlack;
  /** Returns a database for this figure alone, or the big one, which all big figures share (except for the purpose `bare`). */
  readonly database: (name: string, channels?: number) => Promise<BenchDatabase>;
  /** Whether it is the big one, on which only one bot can be measured at a time. */
  readonly isBig: boolean;
  /** Runs when the figure is done. */
  readonly undo: Undo;
  /** Reports progress. */
  readonly say: (progress: string) => void;
};

/** Returns a mark for the notifications of one load run: eight hexadecimal digits, unique per run. */
export function newMark(): string {
  return crypto.randomUUID().slice(0, 8);
}
