import type { Message } from '../../messages/text/message.ts';
import type { Bot } from '../bot.ts';
import { channelFields } from '../model/log-fields.ts';
import type { Channel } from '../model/people.ts';
import type { PostOutcome } from '../slack.ts';
import type { Turn } from './turn.ts';

/** Posts a message to a channel, or in one of its threads, and counts the outcome. */
export async function post(
  { slack, metrics }: Bot,
  lane: Channel,
  message: Message,
  threadTs: string | null = null,
): Promise<PostOutcome> {
  const outcome = await slack.post(lane, message, threadTs);
  metrics.post(outcome.kind);
  return outcome;
}

/** Posts a turn's message. If Slack refuses it, it is tried again as plain text: a plain message is better than none. */
export async function postTurn(
  bot: Bot,
  lane: Channel,
  { threadTs }: Turn,
  message: Message,
): Promise<PostOutcome> {
  const outcome = await post(bot, lane, message, threadTs);
  if (outcome.kind !== 'refused') return outcome;
  bot.log.warn({ ...channelFields(lane), error: outcome.error }, 'message refused, posting it as plain text');
  return post(bot, lane, { text: message.text, blocks: [] }, threadTs);
}
