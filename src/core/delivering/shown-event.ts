import * as events from '../../store/tables/events.ts';
import { type CommandContext, channelOf } from '../access/command-context.ts';
import type { Bot } from '../bot.ts';
import type { ShownEvent } from '../channels/exclude.ts';
import { recallChanges } from './recall-changes.ts';

/** Returns an event of the channel, with its change as shown there; null if its details are no longer stored. */
export async function shownEvent(
  bot: Bot,
  context: CommandContext,
  eventId: string,
): Promise<ShownEvent | null> {
  const event = await events.byNumber(bot.db, channelOf(context), eventId);
  const [change] = event ? await recallChanges(bot, channelOf(context), [event]) : [];
  return event && change ? { event, change, isGone: await events.isDeleted(bot.db, event) } : null;
}

/** Returns the subscription of an event in the channel; null if the event no longer exists. */
export const subscriptionIdOf = (
  { db }: Bot,
  context: CommandContext,
  eventId: string,
): Promise<string | null> => events.subscriptionIdOf(db, channelOf(context), eventId);
