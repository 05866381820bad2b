import { channelClosed } from '../../messages/subscribing/channel-announcements.ts';
import type { Subscription } from '../../store/tables/subscription-row.ts';
import * as subscriptions from '../../store/tables/subscriptions.ts';
import { pauseFor } from '../access/change-state.ts';
import type { Bot } from '../bot.ts';
import type { ChannelReason } from '../model/pause-reason.ts';
import type { Channel } from '../model/people.ts';
import { informEachOwner } from './inform-each-owner.ts';

/** Reasons that are replaced once an event gives a more specific one. */
const vague: ReadonlySet<string | null> = new Set(['posting restricted', 'workspace access']);

/** Pauses the active subscriptions of a channel, in the transaction that pauses its lane. Returns the newly paused ones. */
export async function pauseChannel(
  bot: Bot,
  channel: Channel,
  reason: ChannelReason,
): Promise<Subscription[]> {
  const ids = (await subscriptions.ofChannel(bot.db, channel)).map(({ id }) => id);
  return pauseFor(bot, ids, reason);
}

/** Like `pauseChannel`, for a reason from an event: it also replaces a vaguer reason of rows that are paused already. */
export async function pauseChannelFor(
  bot: Bot,
  channel: Channel,
  reason: ChannelReason,
): Promise<Subscription[]> {
  const before = (await subscriptions.ofChannel(bot.db, channel)).filter(
    (row) => row.state === 'paused' && vague.has(row.reason),
  );
  const paused = await pauseChannel(bot, channel, reason);
  for (const row of before) await subscriptions.pauseInstead(bot.db, row, reason, bot.clock.now());
  // Owners of rows with 'posting restricted' were already notified; those of 'workspace access' were not.
  return [...paused, ...before.filter((row) => row.reason === 'workspace access')];
}

/** Notifies each owner of paused subscriptions once, however many were paused. */
export async function informOwners(
  bot: Bot,
  paused: readonly Subscription[],
  reason: ChannelReason,
): Promise<void> {
  // In a workspace that is closed as a whole nobody can be reached.
  if (reason === 'workspace access') return;
  await informEachOwner(bot, paused, 'a pause', async (row, subscribed) => {
    const botName = await bot.slack.botNameOf(row);
    return channelClosed({ channelId: row.channelId, subscribed, reason, botName });
  });
}
