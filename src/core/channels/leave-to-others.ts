import type { Subscription } from '../../store/tables/subscription-row.ts';
import * as subscriptions from '../../store/tables/subscriptions.ts';
import { announce } from '../announce.ts';
import type { Bot } from '../bot.ts';
import { whoOf } from '../model/names-of.ts';
import { type Channel, ownerOf } from '../model/people.ts';
import { pausedForOwner } from '../upstream/pause-owned.ts';

/** The reason of a subscription whose owner has unlinked. */
const reason = 'unlinked';

/**
 * Finds those of a channel's paused subscriptions whose owner has unlinked. Unlinking removed their remote subscriptions, so they would
 * receive nothing after being resumed.
 * @param isMeant which of the paused ones are about to be resumed
 * @returns a function for the transaction that resumes the others. It leaves these paused until a member takes them over, announces that,
 * and returns their ids.
 */
export async function leaveToOthers(
  { db, slack, config }: Bot,
  channel: Channel,
  isMeant: (row: Subscription) => boolean,
): Promise<(bot: Bot) => Promise<readonly string[]>> {
  const rows = (await subscriptions.pausedWithoutLink(db, channel)).filter(isMeant);
  const found = await Promise.all(
    rows.map(async (row) => ({ row, owner: await whoOf(slack.profileOf, ownerOf(row)) })),
  );
  return async (bot) => {
    const left: string[] = [];
    for (const { row, owner } of found) {
      if (!(await subscriptions.pauseInstead(bot.db, row, reason, bot.clock.now()))) continue;
      await announce(bot, row, pausedForOwner(row, { reason, owner }, config.copy));
      left.push(row.id);
    }
    return left;
  };
}
