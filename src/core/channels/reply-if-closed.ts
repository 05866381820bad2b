import type { Message } from '../../messages/text/message.ts';
import * as lanes from '../../store/tables/lanes.ts';
import { type CommandContext, channelOf } from '../access/command-context.ts';
import type { Bot } from '../bot.ts';

/**
 * If a channel is closed to the bot, shows an announcement to the person who caused it. The channel gets it only once it is open again, and
 * without an answer the command would seem to have done nothing.
 */
export async function replyIfClosed(
  { db }: Bot,
  context: CommandContext,
  announcement: Message,
): Promise<void> {
  const lane = await lanes.find(db, channelOf(context));
  if (lane !== null && lane.pausedReason !== null) await context.reply(announcement);
}
