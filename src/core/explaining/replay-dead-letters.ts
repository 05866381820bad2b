import type { ExplainingRoomDeps } from './explaining-deps.ts';

/** Makes dead letters pending again and enqueues their lanes. Returns how many there are. */
export type ReplayDeadLetters = (seqs: readonly string[]) => Promise<number>;

export function makeReplayDeadLetters({ clock, inTransaction }: ExplainingRoomDeps): ReplayDeadLetters {
  return (seqs) =>
    inTransaction(async ({ deadLetters, enqueue }) => {
      const replayed = await deadLetters.replay(seqs, clock.now());
      await enqueue(replayed.map(({ lane }) => lane));
      return replayed.reduce((sum, { seqs: events }) => sum + events.length, 0);
    });
}
