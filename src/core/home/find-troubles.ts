import type { Subscription } from '../../store/tables/subscription-row.ts';
import * as traces from '../../store/tables/traces.ts';
import type { Bot } from '../bot.ts';
import { unmatchedCount } from '../model/filters.ts';
import { isWithinLimits } from '../model/glob.ts';
import type { Trouble } from '../model/trouble.ts';

/** Finds what keeps subscriptions from posting what people expect: a list for each of them, the most important first. */
export async function findTroubles(
  { db }: Bot,
  rows: readonly Subscription[],
): Promise<readonly (readonly Trouble[])[]> {
  const unmatched = await traces.unmatched(
    db,
    rows.map(({ id }) => id),
    unmatchedCount,
  );
  return rows.map(({ id, filters, lacksIdPath }) => [
    ...(lacksIdPath ? [{ kind: 'places' } as const] : []),
    ...(unmatched.has(id) ? [{ kind: 'unmatched', count: unmatchedCount } as const] : []),
    ...(isWithinLimits(filters.paths) ? [] : [{ kind: 'too many paths' } as const]),
  ]);
}
