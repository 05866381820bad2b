import { dayMs, earlier } from '../../lib/durations.ts';
import type { ExcludedThing } from '../../messages/subscribing/exclusions.ts';
import type { ListedSubscription, Muted } from '../../messages/subscribing/lists.ts';
import type { Who } from '../../messages/text/copy.ts';
import * as exclusions from '../../store/tables/exclusions.ts';
import type { Subscription } from '../../store/tables/subscription-row.ts';
import * as traces from '../../store/tables/traces.ts';
import { whoOf } from '../access/people-names.ts';
import { actorNameIn, isDiscreet, lastOnly, namesIn } from '../access/shown-names.ts';
import type { Bot } from '../bot.ts';
import { type ExclusionSubject, unmatchedCount } from '../model/filters.ts';
import { pauseReasonOf, remoteTrouble, type Trouble } from '../model/pause-reason.ts';
import { type Channel, isDirect, type Workspace } from '../model/people.ts';
import { subscribedOf } from '../model/subscription.ts';

/** Over how many days messages are counted. */
const countedDays = 7;

/** Returns rows in the form that lists show. People and filters are only looked up for those from `from` up to, but excluding, `to`. */
export async function listSubscriptions(
  bot: Bot,
  rows: readonly Subscription[],
  { from, to }: { readonly from: number; readonly to: number },
): Promise<ListedSubscription[]> {
  const shown = rows.slice(from, to);
  const since = earlier(bot.clock.now(), countedDays * dayMs);
  const [people, troubles, counts, names] = await Promise.all([
    peopleNamed(
      bot,
      shown.flatMap((row) => [[row.ownerUserId, row] as const, [row.pausedBy, row] as const]),
    ),
    findTroubles(bot, shown),
    traces.messageCounts(bot.db, shown, since),
    Promise.all(shown.map((row) => namesIn(bot, row, row))),
  ]);
  const whoIs = (userId: string): Who => people.get(userId) ?? { userId, name: userId };
  return rows.map((row, index) => {
    const { id, ownerUserId, pausedBy, state, lastEventAt } = row;
    const [owner, reason] = [whoIs(ownerUserId), pauseReasonOf(row)];
    return {
      id,
      subscribed: subscribedOf(row),
      owner,
      settings: { ...row, names: names[index - from] },
      state,
      ...(reason ? { pause: { reason, owner, by: people.get(pausedBy) } } : {}),
      trouble: remoteTrouble(row.health) ?? troubles[index - from]?.[0],
      lastEventAt,
      // For a shorter time, a number of messages a day would say too little.
      messagesADay: row.createdAt <= since ? (counts.get(id) ?? 0) / countedDays : undefined,
    };
  });
}

/** Returns people by user id, each looked up once. They can be of several workspaces. */
async function peopleNamed(
  bot: Bot,
  people: readonly (readonly [userId: string | null, Workspace])[],
): Promise<ReadonlyMap<string | null, Who>> {
  const found = [...new Map(people)].map(async ([userId, workspace]) =>
    userId === null ? [] : [[userId, await whoOf(bot, workspace, userId)] as const],
  );
  return new Map((await Promise.all(found)).flat());
}

/** Finds what keeps subscriptions from posting what people expect: a list for each of them, the most important first. */
export async function findTroubles(
  { db }: Bot,
  rows: readonly Subscription[],
): Promise<readonly (readonly Trouble[])[]> {
  const ids = rows.map(({ id }) => id);
  const unmatched = await traces.unmatched(db, ids, unmatchedCount);
  return rows.map(({ id, lacksIdPath }) => [
    ...(lacksIdPath ? [{ kind: 'places' } as const] : []),
    ...(unmatched.has(id) ? [{ kind: 'unmatched', count: unmatchedCount } as const] : []),
  ]);
}

/** Returns what is muted or hidden in channels, newest first, in the form that lists show. */
export async function listExclusions(
  bot: Bot,
  channels: readonly Channel[],
): Promise<(Muted & { readonly channelId: string })[]> {
  const rows = await exclusions.ofChannels(bot.db, channels);
  const others = rows.filter(({ channelId }) => !isDirect(channelId));
  const people = await peopleNamed(
    bot,
    others.map((row) => [row.byUserId, row]),
  );
  const listed = rows.map(async ({ id, subject, byUserId, ...channel }) => ({
    value: id,
    what: await nameExcluded(bot, channel, subject),
    by: isDirect(channel.channelId) ? undefined : people.get(byUserId),
    channelId: channel.channelId,
  }));
  return Promise.all(listed);
}

/** Returns what is excluded, with the name to show in its channel. */
export async function nameExcluded(
  bot: Bot,
  channel: Channel,
  subject: ExclusionSubject,
): Promise<ExcludedThing> {
  if (subject.kind === 'person') {
    return { kind: 'person', name: await actorNameIn(bot, channel, subject.key) };
  }
  // Stored as it was shown then; the channel may have become shared since.
  return (await isDiscreet(bot, channel)) ? { ...subject, folder: lastOnly(subject.folder) } : subject;
}
