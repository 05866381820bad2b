import type { Message } from '../../messages/text/message.ts';
import type { Subscription } from '../../store/tables/subscription-row.ts';
import { announceTo } from '../announce.ts';
import type { Bot } from '../bot.ts';
import { ownerOf } from '../model/people.ts';
import { type Subscribed, subscribedOf } from '../model/subscription.ts';

/**
 * Stores one direct message to each owner of a channel's subscriptions, however many they are.
 * @param draw makes the message for one owner, from a row of theirs and what all their rows follow
 */
export async function informEachOwner(
  bot: Pick<Bot, 'db' | 'clock'>,
  subscriptions: readonly Subscription[],
  draw: (row: Subscription, subscribed: Subscribed[]) => Message,
): Promise<void> {
  // In one order, as two transactions may make the lanes of the same people.
  const rows = subscriptions.toSorted((a, b) => (a.ownerUserId < b.ownerUserId ? -1 : 1));
  for (const own of Map.groupBy(rows, ({ ownerUserId }) => ownerUserId).values()) {
    const [row] = own;
    if (row) await announceTo(bot, ownerOf(row), draw(row, own.map(subscribedOf)));
  }
}
