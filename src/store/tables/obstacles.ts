import {
  type channelReasons,
  ownerReasons,
  type PauseReason,
  pausedByPerson,
  workspaceErrors,
} from '../../core/model/pause-reason.ts';
import type { Channel } from '../../core/model/people.ts';
import { all, cell, column, type Db, sql, wrote } from '../sql.ts';
import { knownNames } from './known-names.ts';
import {
  type Subscription,
  type SubscriptionRow,
  subscriptionColumns,
  subscriptionOf,
} from './subscription-row.ts';

/*
 * What stands in the way of a subscription, from facts that each change by themselves: of its channel (the bot is out, it is archived, Slack
 * refused a post), of its owner's link, and its own (who paused it, why the service may not be sending its changes). Nothing else decides
 * that a subscription is paused. Its `state` and `reason` are what people were last notified of.
 */

/** SQL: a live subscription `s` with its lane `n`, its channel `c` and its owner's link `k`. */
const withFacts = sql`
  plancast.subscriptions s
  left join plancast.lanes n on n.team_id = s.team_id and n.channel_id = s.channel_id
  left join plancast.channels c on c.team_id = s.team_id and c.channel_id = s.channel_id
  left join plancast.links k on k.grid_id = coalesce(s.enterprise_id, s.team_id) and k.user_id = s.owner_user_id
    and k.given_up_at is null`;

/** SQL: why a channel is closed to the bot; null if it is not. */
const ofChannel = sql`case
  when c.is_out then 'not in channel'
  when c.is_archived then 'channel archived'
  when n.paused_reason is null then null
  when n.paused_reason in ('channel_not_found', 'not_in_channel') then 'not in channel'
  when n.paused_reason = 'is_archived' then 'channel archived'
  when n.paused_reason = any(${workspaceErrors}::text[]) then 'workspace access'
  else 'posting restricted' end`;

/**
 * SQL: why an owner's link or account keeps changes from being sent; null if it does not. One that is still being set up only needs a link. What
 * was found remains until the service was seen to have the subscription (`noteSent`).
 */
const ofOwner = sql`case
  when k.id is null then case when s.withheld = 'owner gone' then s.withheld else 'unlinked' end
  when s.state = 'pending' then null
  when k.state = 'frozen' then 'owner gone'
  when k.state = 'relink' then 'link lost'
  else s.withheld end`;

/** SQL: what stands in the way of a subscription; null for nothing. A member who resumes it is notified of what else does. */
const obstacle = sql`case
  when s.paused_by is not null then ${pausedByPerson}
  else coalesce(${ofOwner}, case when s.state <> 'pending' then ${ofChannel} end) end`;

/** SQL: what people were last notified of; null if that nothing stands in the way. */
const notified = sql`case when s.state = 'paused' then coalesce(s.reason, '') end`;

/** A subscription of which people are to be notified, with what they were last notified of. */
export type Differing = Subscription & {
  readonly notified: string | null;
  /** Whether the service lost it during the pause that is over. */
  readonly wasLost: boolean;
};

/**
 * Stores for a channel's subscriptions what stands in their way now. The caller holds the channel's lane.
 * @param named the owners that can be named; those of others, who have to be, are left for the next time
 * @returns the subscriptions for which that differs from what was stored, in the order in which they were made
 */
export async function compare(
  db: Db,
  channel: Channel,
  { named, now }: { readonly named: readonly string[]; readonly now: Date },
): Promise<Differing[]> {
  const rows = await all(db)<SubscriptionRow & { notified: string | null; wasLost: boolean | null }>`
    with standing as (
      select s.id, ${notified} as notified, ${obstacle} as obstacle, ${ofOwner} as owners, (s.health ->> 'lostInPause')::boolean as lost
      from ${withFacts} where ${ofSubscriptions(channel)} and s.state <> 'ended'
    )
    update plancast.subscriptions s set
      state = case when x.obstacle is not null then 'paused' when ${hasRemote} then 'active' else 'pending' end,
      reason = x.obstacle,
      withheld = case when x.obstacle = x.owners then x.owners else s.withheld end,
      health = case when x.obstacle is null then s.health - 'lostInPause' else s.health end,
      changed_at = ${now}
    from standing x
    where s.id = x.id and s.state <> 'ended' and x.notified is distinct from x.obstacle
      and (s.owner_user_id = any(${named}::text[]) or coalesce(x.obstacle <> all(${ownerReasons}::text[]), true))
    returning ${subscriptionColumns}, ${knownNames}, nullif(x.notified, '') as notified, x.lost as was_lost`;
  return rows
    .map(({ notified, wasLost, ...row }) => ({ ...subscriptionOf(row), notified, wasLost: wasLost === true }))
    .toSorted((a, b) => a.createdAt.getTime() - b.createdAt.getTime());
}

/** Lists the owners of whose links or accounts a channel would be notified, if their subscriptions were compared now or resumed. */
export const ownersToName = (db: Db, channel: Channel): Promise<string[]> =>
  column(db)`
    select distinct s.owner_user_id from ${withFacts}
    where ${ofSubscriptions(channel)} and s.state <> 'ended' and ${ofOwner} is not null and ${notified} is distinct from ${ofOwner}`;

/**
 * Lists channels where something stands in the way, or no longer does, that people were not notified of, or whose mute or quiet hours are over. Looks at
 * subscriptions that changed since `since` and those of owners whose link does not work, as the others are settled where their facts are noted.
 */
export const differing = (
  db: Db,
  { since, now }: { readonly since: Date; readonly now: Date },
): Promise<Channel[]> =>
  all(db)`
    select s.enterprise_id, s.team_id, s.channel_id from ${withFacts}
    where s.state <> 'ended' and s.changed_at >= ${since} and ${notified} is distinct from ${obstacle}
    union
    select s.enterprise_id, s.team_id, s.channel_id from ${withFacts}
    where s.state <> 'ended' and ${notified} is distinct from ${obstacle} and s.owner_user_id = any(array(
      select user_id from plancast.links where state <> 'active' or given_up_at is not null))
    union
    select enterprise_id, team_id, channel_id from plancast.lanes where muted_until <= ${now} or quiet_until <= ${now}`;

/**
 * Looks at `most` subscriptions in the order of their ids, however long nothing about them changed.
 * @param after the id of the last one that was looked at; null to begin
 * @returns the channels where something stands in the way, or no longer does, that people were not notified of; `last` is null at the end
 */
export async function differingAfter(
  db: Db,
  after: string | null,
  most: number,
): Promise<{ readonly channels: Channel[]; readonly last: string | null }> {
  const page = await column(db)<string>`
    select id from plancast.subscriptions where id > coalesce(${after}, '00000000-0000-0000-0000-000000000000')::uuid order by id limit ${most}`;
  const channels = await all(db)<Channel>`
    select distinct s.enterprise_id, s.team_id, s.channel_id from ${withFacts}
    where s.id = any(${page}::uuid[]) and s.state <> 'ended' and ${notified} is distinct from ${obstacle}`;
  return { channels, last: page.length < most ? null : (page.at(-1) ?? null) };
}

/** Lists channels with live subscriptions that are closed to the bot for a reason. */
export const channelsClosedFor = (db: Db, reason: (typeof channelReasons)[number]): Promise<Channel[]> =>
  all(db)`
    select distinct s.enterprise_id, s.team_id, s.channel_id from ${withFacts}
    where s.state <> 'ended' and n.paused_reason is not null and ${ofChannel} = ${reason}`;

/** Notes that a member paused rows, and that people are notified of that; only those with nothing in the way. Returns their ids. */
export const pause = (db: Db, ids: readonly string[], userId: string, now: Date): Promise<string[]> =>
  column(db)`
    update plancast.subscriptions set state = 'paused', reason = ${pausedByPerson}, paused_by = ${userId}, changed_at = ${now}
    where id = any(${ids}::uuid[]) and state = 'active' returning id`;

/**
 * Notes that no member keeps a row paused any more. Changes nothing if none did, or while its remote subscription is being made.
 * @returns what else stands in its way, null for nothing; `not resumed` if nothing was changed
 */
export async function resume(db: Db, id: string, now: Date): Promise<PauseReason | null | 'not resumed'> {
  const isResumed = await wrote(db)`
    update plancast.subscriptions s set paused_by = null, reason = null, changed_at = ${now}
    where id = ${id} and state = 'paused' and paused_by is not null
      and (${hasRemote} or id in (select s.id from ${withFacts} where s.id = ${id} and ${ofOwner} is not null))`;
  if (!isResumed) return 'not resumed';
  return cell(db)`select ${obstacle} from ${withFacts} where s.id = ${id}`;
}

/** Notes why the service may not be sending changes; over another reason only with `instead`. Returns whether that was new. */
export const withhold = (
  db: Db,
  ids: readonly string[],
  reason: (typeof ownerReasons)[number],
  { instead = false }: { readonly instead?: boolean } = {},
): Promise<boolean> =>
  wrote(db)`
    update plancast.subscriptions set withheld = ${reason}
    where id = any(${ids}::uuid[]) and state in ('active', 'paused')
      and (withheld is null or ${instead} and withheld <> ${reason})`;

/** Notes that the service has a subscription and sends its changes. `wasLost`: it did not until now. Returns false if that was known. */
export const noteSent = (db: Db, id: string, { wasLost }: { readonly wasLost: boolean }): Promise<boolean> =>
  wrote(db)`
    update plancast.subscriptions set withheld = null,
      health = case when ${wasLost} then coalesce(health, '{}'::jsonb) || '{"lostInPause": true}' else health end
    where id = ${id} and withheld is not null`;

/** SQL: whether a row has a remote subscription at the service. */
const hasRemote = sql`exists (select from plancast.remotes r
  where r.subscription_id = s.id and r.made_at is not null and r.deleted_at is null)`;

const ofSubscriptions = ({ teamId, channelId }: Channel) =>
  sql`s.team_id = ${teamId} and s.channel_id = ${channelId}`;
