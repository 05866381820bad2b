import * as items from '../../store/tables/items.ts';
import type { Subscription } from '../../store/tables/subscription-row.ts';
import * as subscriptions from '../../store/tables/subscriptions.ts';
import type { Bot } from '../bot.ts';
import { covers } from '../model/covers.ts';
import { projectItemKey } from '../model/item-keys.ts';
import { isCarried } from '../model/remote-scope.ts';

/**
 * Returns a subscription of the same channel that posts all that this one does as part of a larger one; null if there is none. An item counts
 * as part of a folder if this channel last saw it there: the service cannot be asked where it is.
 */
export async function widerSubscription(
  { db }: Bot,
  subscription: Subscription,
): Promise<Subscription | null> {
  const { target } = subscription;
  const rows = await subscriptions.ofChannel(db, subscription);
  const idPath = 'itemId' in target && rows.some(isCarried) ? await lastIdPath(target) : null;
  return rows.find((row) => row.state !== 'paused' && covers(row, subscription, idPath)) ?? null;

  async function lastIdPath(item: { readonly projectId: string; readonly itemId: string }) {
    const key = projectItemKey(item.projectId, item.itemId);
    return (await items.load(db, subscription, [key])).get(key)?.idPath ?? null;
  }
}
