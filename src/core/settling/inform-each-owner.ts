import type { Message } from '../../messages/text/message.ts';
import type { Subscription } from '../../store/tables/subscription-row.ts';
import type { Bot } from '../bot.ts';
import { subscriptionFields } from '../model/log-fields.ts';
import { ownerOf } from '../model/people.ts';
import { type Subscribed, subscribedOf } from '../model/subscribed-of.ts';

/**
 * Notifies each owner of a channel's subscriptions once, however many they are. An owner who cannot be reached keeps nobody else's message.
 * @param what what they are notified of, for the log
 * @param draw makes the message for one owner, from a row of theirs and what all their rows follow
 */
export async function informEachOwner(
  { slack, log }: Pick<Bot, 'slack' | 'log'>,
  subscriptions: readonly Subscription[],
  what: string,
  draw: (row: Subscription, subscribed: Subscribed[]) => Message | Promise<Message>,
): Promise<void> {
  for (const rows of Map.groupBy(subscriptions, ({ ownerUserId }) => ownerUserId).values()) {
    const [row] = rows;
    if (!row) continue;
    try {
      await slack.directMessage(ownerOf(row), await draw(row, rows.map(subscribedOf)));
    } catch (error) {
      log.warn({ err: error, ...subscriptionFields(row) }, `could not notify an owner of ${what}`);
    }
  }
}
