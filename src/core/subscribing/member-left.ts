import type { Bot } from '../bot.ts';
import type { Channel } from '../model/people.ts';
import { refreshHome } from './show-home.ts';

/** A member left a channel, whose changes must not reach them any more. `at`: when, since they may be back by now. */
export async function memberLeft(bot: Bot, channel: Channel, userId: string, at: Date): Promise<void> {
  await bot.slack.forgetMember(channel, userId);
  await bot.channels.followItem.left(channel, userId, at);
  await refreshHome(bot, { ...channel, userId });
}
