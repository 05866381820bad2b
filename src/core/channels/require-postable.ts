import { keptUntilInvited } from '../../messages/subscribing/invitations.ts';
import { cannotPost } from '../../messages/subscribing/refusals.ts';
import * as channels from '../../store/tables/channels.ts';
import * as lanes from '../../store/tables/lanes.ts';
import * as requests from '../../store/tables/requests.ts';
import { type CommandContext, channelOf } from '../access/command-context.ts';
import { Refusal } from '../access/refusal.ts';
import type { Bot } from '../bot.ts';
import { commandLine } from '../model/commands.ts';
import { formatRequest } from '../model/format-request.ts';
import type { Postable } from '../model/may-post.ts';
import { withMentionsNamed } from '../model/names-of.ts';
import type { Channel } from '../model/people.ts';
import type { SubscribeRequest } from '../model/request.ts';
import { closedFor } from './close-channel.ts';
import { resumeChannel } from './resume-channel.ts';

/** What an invitation ends. */
const absences: ReadonlySet<Postable> = new Set(['not in private channel', 'not in channel']);

/**
 * Throws a `Refusal` unless the bot can post in the channel of the request.
 * @param keeps what is carried out once the bot is invited, if that is what is missing; null for nothing
 */
export async function requirePostable(
  bot: Bot,
  context: CommandContext,
  keeps: SubscribeRequest | null = null,
): Promise<void> {
  const channel = channelOf(context);
  const why = await bot.slack.mayPost(channel);
  if (why === 'yes') {
    if (await isClosed(bot, channel)) await resumeChannel(bot, channel, 'seen');
    return;
  }
  const botName = await bot.slack.botNameOf(context.person);
  if (keeps === null || !absences.has(why)) throw new Refusal(context, cannotPost({ why, botName }));
  const { person, channelId, copy } = context;
  await requests.keep(bot.db, { person, channelId, request: keeps, now: bot.clock.now() });
  const line = context.asTyped ?? commandLine(formatRequest(keeps), copy.commands);
  const named = await withMentionsNamed(bot.slack.profileOf, person, line);
  throw new Refusal(context, keptUntilInvited({ line: named, botName }));
}

/**
 * Whether a channel is stored as closed although Slack would let the bot post. The last event that arrived may not be the last that
 * happened. And `mayPost` does not know every reason why Slack refuses posts; only another try shows whether they are allowed again.
 */
async function isClosed({ db }: Bot, channel: Channel): Promise<boolean> {
  const [state, lane] = await Promise.all([channels.of(db, channel), lanes.find(db, channel)]);
  return closedFor(state) !== null || (lane !== null && lane.pausedReason !== null);
}
