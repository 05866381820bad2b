import { alreadyGone } from '../../messages/subscribing/answers.ts';
import type { Subscription } from '../../store/tables/subscription-row.ts';
import * as subscriptions from '../../store/tables/subscriptions.ts';
import { type CommandContext, channelOf } from '../access/command-context.ts';
import { answerRefusal } from '../access/refusal.ts';
import type { Bot } from '../bot.ts';
import { requireLink } from '../linking/link-commands.ts';
import type { RequestOf } from '../model/any-request.ts';
import { waitsForOwner } from '../model/pause-reason.ts';
import type { SubscribeRequest } from '../model/request.ts';
import { subscribe } from './subscribe.ts';

/** Takes over all subscriptions of a channel that wait for one owner. One that the service refuses keeps no other from being taken over. */
export async function takeOverAll(
  bot: Bot,
  context: CommandContext,
  request: RequestOf<'take-over-all'>,
): Promise<void> {
  await requireLink(bot, context, request);
  const rows = await subscriptions.ofChannel(bot.db, channelOf(context));
  const theirs = rows.filter((row) => waitsForOwner(row) && row.ownerUserId === request.ownerUserId);
  if (theirs.length === 0) return context.reply(alreadyGone);
  for (const row of theirs) await answerRefusal(() => subscribe(bot, context, takeOver(row)));
}

/** Returns the request of a member to own a subscription that is there. */
export function takeOver({
  target,
  comprehensive,
}: Pick<Subscription, 'target' | 'comprehensive'>): SubscribeRequest {
  return { act: 'subscribe', target, comprehensive, filters: {}, takeOver: true };
}
