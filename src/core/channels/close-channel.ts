import { channelDeleted } from '../../messages/subscribing/channel-announcements.ts';
import * as announcements from '../../store/tables/announcements.ts';
import * as channels from '../../store/tables/channels.ts';
import * as events from '../../store/tables/events.ts';
import * as lanes from '../../store/tables/lanes.ts';
import * as subscriptions from '../../store/tables/subscriptions.ts';
import { endFor } from '../access/change-state.ts';
import type { Bot } from '../bot.ts';
import { inTransaction } from '../in-transaction.ts';
import type { ChannelReason } from '../model/pause-reason.ts';
import type { Channel } from '../model/people.ts';
import { reopenedSubjects } from '../model/summary-lead.ts';
import { releaseUnwanted } from '../upstream/sync.ts';
import { informEachOwner } from './inform-each-owner.ts';
import { informOwners, pauseChannelFor } from './pause-channel.ts';

/** Why a Slack event closed a channel to the bot: the bot is out of it, or it is archived. */
export type Closing = 'out' | 'archived';

/** The pause reason of the subscriptions, and the error that Slack would return for a post. */
const closings: Readonly<Record<Closing, { reason: ChannelReason; error: string }>> = {
  out: { reason: 'not in channel', error: 'not_in_channel' },
  archived: { reason: 'channel archived', error: 'is_archived' },
};

/** Returns why a channel is closed according to events; null if it is open. */
export function closedFor(state: { isOut: boolean; isArchived: boolean }): ChannelReason | null {
  if (state.isOut) return closings.out.reason;
  return state.isArchived ? closings.archived.reason : null;
}

/**
 * Stops posting in a channel that is closed to the bot, and pauses its subscriptions. Public channels are treated alike, although
 * `chat:write.public` would let the bot keep posting: people who remove it want silence.
 * @param at the event's `event_ts`; late and repeated events change nothing
 */
export async function closeChannel(bot: Bot, channel: Channel, closing: Closing, at: string): Promise<void> {
  const { reason, error } = closings[closing];
  const paused = await inTransaction(bot, async (bot) => {
    const { db } = bot;
    if (!(await channels.note(db, channel, { fact: closing, holds: true, at }))) return [];
    await lanes.pause(db, channel, error);
    await events.hold(db, channel, 'paused');
    await announcements.withdraw(db, channel, reopenedSubjects);
    return pauseChannelFor(bot, channel, reason);
  });
  await informOwners(bot, paused, reason);
}

/** Ends the subscriptions of a deleted channel, and removes their remote subscriptions. */
export async function endChannel(bot: Bot, channel: Channel): Promise<void> {
  const ended = await inTransaction(bot, async (bot) => {
    const { db } = bot;
    const ids = (await subscriptions.ofChannel(db, channel)).map(({ id }) => id);
    const rows = await endFor(bot, ids, 'channel deleted');
    await events.dropEnded(db, ids);
    await announcements.withdraw(db, channel);
    return rows;
  });
  await informEachOwner(bot, ended, 'a deleted channel', ({ channelId }, subscribed) =>
    channelDeleted(channelId, subscribed),
  );
  for (const { id } of ended) await releaseUnwanted(bot, id);
}
