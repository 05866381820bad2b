import type { Bot } from '../bot.ts';
import { refreshHome } from '../home/show-home.ts';
import type { Channel } from '../model/people.ts';

/** A member left a channel, whose changes must not reach them any more. */
export async function memberLeft(bot: Bot, channel: Channel, userId: string): Promise<void> {
  await bot.slack.forgetMember(channel, userId);
  await refreshHome(bot, { ...channel, userId });
}
