import type pg from 'pg';
import type { Channel } from '../../core/model/people.ts';
import { isExcepted, numberingLock } from './accept-events.ts';
import { type LaneRow, laneOf } from './taken-lane.ts';

/** Events of one statement. Each can have as many followers as its channel has members. */
const eventsAtOnce = 50;

/**
 * Gives an item that people follow in a direct message a second row there, supplied by the channel's subscription. So does an item that was
 * last seen in a folder they follow, so that they read when it is moved out. A person gets nothing until Slack has confirmed that they may
 * read the channel (`looked_at`). Followers are found before events are numbered, which only one statement at a time may do.
 */
const passing = `
  with taken as (
    delete from plancast.to_pass_on
    where seq in (select seq from plancast.to_pass_on order by seq limit ${eventsAtOnce} for update) returning seq
  ), sent as materialized (
    select e.*, s.kind as source_kind, s.item_id as source_item, e.notification ->> 'itemId' as item,
      string_to_array(e.notification ->> 'idPath', '/') as folders
    from taken join plancast.events e using (seq) join plancast.subscriptions s on s.id = e.subscription_id
    where s.state not in ('ended', 'paused')
  ), wanted as materialized (
    select distinct on (t.seq, f.id) t.seq, f.id, f.enterprise_id, f.team_id, f.channel_id, f.delivery,
      case when f.state = 'paused' then 'paused' when f.delivery ->> 'when' <> 'live' then 'digest' end as held
    from sent t cross join lateral (
      select * from plancast.subscriptions
      where fed_by = t.subscription_id and fed_by is not null and state <> 'ended' and item_id = any(t.folders || t.item)
      union all
      select f.* from plancast.items i join plancast.subscriptions f on f.fed_by = t.subscription_id and f.fed_by is not null
        and f.state <> 'ended' and f.item_id = any(string_to_array(i.id_path, '/')) and f.channel_id = i.channel_id
      where i.team_id = t.team_id and i.item_key = any(t.item_keys) and i.channel_id like 'D%') f
    where f.looked_at is not null and f.created_at <= t.received_at
      and f.parent_id = coalesce(t.notification ->> 'projectId', t.notification ->> 'sessionId')
      and (t.source_kind <> 'folder' or t.source_item = any(t.folders || t.item))
  ), locked as materialized (
    select pg_advisory_xact_lock(${numberingLock}) where (select count(*) from wanted) > 0
  ), added as (
    insert into plancast.events (notification_id, subscription_id, service_subscription_id, enterprise_id, team_id, channel_id,
      state, reason, fingerprint, item_keys, notification, received_at)
    select t.notification_id, f.id, t.service_subscription_id, f.enterprise_id, f.team_id, f.channel_id,
      'pending', case when not (${isExcepted('t', 'f')}) then f.held end, t.fingerprint, t.item_keys, t.notification, t.received_at
    from wanted f join sent t on t.seq = f.seq
    where (select count(*) from locked) > 0
    order by t.seq
    on conflict (subscription_id, notification_id) do nothing
    returning enterprise_id, team_id, channel_id, reason
  )
  select enterprise_id, team_id, channel_id, (select count(*) from taken)::int as taken
  from (select distinct enterprise_id, team_id, channel_id from added where reason is null) as lanes
  right join (select 1) as always on true`;

type Passed = { readonly [Column in keyof LaneRow]: LaneRow[Column] | null } & { readonly taken: number };

/**
 * Passes on waiting events to people who follow items in direct messages, oldest first.
 * @returns lanes with new events to post, and whether more events may be waiting
 */
export async function passOn(
  pool: Pick<pg.Pool, 'query'>,
): Promise<{ readonly lanes: readonly Channel[]; readonly more: boolean }> {
  const { rows } = await pool.query<Passed>(passing);
  return {
    lanes: rows.filter((row): row is LaneRow & Passed => row.channel_id !== null).map(laneOf),
    more: rows[0]?.taken === eventsAtOnce,
  };
}
