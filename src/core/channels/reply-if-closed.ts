import type { Message } from '../../messages/text/message.ts';
import { type CommandContext, channelOf } from '../access/command-context.ts';
import type { ChannelsRoomDeps } from './channels-deps.ts';

/**
 * If a channel is closed to the bot, shows an announcement to the person who caused it. The channel gets it only once it is open again, and
 * without an answer the command would seem to have done nothing.
 */
export type ReplyIfClosed = (context: CommandContext, announcement: Message) => Promise<void>;

export function makeReplyIfClosed({ lanes }: ChannelsRoomDeps): ReplyIfClosed {
  return async (context, announcement) => {
    const lane = await lanes.find(channelOf(context));
    if (lane !== null && lane.pausedReason !== null) await context.reply(announcement);
  };
}
