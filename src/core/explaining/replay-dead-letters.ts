import type { CommandContext } from '../access/command-context.ts';
import type { ExplainingRoomDeps } from './explaining-deps.ts';

/** Makes a channel's dead letters pending again for a person, and enqueues their lanes. Returns how many there are. */
export type ReplayDeadLetters = (context: CommandContext, seqs: readonly string[]) => Promise<number>;

export function makeReplayDeadLetters({ clock, inTransaction }: ExplainingRoomDeps): ReplayDeadLetters {
  return (context, seqs) =>
    inTransaction(async ({ deadLetters, audit, enqueue }) => {
      const replayed = await deadLetters.replay(seqs, clock.now());
      await audit(context, 'replay dead letters', context.channelId);
      await enqueue(replayed.map(({ lane }) => lane));
      return replayed.reduce((sum, { seqs: events }) => sum + events.length, 0);
    });
}
