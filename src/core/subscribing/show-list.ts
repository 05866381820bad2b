import {
  type ChannelSilence,
  type ListPurpose,
  rowsOfPage,
  subscriptionList,
} from '../../messages/subscribing/lists.ts';
import * as audit from '../../store/tables/audit.ts';
import * as lanes from '../../store/tables/lanes.ts';
import * as subscriptions from '../../store/tables/subscriptions.ts';
import { type CommandContext, channelOf } from '../access/command-context.ts';
import { whoOf } from '../access/people-names.ts';
import type { Bot } from '../bot.ts';
import { listExclusions, listSubscriptions } from '../home/lists.ts';
import { type Channel, isDirect } from '../model/people.ts';

/** Lists the channel's subscriptions, visible only to the person who asks. A `page`, from 0, takes the place of the one that was shown. */
export async function showList(
  bot: Bot,
  context: CommandContext,
  { purpose, page: wanted }: { readonly purpose: ListPurpose; readonly page?: number },
): Promise<void> {
  const page = wanted ?? 0;
  const toRemove = purpose === 'unsubscribe';
  const { channelId } = context;
  const channel = channelOf(context);
  const [found, silence, listed] = await Promise.all([
    subscriptions.ofChannel(bot.db, channel),
    toRemove ? null : silenceOf(bot, channel),
    toRemove ? [] : listExclusions(bot, [channel]),
  ]);
  const rows = await listSubscriptions(bot, found, rowsOfPage(found.length + listed.length, page));
  const list = subscriptionList({
    purpose,
    rows,
    page,
    silence,
    muted: listed.map(({ channelId: _, ...each }) => each),
    personal: isDirect(channelId),
  });
  await context.reply(list, { replace: wanted !== undefined });
}

/** Returns until when a channel is muted and by whom, and its quiet hours. Mutes of older releases have nobody's name. */
async function silenceOf(bot: Bot, channel: Channel): Promise<ChannelSilence> {
  const { db, clock } = bot;
  const { mutedUntil = null, quiet = null } = (await lanes.find(db, channel)) ?? {};
  if (mutedUntil === null || mutedUntil <= clock.now()) return { mute: null, quiet };
  const last = await audit.lastTo(db, channel, 'mute', [channel.channelId]);
  const userId = last.get(channel.channelId)?.userId;
  const by = userId === undefined ? null : await whoOf(bot, channel, userId);
  return { mute: { channelId: channel.channelId, until: mutedUntil, by }, quiet };
}
