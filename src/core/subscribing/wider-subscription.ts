import { isDeepStrictEqual } from 'node:util';
import * as items from '../../store/tables/items.ts';
import type { Subscription } from '../../store/tables/subscription-row.ts';
import * as subscriptions from '../../store/tables/subscriptions.ts';
import type { Bot } from '../bot.ts';
import { isIn } from '../model/filters.ts';
import { projectItemKey } from '../model/items.ts';
import { type Filters, isCarried, type Scope, type Target } from '../model/subscription.ts';

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

/**
 * Returns whether a subscription already posts everything that one to `target` would: it follows the whole project, session or folder around
 * it, and its filters pass all that the other's do. `idPath`: of `target`, as last seen; null if unknown.
 */
function covers(
  { target: wider, comprehensive, filters }: Scope & { readonly filters: Filters },
  { target, filters: wanted }: { readonly target: Target; readonly filters: Filters },
  idPath: string | null,
): boolean {
  if (!comprehensive || !passesAll(filters, wanted)) return false;
  switch (target.kind) {
    case 'folder':
    case 'file':
      if (wider.kind === 'folder') return wider.projectId === target.projectId && isIn(idPath, wider.itemId);
      return wider.kind === 'project' && wider.projectId === target.projectId;
    case 'document':
      return wider.kind === 'session' && wider.sessionId === target.sessionId;
    case 'project':
    case 'session':
      return false;
  }
}

/** Whether everything that `wanted` lets pass certainly passes `wider` too. Patterns are compared as they are written. */
function passesAll(wider: Filters, wanted: Filters): boolean {
  const [kept, excluded] = [(path: string) => !path.startsWith('!'), (path: string) => path.startsWith('!')];
  return (
    isWithin(wanted.only, wider.only) &&
    isWithin(wanted.by, wider.by) &&
    isWithin(wanted.paths.filter(kept), wider.paths.filter(kept)) &&
    isPartOf(wider.notBy, wanted.notBy) &&
    isPartOf(wider.paths.filter(excluded), wanted.paths.filter(excluded))
  );
}

/** Whether a list of what passes allows no more than another. An empty one allows everything. */
function isWithin(list: readonly unknown[], other: readonly unknown[]): boolean {
  return other.length === 0 || (list.length > 0 && isPartOf(list, other));
}

function isPartOf(list: readonly unknown[], other: readonly unknown[]): boolean {
  return list.every((one) => other.some((each) => isDeepStrictEqual(one, each)));
}
