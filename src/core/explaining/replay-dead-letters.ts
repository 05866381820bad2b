import { signalLanes } from '../../store/lane-signals.ts';
import * as deadLetters from '../../store/tables/dead-letters.ts';
import type { CommandContext } from '../access/command-context.ts';
import { writeAudit } from '../access/write-audit.ts';
import type { Bot } from '../bot.ts';
import { inTransaction } from '../in-transaction.ts';

/** Makes a channel's dead letters pending again for a person. Returns how many there are. */
export function replayDead(bot: Bot, context: CommandContext, seqs: readonly string[]): Promise<number> {
  return inTransaction(bot, async (bot) => {
    const replayed = await deadLetters.replay(bot.db, seqs, bot.clock.now());
    await writeAudit(bot, context, 'replay dead letters', context.channelId);
    await signalLanes(
      bot.db,
      replayed.map(({ lane }) => lane),
    );
    return replayed.reduce((sum, { seqs: events }) => sum + events.length, 0);
  });
}
