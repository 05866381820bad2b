import type { Channel } from '../../core/model/people.ts';
import { all, column, type Db, sql } from '../sql.ts';
import { type EventRow, eventColumns } from './events.ts';
import {
  type Subscription,
  type SubscriptionRow,
  subscriptionColumns,
  subscriptionOf,
} from './subscription-row.ts';

// The table `events` for "why?": outcomes of events. Each answer covers one channel, since nobody may see the events of others.

/** A stored event and its outcome. */
export type Trace = EventRow & {
  /** Why it waits, was filtered, or is dead. */
  readonly reason: string | null;
  readonly postedAt: Date | null;
  /** For a duplicate: the channel's other subscription that posted the same change. */
  readonly duplicateOf: string | null;
};

/** The outcome of an event, by ids only. */
type SettledTrace = Pick<Trace, 'seq' | 'state' | 'reason'> & {
  readonly notificationId: string;
  readonly teamId: string;
  readonly channelId: string;
  readonly messageTs: string | null;
};

/** The events of one subscription in a message: how many, when the first and the last arrived, and when they were posted. */
export type TracedSubscription = {
  readonly subscription: Subscription;
  readonly count: number;
  readonly first: Date;
  readonly last: Date;
  readonly postedAt: Date | null;
};

/** A channel's pending or dead events with the same reason. */
export type WaitingCount = {
  readonly state: 'pending' | 'dead';
  readonly reason: string | null;
  readonly count: number;
  readonly oldest: Date;
};

const columns = sql`${eventColumns}, e.reason, e.posted_at,
  case when e.state = 'filtered' and e.reason = 'covered' then (
    select t.subscription_id from plancast.events t
    where t.team_id = e.team_id and t.channel_id = e.channel_id and t.fingerprint = e.fingerprint and t.state = 'posted'
    order by t.seq desc limit 1) end as duplicate_of`;

/** The events of a channel. */
const ofChannel = ({ teamId, channelId }: Channel) =>
  sql`plancast.events e where e.team_id = ${teamId} and e.channel_id = ${channelId}`;

/** Lists the outcomes of events, in order of acceptance. */
export const settled = (db: Db, seqs: readonly string[]): Promise<SettledTrace[]> =>
  all(db)`
    select seq, notification_id, team_id, channel_id, state, reason, message_ts from plancast.events
    where seq = any(${seqs}::bigint[]) order by seq`;

/** Lists the subscriptions whose events a message shows, those with the most events first. */
export async function subscriptionsIn(
  db: Db,
  channel: Channel,
  messageTs: string,
): Promise<TracedSubscription[]> {
  const rows = await all(db)<SubscriptionRow & Omit<TracedSubscription, 'subscription'>>`
    with shown as (
      select e.subscription_id, count(*)::int, min(e.received_at) as first, max(e.received_at) as last, max(e.posted_at) as posted_at
      from ${ofChannel(channel)} and e.message_ts = ${messageTs} and e.state = 'posted' group by e.subscription_id
    )
    select ${subscriptionColumns},
      shown.count, shown.first, shown.last, shown.posted_at
    from shown join plancast.subscriptions s on s.id = shown.subscription_id order by shown.count desc`;
  return rows.map(({ count, first, last, postedAt, ...row }) => {
    return { subscription: subscriptionOf(row), count, first, last, postedAt };
  });
}

/** Lists the first events that a message shows, at most `limit`. */
export const shown = (db: Db, channel: Channel, messageTs: string, limit: number): Promise<Trace[]> =>
  all(db)`
    select ${columns} from ${ofChannel(channel)} and e.message_ts = ${messageTs} and e.state = 'posted'
    order by e.seq limit ${limit}`;

/** Returns the last events of each of these subscriptions of the channel, newest first, at most `each` per subscription. */
export async function lastOf(
  db: Db,
  channel: Channel,
  subscriptionIds: readonly string[],
  each: number,
): Promise<Map<string, Trace[]>> {
  const found = await Promise.all(
    subscriptionIds.map(async (id) => {
      const rows = await all(db)<Trace>`
        select ${columns} from ${ofChannel(channel)} and e.subscription_id = ${id}
        order by e.seq desc limit ${each}`;
      return [id, rows] as const;
    }),
  );
  return new Map(found);
}

/**
 * Returns which of these subscriptions have excluded at least `least` changes by their paths since they were last changed, and let none
 * pass; what waits is not judged yet. Of one that posts, only few rows are read.
 */
export async function unmatched(
  db: Db,
  subscriptionIds: readonly string[],
  least: number,
): Promise<Set<string>> {
  if (subscriptionIds.length === 0) return new Set();
  const found = await column(db)<string>`
    select s.id from plancast.subscriptions s where s.id = any(${subscriptionIds}::uuid[]) and ${isUnmatched(least)}`;
  return new Set(found);
}

/** SQL: whether that is true of a subscription `s`. */
export function isUnmatched(least: number) {
  const since = sql`e.subscription_id = s.id and e.received_at >= s.changed_at`;
  const passed = sql`(e.state in ('posted', 'dead') or e.reason = 'covered')`;
  // What is outside a followed folder or file was excluded before its path was matched; only its ids are kept. Other names go after a week.
  const excluded = sql`e.reason = 'path' and (s.kind not in ('folder', 'file') or e.notification ->> 'name' is not null)`;
  return sql`case when s.filters -> 'paths' = '[]' or exists (select from plancast.events e where ${since} and ${passed}) then false
    else (select count(*) from (select from plancast.events e where ${since} and ${excluded} limit ${least}) x) >= ${least} end`;
}

/** Returns the time of the last post of each of these subscriptions; those without a post are missing. */
export async function lastPosts(db: Db, subscriptionIds: readonly string[]): Promise<Map<string, Date>> {
  if (subscriptionIds.length === 0) return new Map();
  const rows = await all(db)<{ id: string; posted: Date | null }>`
    select subscription_id as id, max(posted_at) as posted from plancast.events
    where subscription_id = any(${subscriptionIds}::uuid[]) and state = 'posted' group by subscription_id`;
  return new Map(rows.flatMap(({ id, posted }) => (posted ? [[id, posted] as const] : [])));
}

/** Returns the time of a message as Slack writes it: of equal length, so that it can be compared as text. */
const slackTime = (at: Date): string => (at.getTime() / 1_000).toFixed(6);

/**
 * Counts the messages since a time that show changes of these subscriptions. One that was edited counts once, when it was posted; one that
 * shows changes of several subscriptions counts for each. Those without a message are missing.
 */
export async function messageCounts(
  db: Db,
  subscriptions: readonly Pick<Subscription, 'id' | 'channelId'>[],
  since: Date,
): Promise<Map<string, number>> {
  if (subscriptions.length === 0) return new Map();
  const channelIds = [...new Set(subscriptions.map(({ channelId }) => channelId))];
  const rows = await all(db)<{ id: string; count: number }>`
    select subscription_id as id, count(distinct message_ts)::int from plancast.events
    where channel_id = any(${channelIds}::text[]) and message_ts >= ${slackTime(since)} and state = 'posted'
      and subscription_id = any(${subscriptions.map(({ id }) => id)}::uuid[])
    group by subscription_id`;
  return new Map(rows.map(({ id, count }) => [id, count]));
}

/** Lists the workspaces in whose channels something was posted since a time. */
export const postedIn = (db: Db, since: Date): Promise<string[]> =>
  column(db)`select distinct team_id from plancast.lanes where last_post_at >= ${since}`;

/** Lists channels that got more than `most` messages since a time, of whose subscriptions none was asked about since `asked`. */
export const busyChannels = (
  db: Db,
  teamId: string,
  { since, most, asked }: { readonly since: Date; readonly most: number; readonly asked: Date },
): Promise<Channel[]> =>
  all(db)`
    select l.enterprise_id, l.team_id, l.channel_id from plancast.lanes l
    where l.team_id = ${teamId} and l.last_post_at >= ${since}
      and (select count(*) from (
        select distinct e.message_ts from plancast.events e
        where e.channel_id = l.channel_id and e.team_id = l.team_id and e.state = 'posted'
          and e.message_ts >= ${slackTime(since)} limit ${most + 1}) as messages) > ${most}
      and not exists (select from plancast.subscriptions s
        where s.team_id = l.team_id and s.channel_id = l.channel_id and s.volume_asked_at > ${asked})`;

/** Lists the messages in which each of these subscriptions of a channel showed changes within its own times. */
export const messagesWithin = (
  db: Db,
  { teamId, channelId }: Channel,
  within: readonly { readonly id: string; readonly from: Date; readonly to: Date }[],
): Promise<{ id: string; messageTs: string }[]> =>
  all(db)`
    select distinct w.id, e.message_ts
    from unnest(${within.map(({ id }) => id)}::uuid[], ${within.map(({ from }) => slackTime(from))}::text[],
      ${within.map(({ to }) => slackTime(to))}::text[]) as w(id, since, until)
    join plancast.events e on e.channel_id = ${channelId} and e.team_id = ${teamId} and e.state = 'posted'
      and e.subscription_id = w.id and e.message_ts >= w.since and e.message_ts < w.until`;

/** Counts a channel's pending and dead events, by reason. */
export const waiting = (db: Db, channel: Channel): Promise<WaitingCount[]> =>
  all(db)`
    select e.state, e.reason, count(*)::int, min(e.received_at) as oldest
    from ${ofChannel(channel)} and e.state in ('pending', 'dead') group by e.state, e.reason`;

/** Lists the dead events of a channel, oldest first, at most `limit`. */
export const dead = (db: Db, channel: Channel, limit: number): Promise<string[]> =>
  column(db)`select e.seq from ${ofChannel(channel)} and e.state = 'dead' order by e.seq limit ${limit}`;
