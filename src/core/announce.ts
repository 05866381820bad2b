import type { Message } from '../messages/text/message.ts';
import { signalLanes } from '../store/lane-signals.ts';
import * as announcements from '../store/tables/announcements.ts';
import type { Bot } from './bot.ts';
import type { Channel } from './model/people.ts';

/** Stores an announcement, which the channel's lane posts. With a `subject`, it replaces a pending one on the same subject. */
export async function announce(
  { db, clock }: Pick<Bot, 'db' | 'clock'>,
  channel: Channel,
  message: Message,
  subject?: string,
): Promise<void> {
  await announcements.add(db, channel, message, clock.now(), subject);
  await signalLanes(db, [channel]);
}
