import type { Bot } from '../bot.ts';
import { refreshHome } from '../home/show-home.ts';
import type { Channel } from '../model/people.ts';

/** A member left a channel, whose changes must not reach them any more. `at`: when, since they may be back by now. */
export async function memberLeft(bot: Bot, channel: Channel, userId: string, at: Date): Promise<void> {
  await bot.slack.forgetMember(channel, userId);
  await bot.followItem.left(channel, userId, at);
  await refreshHome(bot, { ...channel, userId });
}
