import { betweenPostsMs } from '../../core/model/lane-card.ts';
import { parentName } from './known-names.ts';

/** Maximum lanes that one sweep returns. */
const sweptMost = 5_000;

/** When a lane `l` may post next; null for now. */
const readyAt = `greatest(l.not_before, l.last_post_at + interval '${betweenPostsMs} ms',
  (select p.not_before from plancast.paces p where p.team_id = l.team_id))`;
/** When the claim on a lane `l` ends; null if there is none. A claim that ends after `since` is valid at least until `until`. */
const claimEndsAt = (since: string, until: string) =>
  `case when l.claimed_until > ${since}::timestamptz then greatest(l.claimed_until, ${until}::timestamptz) else l.claimed_until end`;
/** Whether an event is not waiting for a later edit. $1 is the time in all statements. */
const isDue = '(edit_at is null or edit_at <= $1)';
/** Scalar subqueries: unlike for `exists`, the planner estimates them correctly even while the tables are still empty. */
const firstEvent = (lane: string) => `(select e.seq from plancast.events e
  where e.team_id = ${lane}.team_id and e.channel_id = ${lane}.channel_id and e.state = 'pending' and e.reason is null
    and ${isDue} order by e.seq limit 1)`;
const firstAnnouncement = (lane: string) => `(select a.seq from plancast.announcements a
  where a.team_id = ${lane}.team_id and a.channel_id = ${lane}.channel_id order by a.seq limit 1)`;
const somethingWaits = `(${firstEvent('n')} is not null or (l.paused_reason is null and ${firstAnnouncement('n')} is not null))`;
const waiting = `e.team_id = t.team_id and e.channel_id = t.channel_id and e.state = 'pending' and e.reason is null`;
/** At most $5 events, and none after the one that exceeds $12 bytes; half as many for every two setbacks. */
const waitingEvents = `(select * from (select e.*, sum(e.bytes) over (order by e.seq) as total from (
    select e.*, coalesce(octet_length(e.notification::text), 0) as bytes from plancast.events e
    where ${waiting} order by e.seq limit greatest(1, $5::int >> t.setbacks / 2)) e) e
  where e.total - e.bytes < greatest(1, $12::int >> t.setbacks / 2)) e`;
const milliseconds = (column: string) => `extract(epoch from ${column}) * 1000`;

/**
 * Claims lanes that have something pending, and loads it. `lanes` is joined a second time for `was.fence`: `for update` reads the newest
 * version of a lane's row, while its events are read as of the start of the statement. A lane that had a turn in between must not be taken
 * with events that were posted in that turn. A claim that expired means that its turn never ended, perhaps because it was too large.
 */
export const taking = `
  with named as materialized (
    select team_id, channel_id, n from unnest($6::text[], $7::text[]) with ordinality as x(team_id, channel_id, n)
  ), picked as materialized (
    select l.team_id, l.channel_id from named n
    join plancast.lanes l on l.team_id = n.team_id and l.channel_id = n.channel_id
    join plancast.lanes was on was.team_id = n.team_id and was.channel_id = n.channel_id
    where l.fence = was.fence
      and (coalesce(${claimEndsAt('$10', '$11')}, $1) <= $1 or l.claimed_by = any($8::text[]))
      and coalesce(${readyAt}, $1) <= $1 and ${somethingWaits}
    order by n.n limit $3 for update of l skip locked
  ), taken as (
    update plancast.lanes l set fence = l.fence + 1, claimed_until = $2, claimed_by = $4,
      setbacks = case when l.claimed_until is null then l.setbacks else least(l.setbacks + 1, 26) end
    from picked p where l.team_id = p.team_id and l.channel_id = p.channel_id
    returning l.*
  )
  select n.team_id as "teamId", n.channel_id as "channelId", t.enterprise_id as "enterpriseId", t.fence, t.card, t.failures, t.setbacks,
    t.paused_reason as "pausedReason", t.muted_until as "mutedUntil", t.quiet, t.quiet_from as "quietFrom", t.quiet_until as "quietUntil",
    e.events, coalesce(e.bytes, 0) as bytes, e.keyed, i.items, s.subscriptions, a.announcement,
    exists (select from plancast.events e where ${waiting} and e.seq > last_seq) as "waitsMore",
    coalesce((select c.is_shared and not c.shows_all from plancast.channels c
      where c.team_id = t.team_id and c.channel_id = t.channel_id), false) as discreet,
    (select json_agg(json_build_object('kind', x.kind, 'key', x.key)) from plancast.exclusions x
      where x.team_id = t.team_id and x.channel_id = t.channel_id and x.is_active) as excluded,
    (select p.crowded_until from plancast.paces p where p.team_id = t.team_id) as "throttledUntil",
    (select w.value -> 'signs' from plancast.settings w where w.team_id = t.team_id) is distinct from 'false'::jsonb as "showsSigns",
    coalesce(d.has_several, false) as "hasSeveral", coalesce(d.has_several or d.has_new, true) as "hasDuplicates",
    case when t.team_id is null then (
      select greatest(${readyAt}, $1,
        case when l.claimed_by = any($8) then null else ${claimEndsAt('$10', '$11')} end) from plancast.lanes l
      where l.team_id = n.team_id and l.channel_id = n.channel_id and ${somethingWaits}) end as "restsUntil"
  from named n
  left join taken t on t.team_id = n.team_id and t.channel_id = n.channel_id
  left join lateral (
    select json_agg(json_build_array(e.seq::text, e.subscription_id, e.notification, e.fingerprint,
        ${milliseconds('e.received_at')}, e.summary, e.replayed_at is not null,
        case when e.replayed_at is not null then e.told end, ${milliseconds('e.edit_at')}) order by e.seq) as events,
      bool_and(e.item_keys is not null) as keyed, array_agg(distinct e.subscription_id) as subscription_ids,
      max(e.seq) as last_seq, max(e.total)::int as bytes
    from ${waitingEvents}) e on t.team_id is not null
  left join lateral (
    select json_agg(json_build_array(i.item_key, i.name, i.path, i.thread_ts, i.id_path, i.owner_user_id, i.message_ts,
      i.previous)) as items
    from plancast.items i where i.team_id = t.team_id and i.channel_id = t.channel_id and i.item_key = any(array(
      select distinct k from plancast.events e, unnest(e.item_keys) k where ${waiting} and e.seq <= last_seq))) i on t.team_id is not null
  left join lateral (
    select json_agg(json_build_object('id', s.id, 'ownerUserId', s.owner_user_id, 'kind', s.kind, 'parentId', s.parent_id,
      'itemId', s.item_id, 'comprehensive', s.comprehensive, 'filters', s.filters, 'delivery', s.delivery, 'threads', s.threads,
      'state', s.state, 'resourceName', coalesce(s.resource_name, s.typed_name), 'parentName', ${parentName},
      'lastEventAt', ${milliseconds('s.last_event_at')}, 'createdAt', ${milliseconds('s.created_at')}, 'ping', s.ping,
      'pingedAt', ${milliseconds('s.pinged_at')})) as subscriptions
    from plancast.subscriptions s where s.id = any(e.subscription_ids)) s on t.team_id is not null
  left join lateral (
    select count(*) > 1 as has_several, max(o.changed_at) > $9 or bool_or((
        select count(*) from plancast.remotes r where r.subscription_id = o.id and (r.deleted_at is null or r.deleted_at > $9)) > 1) as has_new
    from plancast.subscriptions o
    where o.team_id = t.team_id and o.channel_id = t.channel_id and o.state <> 'ended') d on t.team_id is not null
  left join lateral (
    select json_build_object('id', a.id, 'message', a.message, 'createdAt', ${milliseconds('a.created_at')}, 'subject', a.subject,
      'laterSubjects', array(select b.subject from plancast.announcements b
        where b.team_id = a.team_id and b.channel_id = a.channel_id and b.seq > a.seq and b.subject is not null)) as announcement
    from plancast.announcements a
    where a.team_id = t.team_id and a.channel_id = t.channel_id order by a.seq limit 1) a on t.team_id is not null`;

/** Fields that are removed from an event of which only ids are kept. */
export const withoutNames = JSON.stringify({ actorEmail: null, path: null, name: null });

/** SQL: whether the name of an event's item is in its key, since the item has no id. */
export const isKeyedByName = (event: string): string => `${event}.notification ->> 'itemId' is null`;

/**
 * Marks turns. A turn whose lane was taken by another process in the meantime changes nothing, and is missing from the result. An event that
 * is held back for a mute that has ended since the turn began is not held any more.
 *
 * What becomes of events, items and subscriptions is passed apart from the turns ($3 to $9): it can be megabytes, and Postgres writes rows of that size to a
 * file once they exceed its `work_mem`. What becomes of an event is looked up by its turn and number: the planner, which cannot know how many
 * events there are, joins them in a time that grows with their square. The subscriptions' ids are also passed as an array, which shows it
 * how few there are.
 */
export const marking = `
  with turns as materialized (
    select * from jsonb_to_recordset($1::jsonb) as x(n int, t text, c text, f bigint, at timestamptz, lp timestamptz, nb timestamptz,
      fl int, sb int, mv boolean, cd jsonb, cu timestamptz, ts text, an uuid)
  ), freed as (
    update plancast.lanes l set claimed_until = case when x.cu is not null then greatest(l.claimed_until, x.cu) end,
      claimed_by = case when x.cu is not null then l.claimed_by end,
      last_post_at = coalesce(x.lp, l.last_post_at), not_before = x.nb, failures = x.fl, card = x.cd,
      setbacks = x.sb, moved_at = case when x.mv then x.at else l.moved_at end
    from turns x where l.team_id = x.t and l.channel_id = x.c and l.fence = x.f
    returning x.n, l.team_id, l.channel_id, l.muted_until, l.quiet_from, l.quiet_until, x.at, x.ts, x.an
  ), settled as (
    update plancast.events e set (state, told, notification, item_keys, reason, message_ts, posted_at, edit_at) = (
      select s.st, case when s.st = 'filtered' then s.told else coalesce(s.told, e.told) end,
        case when s.ids then e.notification || '${withoutNames}' else e.notification end,
        case when s.ids and ${isKeyedByName('e')} then null else e.item_keys end,
        case when s.r = 'muted' and coalesce(fr.muted_until <= fr.at, true)
          and not coalesce(fr.quiet_from <= fr.at and fr.quiet_until > fr.at, false) then null else s.r end,
        case when s.st = 'posted' then fr.ts end, case when s.st = 'posted' then fr.at end, s.ea
      from freed fr cross join lateral jsonb_to_record($3::jsonb -> (fr.n || ':' || e.seq)) as s(st text, r text, told jsonb, ids boolean, ea timestamptz)
      where $3 ? (fr.n || ':' || e.seq) limit 1)
    where e.seq = any(array(select u.seq from unnest($4::int[], $5::bigint[]) as u(n, seq) where u.n in (select n from freed)))
      and e.state = 'pending'
  ), remembered as (
    insert into plancast.items as i (team_id, channel_id, item_key, name, path, thread_ts, message_ts, id_path, owner_user_id, previous,
      changed_at)
    select fr.team_id, fr.channel_id, s.k, s.nm, s.p, s.th, s.ms, s.ip, s.ow, s.pr, fr.at
    from jsonb_to_recordset($6::jsonb) as s(n int, k text, nm text, p text, th text, ms text, ip text, ow text, pr jsonb)
      cross join lateral (select * from freed where n = s.n offset 0) fr
    on conflict (team_id, channel_id, item_key) do update
      set name = excluded.name, path = excluded.path, thread_ts = excluded.thread_ts, message_ts = excluded.message_ts, id_path = excluded.id_path,
        owner_user_id = excluded.owner_user_id, previous = coalesce(excluded.previous, i.previous), changed_at = excluded.changed_at
      where (i.name, i.path, i.thread_ts, i.message_ts, i.id_path, i.owner_user_id) is distinct from (excluded.name, excluded.path,
        excluded.thread_ts, excluded.message_ts, excluded.id_path, excluded.owner_user_id)
  ), forgotten as (
    delete from plancast.items i using (
      select fr.team_id, fr.channel_id, array_agg(u.key) as keys
      from unnest($7::int[], $8::text[]) as u(n, key) join freed fr on fr.n = u.n group by 1, 2) g
    where i.team_id = g.team_id and i.channel_id = g.channel_id and i.item_key = any(g.keys)
  ), noted as (
    update plancast.subscriptions u set last_event_at = coalesce(s.at, u.last_event_at), resource_name = coalesce(s.nm, u.resource_name),
      pinged_at = case when s.pg then fr.at else u.pinged_at end,
      state = case when s.gone then 'ended' else u.state end, reason = case when s.gone then 'deleted' else u.reason end,
      ended_at = case when s.gone then fr.at else u.ended_at end, changed_at = case when s.gone then fr.at else u.changed_at end
    from freed fr join jsonb_to_recordset($9::jsonb) as s(n int, id uuid, at timestamptz, nm text, gone boolean, pg boolean) on s.n = fr.n
    where u.id = any($2::uuid[]) and u.id = s.id and u.state <> 'ended'
  ), announced as (
    delete from plancast.announcements a using freed fr where fr.an is not null and a.id = fr.an
    returning a.team_id, a.channel_id, a.made_at, fr.ts
  ), explained as (
    update plancast.audit u set message_ts = d.ts from announced d
    where u.team_id = d.team_id and u.channel_id = d.channel_id and u.made_at = d.made_at
  )
  select n from freed`;

/**
 * Steps from lane to lane in the index of pending events, so that ten million old events cost nothing. Starts after a lane ($4, $5) and
 * covers $6 lanes; if there may be more, the last lane is returned again in a row of its own.
 */
export const sweeping = `
  with recursive w as (
    (select team_id, channel_id, seq from plancast.events where state = 'pending' and reason is null and ${isDue}
      and (team_id, channel_id) > ($4, $5) order by team_id, channel_id, seq limit 1)
    union all
    select x.* from w cross join lateral (
      select team_id, channel_id, seq from plancast.events e where state = 'pending' and reason is null and ${isDue}
        and (e.team_id, e.channel_id) > (w.team_id, w.channel_id) order by team_id, channel_id, seq limit 1) x
  ), part as materialized (
    select * from w limit $6
  ), waiting as (
    select team_id, channel_id, seq, false as announced from part
    union all
    select distinct on (team_id, channel_id) team_id, channel_id, 0, true from plancast.announcements
  )
  (select w.team_id as "teamId", w.channel_id as "channelId", l.enterprise_id as "enterpriseId", l.team_id is null as "isMissing",
    false as "isLast"
  from waiting w left join plancast.lanes l using (team_id, channel_id)
  where coalesce(${claimEndsAt('$2', '$3')}, $1) <= $1 and coalesce(${readyAt}, $1) <= $1
    and not (w.announced and l.paused_reason is not null)
  order by w.seq limit ${sweptMost})
  union all
  (select team_id, channel_id, null, false, true from part order by team_id, channel_id offset $6 - 1 limit 1)`;

/** Creates lanes for channels that have something pending but no lane, because an older release subscribed them. */
export const creating = `
  insert into plancast.lanes (enterprise_id, team_id, channel_id)
  select (select s.enterprise_id from plancast.subscriptions s where s.team_id = x.team_id limit 1), x.team_id, x.channel_id
  from unnest($1::text[], $2::text[]) as x(team_id, channel_id)
  on conflict do nothing`;
