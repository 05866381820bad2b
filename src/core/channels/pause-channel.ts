import { channelClosed } from '../../messages/subscribing/channel-announcements.ts';
import type { Subscription } from '../../store/tables/subscription-row.ts';
import type { Subscriptions } from '../../store/tables/subscriptions.ts';
import { subscriptionFields } from '../model/log-fields.ts';
import type { ChannelReason } from '../model/pause-reason.ts';
import { type Channel, ownerOf } from '../model/people.ts';
import { subscribedOf } from '../model/subscribed-of.ts';
import type { ChannelsRoomDeps } from './channels-deps.ts';
import type { PostOutcome } from './post.ts';

type PauseChannelDeps = Pick<ChannelsRoomDeps, 'clock' | 'directMessage' | 'botNameOf' | 'log'>;

/** Reasons that are replaced once an event gives a more specific one. */
const vague: ReadonlySet<string | null> = new Set(['posting restricted', 'workspace access']);

/** Pauses the subscriptions of a channel that is closed to the bot, and notifies each owner once. Nothing is deleted. */
export function makePauseChannel(deps: PauseChannelDeps) {
  return {
    /** Pauses the active subscriptions, in the transaction that pauses the lane. Returns the newly paused ones. */
    async pause(
      subscriptions: Pick<Subscriptions, 'ofChannel' | 'pause'>,
      channel: Channel,
      outcome: PostOutcome,
    ): Promise<Subscription[]> {
      const live = await subscriptions.ofChannel(channel);
      const ids = live.map(({ id }) => id);
      return subscriptions.pause(ids, reasonFor(outcome), deps.clock.now());
    },

    /** Like `pause`, for a reason from an event: it also replaces a vaguer reason of rows that are paused already. */
    async pauseFor(
      subscriptions: Pick<Subscriptions, 'ofChannel' | 'pause' | 'pauseInstead'>,
      channel: Channel,
      reason: ChannelReason,
    ): Promise<Subscription[]> {
      const live = await subscriptions.ofChannel(channel);
      const now = deps.clock.now();
      const paused = await subscriptions.pause(
        live.map(({ id }) => id),
        reason,
        now,
      );
      const before = live.filter((row) => row.state === 'paused' && vague.has(row.reason));
      for (const row of before) await subscriptions.pauseInstead(row, reason, now);
      // Owners of rows with 'posting restricted' were already notified; those of 'workspace access' were not.
      return [...paused, ...before.filter((row) => row.reason === 'workspace access')];
    },

    /** Notifies the owners of paused subscriptions. */
    notify: (paused: readonly Subscription[], outcome: PostOutcome) => inform(paused, reasonFor(outcome)),

    inform,
  };

  /** Notifies each owner once, however many of their subscriptions were paused. */
  async function inform(paused: readonly Subscription[], reason: ChannelReason): Promise<void> {
    // In a workspace that is closed as a whole nobody can be reached.
    if (reason === 'workspace access') return;
    for (const rows of Map.groupBy(paused, ({ ownerUserId }) => ownerUserId).values()) {
      await informOwner(rows, reason);
    }
  }

  async function informOwner(rows: readonly Subscription[], reason: ChannelReason): Promise<void> {
    const [row] = rows;
    if (!row) return;
    try {
      const { channelId } = row;
      const subscribed = rows.map(subscribedOf);
      const botName = await deps.botNameOf(row);
      const message = channelClosed({ channelId, subscribed, reason, botName });
      await deps.directMessage(ownerOf(row), message);
    } catch (error) {
      deps.log.warn({ err: error, ...subscriptionFields(row) }, 'could not notify an owner of a pause');
    }
  }
}

export type PauseChannel = ReturnType<typeof makePauseChannel>;

function reasonFor(outcome: PostOutcome): ChannelReason {
  if (outcome.kind === 'workspace closed') return 'workspace access';
  if (outcome.kind !== 'channel closed') return 'posting restricted';
  switch (outcome.error) {
    case 'channel_not_found':
    case 'not_in_channel':
      return 'not in channel';
    case 'is_archived':
      return 'channel archived';
    default:
      return 'posting restricted';
  }
}
