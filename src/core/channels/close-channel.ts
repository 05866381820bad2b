import { channelDeleted } from '../../messages/subscribing/channel-announcements.ts';
import type { Subscription } from '../../store/tables/subscription-row.ts';
import { subscriptionFields } from '../model/log-fields.ts';
import type { ChannelReason } from '../model/pause-reason.ts';
import { type Channel, ownerOf } from '../model/people.ts';
import { subscribedOf } from '../model/subscribed-of.ts';
import { reopenedSubjects } from '../model/summary-lead.ts';
import type { ChannelsRoomDeps } from './channels-deps.ts';
import type { PauseChannel } from './pause-channel.ts';

type CloseChannelDeps = ChannelsRoomDeps & {
  readonly pauseChannel: Pick<PauseChannel, 'pauseFor' | 'inform'>;
};

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
 * Handles Slack's events that a channel is closed to the bot. Public channels are treated alike, although `chat:write.public` would let
 * the bot keep posting: people who remove it want silence.
 */
export function makeCloseChannel(deps: CloseChannelDeps) {
  const { inTransaction, pauseChannel } = deps;

  /** Stops posting in a channel, and pauses its subscriptions. `at`: the event's `event_ts`; late and repeated events change nothing. */
  async function close(channel: Channel, closing: Closing, at: string): Promise<void> {
    const { reason, error } = closings[closing];
    const paused = await inTransaction(async ({ announcements, channels, events, lanes, subscriptions }) => {
      if (!(await channels.note(channel, { fact: closing, holds: true, at }))) return [];
      await lanes.pause(channel, error);
      await events.hold(channel, 'paused');
      await announcements.withdraw(channel, reopenedSubjects);
      return pauseChannel.pauseFor(subscriptions, channel, reason);
    });
    await pauseChannel.inform(paused, reason);
  }

  /** Ends the subscriptions of a deleted channel, and removes their remote subscriptions. */
  async function remove(channel: Channel): Promise<void> {
    const ended = await inTransaction(async ({ announcements, events, subscriptions }) => {
      const ids = (await subscriptions.ofChannel(channel)).map(({ id }) => id);
      const rows = await subscriptions.end(ids, 'channel deleted', deps.clock.now());
      await events.dropEnded(ids);
      await announcements.withdraw(channel);
      return rows;
    });
    for (const rows of Map.groupBy(ended, ({ ownerUserId }) => ownerUserId).values()) await inform(rows);
    // If the service is unavailable, `release-ended.ts` removes the remote subscription later.
    for (const row of ended) await deps.upstream.release(row);
  }

  async function inform(rows: readonly Subscription[]): Promise<void> {
    const [row] = rows;
    if (!row) return;
    const message = channelDeleted(row.channelId, rows.map(subscribedOf));
    await deps
      .directMessage(ownerOf(row), message)
      .catch((error: unknown) =>
        deps.log.warn(
          { err: error, ...subscriptionFields(row) },
          'could not notify an owner of a deleted channel',
        ),
      );
  }

  return { close, remove };
}

export type CloseChannel = ReturnType<typeof makeCloseChannel>;
