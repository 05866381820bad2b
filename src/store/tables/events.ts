import type { RawBuilder } from 'kysely';
import type { PostedAs } from '../../core/model/change.ts';
import { itemKey } from '../../core/model/items.ts';
import { joiningKey, type LaneCard, lateMs, rollingVerbs } from '../../core/model/lane-card.ts';
import type { Notification } from '../../core/model/notification.ts';
import type { Channel, SlackPerson } from '../../core/model/people.ts';
import type { Target } from '../../core/model/subscription.ts';
import type { HeldReason } from '../../core/model/summary-lead.ts';
import { all, batch, cell, count, type Db, first, inBatches, inChannel, sql } from '../sql.ts';
import { knownNames } from './known-names.ts';
import { withoutNames } from './lane-statements.ts';
import {
  type LaneSubscription,
  listOf,
  type Subscription,
  type SubscriptionRow,
  subscriptionColumns,
  subscriptionOf,
} from './subscription-row.ts';

/*
 * The table `events`: one row per notification and subscription. Details (`notification`, `item_keys`, `told`) are null once they were
 * deleted. `item_keys`: the items whose last state a turn needs; null in rows of older releases. `told`: how it was rendered, if the
 * notification alone does not show it. `summary`: what it waited for, if it is posted in a summary. `replayed_at`: when an admin retried it
 * after it had become a dead letter. `edit_at`: when the edit that shows it is due; no turn before that needs it.
 */

type EventState = 'pending' | 'posted' | 'filtered' | 'dead';

/** A pending event, with the subscription it arrived for. */
export type WaitingEvent = {
  readonly seq: string;
  readonly notification: Notification;
  readonly fingerprint: string;
  /** What it waited for, if it is posted in a summary. */
  readonly summary: HeldReason | null;
  /** True if an admin retried it after it was a dead letter: it is then posted however old it is. */
  readonly replayed?: boolean | undefined;
  /** How an update was rendered when Slack refused it, if an admin retried it. */
  readonly postedAs?: PostedAs | null | undefined;
  readonly receivedAt: Date;
  /** When the edit that it waits for is due; null or missing if it does not wait for one. */
  readonly editAt?: Date | null | undefined;
  readonly subscription: LaneSubscription;
};

/** An event that a message shows, or may show. */
export type PostedEvent = {
  readonly seq: string;
  readonly state: EventState;
  readonly notification: Notification;
  /** Null if it is clear from the notification. */
  readonly postedAs: PostedAs | null;
  readonly receivedAt: Date;
  readonly subscription: Subscription;
};

/** An earlier event with the same fingerprint, for "one change, one message". */
export type Duplicate = {
  readonly fingerprint: string;
  /** The remote subscription that sent it, or else our subscription. */
  readonly source: string;
  readonly isDuplicate: boolean;
  readonly happenedAt: string | null;
  readonly receivedAt: Date;
};

/** An event as it is read before its subscription is. */
export type EventRow = Omit<PostedEvent, 'notification' | 'subscription'> & {
  readonly subscriptionId: string;
  /** Null once its details were deleted. */
  readonly notification: Notification | null;
};

export const eventColumns = sql`e.seq, e.state, e.subscription_id, e.notification, e.told as posted_as, e.received_at`;

/** Lists events of a channel that arrived since `since`, have one of these fingerprints, and were posted or skipped as duplicates. */
export async function duplicates(
  db: Db,
  lane: Channel,
  fingerprints: readonly string[],
  since: Date,
): Promise<Duplicate[]> {
  if (fingerprints.length === 0) return [];
  return all(db)`
    select fingerprint, coalesce(service_subscription_id::text, subscription_id::text) as source,
      state = 'filtered' as is_duplicate, notification ->> 'happenedAt' as happened_at, received_at
    from plancast.events
    where ${inChannel(lane)} and fingerprint = any(${fingerprints}::text[]) and received_at >= ${since}
      and (state = 'posted' or (state = 'filtered' and reason = 'covered'))`;
}

/** The most events that one statement changes: one for all that a flood has left would take longer than a statement may. */
const mostChanged = 5_000;

/**
 * Changes all events `e` that meet a condition. It must not apply to them afterward, since that is how this ends. Many take several statements,
 * so others see the changes together only in a transaction. Each statement checks the condition twice: an event may be posted while it waits
 * for that event's row.
 * @returns how many were changed, by subscription
 */
async function changeAll(
  db: Db,
  set: RawBuilder<unknown>,
  which: RawBuilder<unknown>,
): Promise<Map<string, number>> {
  const counts = new Map<string, number>();
  for (let changed = mostChanged; changed >= mostChanged; ) {
    const rows = await all(db)<{ subscriptionId: string; count: number }>`
      with changed as (
        update plancast.events e set ${set}
        where seq = any(array(select seq from plancast.events e where ${which} limit ${mostChanged})) and ${which}
        returning e.subscription_id
      )
      select subscription_id, count(*)::int as count from changed group by subscription_id`;
    for (const { subscriptionId, count } of rows)
      counts.set(subscriptionId, (counts.get(subscriptionId) ?? 0) + count);
    changed = rows.reduce((sum, { count }) => sum + count, 0);
  }
  return counts;
}

/** Gives all events of a channel its new id. */
export async function move(db: Db, channel: Channel, to: string): Promise<void> {
  await changeAll(db, sql`channel_id = ${to}`, inChannel(channel));
}

/** Drops the pending events of subscriptions that have ended. */
export async function dropEnded(db: Db, subscriptionIds: readonly string[]): Promise<void> {
  if (subscriptionIds.length === 0) return;
  const which = sql`e.subscription_id = any(${subscriptionIds}::uuid[]) and e.state = 'pending'`;
  await changeAll(db, sql`state = 'filtered', reason = 'ended'`, which);
}

/**
 * Holds back a channel's pending events for what stands in their way, and releases those in whose way nothing stands any more, to be posted
 * in a summary. The caller holds the channel's lane.
 * @returns how many were released, by subscription
 */
export async function settle(db: Db, lane: Channel, now: Date): Promise<ReadonlyMap<string, number>> {
  const closed = sql`exists (select from plancast.lanes l
    where l.team_id = e.team_id and l.channel_id = e.channel_id and l.paused_reason is not null)`;
  const muted = sql`exists (select from plancast.lanes l
    where l.team_id = e.team_id and l.channel_id = e.channel_id and (l.muted_until > ${now}
      or l.quiet_from <= ${now} and l.quiet_until > ${now} and not (e.reason is null and e.summary is null
        and coalesce(l.quiet -> 'except' @> to_jsonb(lower(e.notification ->> 'eventType')), false))))`;
  const paused = sql`(${closed} or exists (select from plancast.subscriptions s where s.id = e.subscription_id and s.state = 'paused'))`;
  const ofLane = sql`e.team_id = ${lane.teamId} and e.channel_id = ${lane.channelId} and e.state = 'pending'`;
  // Also what was held for the other of the two, so that all that waits for one is in one summary, in order.
  await changeAll(
    db,
    sql`reason = case when ${paused} then 'paused' else 'muted' end`,
    sql`${ofLane} and (e.reason is null and (${paused} or ${muted}) or e.reason = 'muted' and ${paused}
      or e.reason = 'paused' and not ${paused} and ${muted})`,
  );
  const released = await changeAll(
    db,
    sql`reason = null, summary = e.reason`,
    sql`${ofLane} and (e.reason = 'paused' and not ${paused} or e.reason = 'muted' and not ${muted})`,
  );
  // A digest that is due at the end of a mute or of quiet hours is in their summary.
  await changeAll(
    db,
    sql`summary = 'muted'`,
    sql`${ofLane} and e.reason is null and e.summary = 'digest' and exists (select from plancast.events m
      where m.team_id = e.team_id and m.channel_id = e.channel_id and m.state = 'pending' and m.reason is null and m.summary = 'muted')`,
  );
  return released;
}

/** Counts what waits in a channel to be posted once it is not muted, or once this subscription is not paused. */
export const countHeld = (db: Db, lane: Channel, subscriptionId?: string): Promise<number> =>
  count(db)`
    select count(*)::int from plancast.events
    where ${inChannel(lane)} and state = 'pending' and (reason is null or reason = case when ${subscriptionId}::uuid is null then 'muted' else 'paused' end)
      and (${subscriptionId}::uuid is null or subscription_id = ${subscriptionId}::uuid)`;

/** Releases what these subscriptions held for their digest, in a transaction. Returns whether there was any. */
export async function releaseDigest(
  db: Db,
  { teamId, channelId }: Channel,
  subscriptionIds: readonly string[],
): Promise<boolean> {
  const which = sql`e.team_id = ${teamId} and e.channel_id = ${channelId} and e.state = 'pending' and e.reason = 'digest'
    and e.subscription_id = any(${subscriptionIds}::uuid[])`;
  return (await changeAll(db, sql`reason = null, summary = 'digest'`, which)).size > 0;
}

/** Lists events of a channel while their details are stored. `which`: a condition, and the order. */
async function stored(db: Db, channel: Channel, which: RawBuilder<unknown>): Promise<PostedEvent[]> {
  const rows = await all(db)<EventRow>`
    select ${eventColumns} from plancast.events e where ${inChannel(channel)} and notification is not null and ${which}`;
  return withSubscription(db, rows);
}

/** Returns an event that was or will be posted in this channel, while its details are stored; null if there is none with that number. */
export async function byNumber(db: Db, channel: Channel, seq: string): Promise<PostedEvent | null> {
  return (await stored(db, channel, sql`seq = ${seq} and state in ('posted', 'pending')`))[0] ?? null;
}

/** Returns the newest event since a time that a subscription posted in its channel, while its details are stored; null if there is none. */
export async function lastPosted(db: Db, row: Subscription, since: Date): Promise<PostedEvent | null> {
  const ofRow = sql`subscription_id = ${row.id} and state = 'posted' and received_at >= ${since}`;
  return (await stored(db, row, sql`${ofRow} order by received_at desc limit 1`))[0] ?? null;
}

/** Returns whether the newest event of the same item, in the same subscription, is its deletion. */
export async function isDeleted(db: Db, { seq, notification, subscription }: PostedEvent): Promise<boolean> {
  const newest = await cell(db)<string>`
    select notification ->> 'eventType' from plancast.events
    where subscription_id = ${subscription.id} and seq >= ${seq} and item_keys[1] = ${itemKey(notification)}
      and notification is not null
    order by seq desc limit 1`;
  return newest === 'Delete';
}

/** Returns the subscription of an event of this channel; null if there is no event with that number. */
export const subscriptionIdOf = (db: Db, channel: Channel, seq: string): Promise<string | null> =>
  cell(db)`select subscription_id from plancast.events where seq = ${seq} and ${inChannel(channel)}`;

/** Lists the events that a message of a channel shows, in order of acceptance, while their details are stored. */
export const ofMessage = (db: Db, channel: Channel, messageTs: string): Promise<PostedEvent[]> =>
  stored(db, channel, sql`message_ts = ${messageTs} and state = 'posted' order by seq`);

/** Returns the cards of messages of a channel, as far as their events are stored. A message with very many has no room anyway. */
export async function cardsOf(db: Db, lane: Channel, messages: readonly string[]): Promise<LaneCard[]> {
  const rows = await all(db)<CardRow>`
    select shown.ts, min(e.posted_at) as begun_at, max(e.posted_at) as touched_at,
      count(*)::int as events, count(distinct e.item_keys[1])::int as items, sum(octet_length(e.notification::text))::int as bytes,
      bool_and(e.summary is null and e.notification ->> 'resourceType' not in ('Projects', 'Sessions')
        and coalesce(e.told ->> 'verb', verb) = any(${rollingVerbs}::text[])) as rolls,
      jsonb_agg(distinct jsonb_build_object('actor', e.notification -> 'actorEmail', 'parent',
        coalesce(e.notification ->> 'projectId', e.notification ->> 'sessionId'), 'isLate', ${isLate})) as people
    from unnest(${messages}::text[]) as shown(ts) cross join lateral (
      select *, case notification ->> 'eventType' when 'Create' then 'added' else '' end as verb from plancast.events
      where ${inChannel(lane)} and message_ts = shown.ts and state = 'posted' and notification is not null limit ${cardMost}) e
    group by shown.ts`;
  return rows.map(({ people, begunAt, touchedAt, ...card }) => {
    const [by = null, ...others] = new Set(
      people.map(({ actor, parent, isLate }) => joiningKey(actor, parent, isLate)),
    );
    const times = { begunAt: begunAt.toISOString(), touchedAt: touchedAt.toISOString() };
    return { ...card, ...times, mode: 'live', by: others.length === 0 ? by : null };
  });
}

type CardRow = Pick<LaneCard, 'ts' | 'events' | 'items' | 'bytes' | 'rolls'> & {
  readonly begunAt: Date;
  readonly touchedAt: Date;
  readonly people: readonly {
    readonly actor: string | null;
    readonly parent: string | null;
    readonly isLate: boolean;
  }[];
};

/** SQL: a time as notifications have it. As text, since what a service sends may be no time that Postgres knows. */
const iso = (time: string) =>
  sql.raw(`to_char(${time} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') collate "C"`);

/** SQL: whether an event `e` was late when it was posted. */
const isLate = sql`coalesce(e.notification ->> 'happenedAt', ${iso('e.received_at')}) collate "C"
  < ${iso(`(e.posted_at - interval '${lateMs} ms')`)}`;

/** More than any message shows that can be joined. */
const cardMost = 1_001;

/**
 * Lists the newest events, at most `limit`, for anything in a project or session, in these channels, while their details are stored: what
 * was posted there, and what the person's own subscriptions received. No filter of the others has judged what they have not posted.
 * Dead letters are not among them: some of those can’t be read.
 */
export async function recentOf(
  db: Db,
  { teamId, userId }: SlackPerson,
  target: Target,
  channelIds: readonly string[],
  limit: number,
): Promise<(PostedEvent & { readonly fingerprint: string | null })[]> {
  const [parentId, kinds] =
    'projectId' in target
      ? [target.projectId, ['project', 'folder', 'file']]
      : [target.sessionId, ['session', 'document']];
  const rows = await all(db)<EventRow & { fingerprint: string | null }>`
    select ${eventColumns}, e.fingerprint
    from plancast.subscriptions s join plancast.events e on e.subscription_id = s.id
    where s.team_id = ${teamId} and s.parent_id = ${parentId} and s.kind = any(${kinds})
      and s.channel_id = any(${channelIds}::text[]) and (e.state = 'posted' or s.owner_user_id = ${userId})
      and e.state <> 'dead' and e.notification is not null
    order by e.seq desc limit ${limit}`;
  return withSubscription(db, rows);
}

/** Lists subscriptions, of one channel or of all, with events held for their digest, and when the oldest event of each arrived. */
export async function heldForDigest(
  db: Db,
  lane: Channel | null = null,
): Promise<{ subscription: Subscription; oldest: Date }[]> {
  const rows = await all(db)<SubscriptionRow & { oldest: Date }>`
    with held as (
      select subscription_id, min(received_at) as oldest from plancast.events
      where ${lane === null ? sql`true` : inChannel(lane)} and state = 'pending' and reason = 'digest' group by subscription_id
    )
    select ${subscriptionColumns}, held.oldest
    from held join plancast.subscriptions s on s.id = held.subscription_id`;
  return rows.map(({ oldest, ...row }) => ({ subscription: subscriptionOf(row), oldest }));
}

/** Counts the events to be posted now, with the arrival of the oldest, and the dead ones. Events that are held on purpose do not count. */
export async function backlog(db: Db): Promise<{ waiting: number; oldest: Date | null; dead: number }> {
  const counts = await first(db)<{ waiting: number; oldest: Date | null; dead: number }>`
    select count(*)::int as waiting, min(received_at) as oldest,
      (select count(*) from plancast.events where state = 'dead')::int as dead
    from plancast.events where state = 'pending' and reason is null`;
  return counts ?? { waiting: 0, oldest: null, dead: 0 };
}

/** Removes events that were received before `before` and are outside the followed folder or file. */
export const removeOutside = (db: Db, before: Date): Promise<void> =>
  inBatches(db)`
    delete from plancast.events where seq in (
      select seq from plancast.events
      where state in ('posted', 'filtered') and notification is not null and coalesce(posted_at, received_at) < ${before}
        and reason = 'path' and notification @> ${withoutNames}::jsonb
      limit ${batch})`;

/**
 * Checks the first `limit` events after the number `after`, and removes those that arrived before `before`; pending ones only if they
 * also arrived before `waitingBefore`. Numbers follow arrival, so the oldest events are read without looking at the rest of the table.
 * @returns the last number checked; null if no later event can be old
 */
export async function removeOld(
  db: Db,
  {
    before,
    waitingBefore,
    after,
    limit,
  }: {
    readonly before: Date;
    readonly waitingBefore: Date;
    readonly after: string;
    readonly limit: number;
  },
): Promise<string | null> {
  const row = await first(db)<{ last: string; more: boolean }>`
    with oldest as materialized (
      select seq, received_at, state from plancast.events where seq > ${after} order by seq limit ${limit}
    ), removed as (
      delete from plancast.events where seq in (
        select seq from oldest
        where received_at < ${before} and (state <> 'pending' or received_at < ${waitingBefore}))
    )
    select max(seq) as last, count(*) = ${limit} and min(received_at) < ${before} as more from oldest`;
  return row?.more ? row.last : null;
}

/** Adds each row's subscription; drops rows whose subscription or details are no longer stored. */
export async function withSubscription<
  Row extends { subscriptionId: string; notification: Notification | null },
>(db: Db, rows: readonly Row[]) {
  if (rows.length === 0) return [];
  const found = await listOf(db)`
    select ${subscriptionColumns}, ${knownNames} from plancast.subscriptions s
    where id = any(${[...new Set(rows.map((row) => row.subscriptionId))]}::uuid[])`;
  const subscriptions = new Map(found.map((row) => [row.id, row]));
  return rows.flatMap(({ subscriptionId, notification, ...row }) => {
    const subscription = subscriptions.get(subscriptionId);
    return subscription && notification ? [{ ...row, notification, subscription }] : [];
  });
}
