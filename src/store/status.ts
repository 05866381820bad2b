import type { Channel, Workspace } from '../core/model/people.ts';
import { all, type Db, inChannel, sql } from './sql.ts';

// Status for operators, across all tables. Settled events are not counted: nothing is left to do for them.

/** How many rows of one kind a workspace has in one state. */
export type StatusCount = Workspace & {
  readonly kind: 'installation' | 'link' | 'subscription' | 'paused channel' | 'event';
  /** Of an event: what it is held by, `waiting` if it is to be posted now, or `dead`. */
  readonly state: string;
  readonly count: number;
  /** For events: when the oldest arrived. */
  readonly oldest: Date | null;
};

export type PausedChannel = Channel & { readonly reason: string };

/** A channel with something to post, and since when nothing of it was posted, filtered or held. */
export type StuckChannel = Channel & { readonly since: Date };

/** Counts everything in one statement, so that the counts are consistent. */
export const counts = (db: Db): Promise<StatusCount[]> =>
  all(db)`
    select kind, team_id, enterprise_id, state, count::float8 as count, oldest from (
      select 'link' as kind, team_id, max(enterprise_id) as enterprise_id, state, count(*) as count, null::timestamptz as oldest
      from plancast.links group by team_id, state
      union all
      select 'subscription', team_id, max(enterprise_id), state, count(*), null
      from plancast.subscriptions group by team_id, state
      union all
      select 'paused channel', team_id, max(enterprise_id), 'paused', count(*), null
      from plancast.lanes where paused_reason is not null group by team_id
      union all
      select 'event', team_id, max(enterprise_id), coalesce(reason, 'waiting'), count(*), min(received_at)
      from plancast.events where state = 'pending' group by team_id, reason
      union all
      select 'event', team_id, max(enterprise_id), 'dead', count(*), min(received_at)
      from plancast.events where state = 'dead' group by team_id
      union all
      select 'installation', split_part(key, ':', 2), null, 'installed', 1, null
      from plancast.keyv where starts_with(key, 'sealed.installations:') and not starts_with(key, 'sealed.installations:E')
    ) as counted`;

/** Lists the first channels that the bot cannot post to, at most `limit`. */
export const pausedChannels = (db: Db, limit: number): Promise<PausedChannel[]> =>
  all(db)`
    select enterprise_id, team_id, channel_id, paused_reason as reason
    from plancast.lanes where paused_reason is not null order by team_id, channel_id limit ${limit}`;

/** Lists channels in which nothing moved for five minutes although nothing holds them up, longest first. `only`: look at no other. */
export const stuckChannels = (
  db: Db,
  { now, limit, only }: { readonly now: Date; readonly limit: number; readonly only?: Channel },
): Promise<StuckChannel[]> =>
  all(db)`
    select l.enterprise_id, l.team_id, l.channel_id, greatest(l.moved_at, e.received_at) as since
    from plancast.lanes l cross join lateral (
      select received_at from plancast.events where team_id = l.team_id and channel_id = l.channel_id
        and state = 'pending' and reason is null order by seq limit 1) e
    where ${only === undefined ? sql`true` : inChannel(only)} and l.paused_reason is null
      and greatest(l.moved_at, e.received_at) < ${now}::timestamptz - interval '5 minutes'
      and (l.not_before is null or l.not_before <= ${now} or l.setbacks > 0)
    order by since limit ${limit}`;
