import type { Clock } from '../model/clock.ts';
import type { InTransaction } from '../upstream/in-transaction.ts';

/** Has dead events posted again, and their lanes take them; gives how many can be. */
export type ReplayDeadLetters = (seqs: readonly string[]) => Promise<number>;

export function makeReplayDeadLetters(deps: {
  readonly clock: Clock;
  readonly inTransaction: InTransaction;
}): ReplayDeadLetters {
  return (seqs) =>
    deps.inTransaction(async ({ deadLetters, enqueue }) => {
      const replayed = await deadLetters.replay(seqs, deps.clock.now());
      await enqueue(replayed.map(({ lane }) => lane));
      return replayed.reduce((sum, { seqs: events }) => sum + events.length, 0);
    });
}
