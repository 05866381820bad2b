import { dayMs, earlier } from '../../lib/durations.ts';
import type { ListedSubscription } from '../../messages/subscribing/list-rows.ts';
import type { Who } from '../../messages/text/copy.ts';
import type { Subscription } from '../../store/tables/subscription-row.ts';
import * as traces from '../../store/tables/traces.ts';
import { namesIn } from '../access/shown-names.ts';
import type { Bot } from '../bot.ts';
import { pauseReasonOf } from '../model/pause-reason.ts';
import { namesOf } from '../model/people.ts';
import { subscribedOf } from '../model/subscription.ts';
import { remoteTrouble } from '../model/trouble.ts';
import { findTroubles } from './find-troubles.ts';

/** Over how many days messages are counted. */
const countedDays = 7;

/**
 * Returns rows in the form that lists show, in the same order. People and filters are only looked up for rows from `from` up to, but not
 * including, `to`: the others are on other pages.
 */
export async function listSubscriptions(
  bot: Bot,
  rows: readonly Subscription[],
  { from, to }: { readonly from: number; readonly to: number },
): Promise<ListedSubscription[]> {
  const shown = rows.slice(from, to);
  const since = earlier(bot.clock.now(), countedDays * dayMs);
  const [people, troubles, counts, names] = await Promise.all([
    peopleNamed(bot, shown),
    findTroubles(bot, shown),
    traces.messageCounts(bot.db, shown, since),
    Promise.all(shown.map((row) => namesIn(bot, row, row))),
  ]);
  const whoIs = (userId: string): Who => ({ userId, name: people.get(userId) ?? userId });
  return rows.map((row, index) => {
    const { id, ownerUserId, pausedBy, state, lastEventAt } = row;
    const [owner, reason] = [whoIs(ownerUserId), pauseReasonOf(row)];
    return {
      id,
      subscribed: subscribedOf(row),
      owner,
      settings: { ...row, names: names[index - from] },
      state,
      ...(reason ? { pause: { reason, owner, by: pausedBy ? whoIs(pausedBy) : undefined } } : {}),
      trouble: remoteTrouble(row.health) ?? troubles[index - from]?.[0],
      lastEventAt,
      // For a shorter time, a number of messages a day would say too little.
      messagesADay: row.createdAt <= since ? (counts.get(id) ?? 0) / countedDays : undefined,
    };
  });
}

async function peopleNamed(
  { slack }: Bot,
  rows: readonly Subscription[],
): Promise<ReadonlyMap<string, string>> {
  const people = rows.flatMap((row) =>
    [row.ownerUserId, row.pausedBy].flatMap((userId) => (userId ? [{ ...row, userId }] : [])),
  );
  return namesOf(slack.profileOf, people);
}
