import { cannotPost } from '../../messages/subscribing/refusals.ts';
import * as channels from '../../store/tables/channels.ts';
import * as lanes from '../../store/tables/lanes.ts';
import { type CommandContext, channelOf } from '../access/command-context.ts';
import { Refusal } from '../access/refusal.ts';
import type { Bot } from '../bot.ts';
import type { Channel } from '../model/people.ts';
import { closedFor } from './close-channel.ts';
import { resumeChannel } from './resume-channel.ts';

/** Throws a `Refusal` unless the bot can post in the channel of the request. */
export async function requirePostable(bot: Bot, context: CommandContext): Promise<void> {
  const channel = channelOf(context);
  const why = await bot.slack.mayPost(channel);
  if (why === 'yes') {
    if (await isClosed(bot, channel)) await resumeChannel(bot, channel, 'seen');
    return;
  }
  throw new Refusal(context, cannotPost({ why, botName: await bot.slack.botNameOf(context.person) }));
}

/**
 * Whether a channel is stored as closed although Slack would let the bot post. The last event that arrived may not be the last that
 * happened. And `mayPost` does not know every reason why Slack refuses posts; only another try shows whether they are allowed again.
 */
async function isClosed({ db }: Bot, channel: Channel): Promise<boolean> {
  const [state, lane] = await Promise.all([channels.of(db, channel), lanes.find(db, channel)]);
  return closedFor(state) !== null || (lane !== null && lane.pausedReason !== null);
}
