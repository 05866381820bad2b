import type { Message } from '../messages/text/message.ts';
import { signalLanes } from '../store/lane-signals.ts';
import * as announcements from '../store/tables/announcements.ts';
import * as directMessages from '../store/tables/direct-messages.ts';
import type { Bot } from './bot.ts';
import type { Channel, SlackPerson } from './model/people.ts';

/** Stores an announcement, which the channel's lane posts. With a `subject`, it replaces a pending one on the same subject. */
export async function announce(
  { db, clock }: Bot,
  channel: Channel,
  message: Message,
  subject?: string,
): Promise<void> {
  await announcements.add(db, channel, message, clock.now(), subject);
  await signalLanes(db, [channel]);
}

/**
 * Stores a direct message, which the lane of that conversation posts. It is stored as it is, so it must not hold the ticket of a link. Until
 * Slack has named the conversation, its lane bears the person's id.
 */
export async function announceTo(bot: Bot, person: SlackPerson, message: Message): Promise<void> {
  const { enterpriseId, teamId, userId } = person;
  const channelId = (await directMessages.of(bot.db, person)) ?? userId;
  await announce(bot, { enterpriseId, teamId, channelId }, message);
}
