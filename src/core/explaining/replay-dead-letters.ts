import type { Clock } from '../model/clock.ts';
import type { InTransaction } from '../upstream/in-transaction.ts';

/** Makes dead letters pending again and enqueues their lanes. Returns how many there are. */
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
