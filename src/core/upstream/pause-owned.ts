import { subscriptionPaused } from '../../messages/subscribing/announcements.ts';
import type { Copy, Who } from '../../messages/text/copy.ts';
import type { Message } from '../../messages/text/message.ts';
import type { Subscription } from '../../store/tables/subscription-row.ts';
import * as subscriptions from '../../store/tables/subscriptions.ts';
import { pauseFor } from '../access/change-state.ts';
import { announce } from '../announce.ts';
import type { Bot } from '../bot.ts';
import { inTransaction } from '../in-transaction.ts';
import { whoOf } from '../model/names-of.ts';
import { type OwnerReason, waitsForOwner } from '../model/pause-reason.ts';
import type { SlackPerson } from '../model/people.ts';
import { subscribedOf } from '../model/subscribed-of.ts';

/**
 * Pauses subscriptions of one owner and announces each once in its channel, with a button for another member to take over. Of those
 * already paused, only the ones that wait for their owner get the new reason, and only if they have not changed since they were read.
 */
export async function pauseOwned(
  bot: Bot,
  person: SlackPerson,
  rows: readonly Subscription[],
  reason: OwnerReason,
): Promise<void> {
  if (rows.length === 0) return;
  const { copy } = bot.config;
  const owner = await whoOf(bot.slack.profileOf, person);
  await inTransaction(bot, async (bot) => {
    const running = rows.filter(({ state }) => state !== 'paused').map(({ id }) => id);
    const paused = [...(await pauseFor(bot, running, reason))];
    for (const row of rows) {
      const isOther = waitsForOwner(row) && row.reason !== reason;
      if (isOther && (await subscriptions.pauseInstead(bot.db, row, reason, bot.clock.now())))
        paused.push(row);
    }
    for (const row of paused) await announce(bot, row, pausedForOwner(row, { reason, owner }, copy));
  });
}

/** Says in its channel that a subscription waits for its owner, with a button for another member to take it over. */
export function pausedForOwner(
  row: Subscription,
  pause: { readonly reason: OwnerReason; readonly owner: Who },
  copy: Copy,
): Message {
  return subscriptionPaused({ id: row.id, subscribed: subscribedOf(row), pause, copy });
}
