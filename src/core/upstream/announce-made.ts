import { subscriptionMade } from '../../messages/subscribing/announcements.ts';
import type { Subscription } from '../../store/tables/subscription-row.ts';
import * as subscriptions from '../../store/tables/subscriptions.ts';
import { writeAudit } from '../access/audit.ts';
import { announce } from '../announce.ts';
import type { Bot } from '../bot.ts';
import { subscribedOf } from '../model/subscription.ts';
import { undoValue } from '../model/undo.ts';

type Made = Parameters<typeof subscriptionMade>[0];

/**
 * Announces a subscription and writes the audit, in the transaction that stores what the service made for it.
 * @param names of the people in its filters
 * @param actor who is written into the audit, and where
 */
export async function announceMade(
  bot: Bot,
  row: Subscription,
  {
    by,
    names,
    actor,
  }: Pick<Made, 'by'> &
    Pick<Made['settings'], 'names'> & { readonly actor: Parameters<typeof writeAudit>[1] },
): Promise<void> {
  // Read again: names learned elsewhere may be shown now that the service has accepted this person.
  const subscribed = subscribedOf((await subscriptions.byId(bot.db, row.id)) ?? row);
  const undo = undoValue(row.id, bot.clock.now());
  const settings = { ...row, names };
  await announce(bot, row, subscriptionMade({ id: row.id, by, subscribed, settings, undoValue: undo }));
  await writeAudit(bot, actor, 'subscribe', row.id);
}
