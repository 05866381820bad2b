import { keptUntilInvited } from '../../messages/subscribing/answers.ts';
import { cannotPost } from '../../messages/subscribing/refusals.ts';
import * as requests from '../../store/tables/requests.ts';
import { type CommandContext, channelOf } from '../access/command-context.ts';
import { Refusal } from '../access/refusal.ts';
import type { Bot } from '../bot.ts';
import { formatRequest } from '../model/format-request.ts';
import { withMentionsNamed } from '../model/people.ts';
import type { SubscribeRequest } from '../model/request.ts';
import type { Postable } from '../model/slack-access.ts';
import { commandLine } from '../model/verbs.ts';
import { isClosed, openChannel } from './channel-facts.ts';

/** What an invitation ends. */
const absences: ReadonlySet<Postable> = new Set(['not in private channel', 'not in channel']);

/**
 * Throws a `Refusal` if Slack says that the bot cannot post in the channel of the request: there is nothing to mute, and nobody would see the
 * announcement.
 */
export async function requireReachable({ slack }: Bot, context: CommandContext): Promise<void> {
  const why = await slack.mayPost(channelOf(context));
  if (why !== 'yes' && why !== 'unknown')
    throw new Refusal(context, cannotPost(why, await slack.botNameOf(context.person)));
}

/**
 * Throws a `Refusal` unless the bot can post in the channel of the request. One that is stored as closed although Slack would let the bot post
 * is opened: the last event that arrived may not be the last that happened, and only another try shows whether posts are allowed again.
 * @param keeps what is carried out once the bot is invited, if that is what is missing; null for nothing
 */
export async function requirePostable(
  bot: Bot,
  context: CommandContext,
  keeps: SubscribeRequest | null = null,
): Promise<void> {
  const channel = channelOf(context);
  const why = context.inGroupMessage ? 'direct message' : await bot.slack.mayPost(channel);
  if (why === 'yes') {
    if (await isClosed(bot, channel)) await openChannel(bot, channel, 'seen');
    return;
  }
  const botName = await bot.slack.botNameOf(context.person);
  if (keeps === null || !absences.has(why)) throw new Refusal(context, cannotPost(why, botName));
  const { person, channelId, copy } = context;
  await requests.keep(bot.db, { person, channelId, request: keeps, now: bot.clock.now() });
  const line = context.asTyped ?? commandLine(formatRequest(keeps), copy.commands);
  const named = await withMentionsNamed(bot.slack.profileOf, person, line);
  throw new Refusal(context, keptUntilInvited({ line: named, botName }));
}
