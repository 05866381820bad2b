import { type ChannelMute, rowsOfPage, subscriptionList } from '../../messages/subscribing/lists.ts';
import { type CommandContext, channelOf } from '../access/command-context.ts';
import { muteAct } from '../channels/mute.ts';
import { whoOf } from '../model/names-of.ts';
import { type Channel, isDirect } from '../model/people.ts';
import { makeListSubscriptions } from './list-subscriptions.ts';
import type { SubscribingRoomDeps } from './subscribing-deps.ts';

type ListOptions = {
  /** Whether the list is for choosing a subscription to remove. */
  readonly toRemove: boolean;
  /** The page number, from 0. */
  readonly page?: number | undefined;
  /** Whether to replace the page that was shown. */
  readonly replace?: boolean | undefined;
};

/** Lists the channel's subscriptions, visible only to the person who asks. */
type ShowList = (context: CommandContext, options: ListOptions) => Promise<void>;

export function makeShowList(deps: SubscribingRoomDeps): ShowList {
  const listSubscriptions = makeListSubscriptions(deps);
  return async (context, { toRemove, page = 0, replace = false }) => {
    const { channelId } = context;
    const channel = channelOf(context);
    const [found, mute, listed, followed] = await Promise.all([
      deps.subscriptions.ofChannel(channel),
      toRemove ? null : muteOf(channel),
      toRemove ? [] : deps.listExclusions(context.person, [channelId]),
      deps.fed.ofPersonIn(channel, context.person.userId),
    ]);
    const rows = await listSubscriptions(found, rowsOfPage(found.length, page));
    const purpose = toRemove ? 'unsubscribe' : 'subscriptions';
    const muted = listed.map(({ channelId: _, ...each }) => each);
    const personal = isDirect(channelId);
    const list = subscriptionList({
      purpose,
      rows,
      page,
      mute,
      muted,
      followed: followed.length,
      personal,
      copy: context.copy,
    });
    await context.reply(list, { replace });
  };

  /** Returns until when a channel is muted and by whom; null if it is not. Mutes of older releases have nobody's name. */
  async function muteOf(channel: Channel): Promise<ChannelMute | null> {
    const until = await deps.lanes.mutedUntil(channel);
    if (until === null || until <= deps.clock.now()) return null;
    const last = await deps.audited.lastTo(channel, muteAct, [channel.channelId]);
    const userId = last.get(channel.channelId)?.userId;
    return { until, by: userId === undefined ? null : await whoOf(deps.profileOf, { ...channel, userId }) };
  }
}
