import type { Subscription } from '../../store/tables/subscription-row.ts';
import type { TransactionTables } from '../access/in-transaction.ts';
import { whoOf } from '../model/names-of.ts';
import { type Channel, ownerOf } from '../model/people.ts';
import { pausedForOwner } from '../upstream/pause-owned.ts';
import type { ChannelsRoomDeps } from './channels-deps.ts';

/**
 * Finds those of a channel's paused subscriptions whose owner has unlinked. Unlinking removed their remote subscriptions, so they would
 * receive nothing after being resumed.
 * @param isMeant which of the paused ones are about to be resumed
 * @returns a function for the transaction that resumes the others. It leaves these paused until a member takes them over, announces that,
 * and returns their ids.
 */
export type LeaveToOthers = (
  channel: Channel,
  isMeant: (row: Subscription) => boolean,
) => Promise<(tables: Pick<TransactionTables, 'subscriptions' | 'announce'>) => Promise<readonly string[]>>;

export function makeLeaveToOthers(deps: ChannelsRoomDeps): LeaveToOthers {
  const reason = 'unlinked';
  return async (channel, isMeant) => {
    const rows = (await deps.subscriptions.pausedWithoutLink(channel)).filter(isMeant);
    const found = await Promise.all(
      rows.map(async (row) => ({ row, owner: await whoOf(deps.profileOf, ownerOf(row)) })),
    );
    return async ({ subscriptions, announce }) => {
      const left: string[] = [];
      for (const { row, owner } of found) {
        if (!(await subscriptions.pauseInstead(row, reason, deps.clock.now()))) continue;
        await announce(row, pausedForOwner(row, { reason, owner }, deps.copy));
        left.push(row.id);
      }
      return left;
    };
  };
}
