import type pg from 'pg';
import type { PostedAs } from '../../core/model/change.ts';
import type { HeldReason } from '../../core/model/held-reason.ts';
import type { Attempt, LaneCard } from '../../core/model/lane-card.ts';
import type { Notification } from '../../core/model/notification.ts';
import type { Channel } from '../../core/model/people.ts';
import type { WaitingAnnouncement } from './announcements.ts';
import type { WaitingEvent } from './events.ts';
import type { KnownItem } from './items.ts';
import {
  type LaneSubscription,
  laneSubscriptionOf,
  replacedTakenMs,
  type SubscriptionInLane,
} from './subscriptions.ts';

/** A lane that was taken for one turn, with all that the turn has to know. */
export type TakenLane<Message> = {
  readonly lane: Channel;
  /** Goes up each time the lane is taken; a mark made with an older number is refused. */
  readonly fence: string;
  /** When it was taken, and how long it is ours. */
  readonly at: Date;
  readonly until: Date;
  readonly failures: number;
  readonly pausedReason: string | null;
  readonly mutedUntil: Date | null;
  /** The last message, while it may still be edited. */
  readonly card: LaneCard | null;
  /** The last post, where it is not known what became of it. */
  readonly attempt: Attempt | null;
  /** Until when the lanes of the workspace share a pace. */
  readonly throttledUntil: Date | null;
  /** Whether another organization reads along, so that addresses and full paths are not shown. */
  readonly isDiscreet: boolean;
  /** Whether one change can reach this channel twice. */
  readonly hasDuplicates: boolean;
  /** The oldest events that wait, in the order of acceptance. */
  readonly waiting: readonly WaitingEvent[];
  /** Whether more of them wait than were brought. */
  readonly waitsMore: boolean;
  /** `seq`s of events that wait for a subscription which is not kept any more. */
  readonly orphans: readonly string[];
  /** What is remembered of their items, by key; null where it has to be looked up. */
  readonly items: ReadonlyMap<string, KnownItem> | null;
  readonly announcement: WaitingAnnouncement<Message> | null;
};

/** A lane that was asked for and in which something waits, but which cannot be taken before `ready`. */
export type RestingLane = { readonly lane: Channel; readonly ready: Date };

/** What became of an event that waited. `pending` with a reason: it is held back. */
export type SettledEvent = {
  readonly seq: string;
  readonly state: 'posted' | 'filtered' | 'dead' | 'pending';
  readonly reason: string | null;
  /** How it was rendered, where that is not plain from the notification. */
  readonly told: PostedAs | null;
  /** Keeps only ids of it: it was not for this channel. */
  readonly idsOnly?: boolean | undefined;
};

/** What a turn leaves behind. */
export type TurnMark = {
  readonly at: Date;
  /** When the turn posted; null where it did not. */
  readonly lastPostAt: Date | null;
  readonly notBefore: Date | null;
  readonly failures: number;
  readonly card: LaneCard | null;
  /** Whether it is still unknown what became of a post. */
  readonly keepAttempt: boolean;
  readonly events: readonly SettledEvent[];
  /** The message that shows those that were posted. */
  readonly messageTs: string | null;
  /** What is remembered of items from now on, by key; null forgets one. */
  readonly items: ReadonlyMap<string, KnownItem | null>;
  readonly notes: readonly { readonly id: string; readonly at: Date; readonly name: string | null }[];
  /** Subscriptions whose resource was deleted. */
  readonly ended: readonly string[];
  /** An announcement that is done with. */
  readonly announcementId: string | null;
};

/** A turn's mark, and the claim that it is made under. */
export type MarkedTurn = { readonly lane: Channel; readonly fence: string; readonly mark: TurnMark };

/** A post that is about to be made under a claim. */
export type NotedAttempt = { readonly lane: Channel; readonly fence: string; readonly attempt: Attempt };

/** Lanes that one sweep finds. */
const sweptMost = 5_000;

/** When a lane `l` may post next; null for at once. */
const readyAt = (pace: string) =>
  `greatest(l.not_before, l.last_post_at + ${pace}, (select p.not_before from plancast.paces p where p.team_id = l.team_id))`;
/** Scalar sub-selects: the planner is right about these also while the tables are still empty, unlike about `exists`. */
const firstEvent = (lane: string) => `(select e.seq from plancast.events e
  where e.team_id = ${lane}.team_id and e.channel_id = ${lane}.channel_id and e.state = 'pending' and e.reason is null order by e.seq limit 1)`;
const firstAnnouncement = (lane: string) => `(select a.seq from plancast.announcements a
  where a.team_id = ${lane}.team_id and a.channel_id = ${lane}.channel_id order by a.seq limit 1)`;
const somethingWaits = `(${firstEvent('n')} is not null or (l.paused_reason is null and ${firstAnnouncement('n')} is not null))`;
const waitingEvents = `(select * from plancast.events e
  where e.team_id = t.team_id and e.channel_id = t.channel_id and e.state = 'pending' and e.reason is null order by e.seq limit $5) e`;
const milliseconds = (column: string) => `extract(epoch from ${column}) * 1000`;

/**
 * Claims lanes that have something waiting, and brings it. `lanes` is joined a second time for `was.fence`: `for update` looks at the
 * newest row of a lane while its events are read as they were when the statement began, and a lane that had a turn in between must not
 * be taken with events that were posted in that turn.
 */
const taking = (pace: string) => `
  with named as materialized (
    select team_id, channel_id, n from unnest($6::text[], $7::text[]) with ordinality as x(team_id, channel_id, n)
  ), picked as materialized (
    select l.team_id, l.channel_id from named n
    join plancast.lanes l on l.team_id = n.team_id and l.channel_id = n.channel_id
    join plancast.lanes was on was.team_id = n.team_id and was.channel_id = n.channel_id
    where l.fence = was.fence
      and (l.claimed_until is null or l.claimed_until <= $1 or l.claimed_by = any($8::text[]))
      and coalesce(${readyAt(pace)}, $1) <= $1 and ${somethingWaits}
    order by n.n limit $3 for update of l skip locked
  ), taken as (
    update plancast.lanes l set fence = l.fence + 1, claimed_until = $2, claimed_by = $4
    from picked p where l.team_id = p.team_id and l.channel_id = p.channel_id
    returning l.*
  )
  select n.team_id, n.channel_id, t.enterprise_id, t.fence, t.card, t.attempt, t.failures, t.paused_reason, t.muted_until,
    e.events, e.keyed, i.items, s.subscriptions, a.announcement,
    (select c.is_shared and not c.shows_all from plancast.channels c
      where c.team_id = t.team_id and c.channel_id = t.channel_id) as discreet,
    (select p.crowded_until from plancast.paces p where p.team_id = t.team_id) as throttled_until,
    (select count(*) > 1 or bool_or(d.previous_token_hash is not null) or max(d.changed_at) > $9
      from plancast.subscriptions d
      where d.team_id = t.team_id and d.channel_id = t.channel_id and d.state <> 'ended') as has_duplicates,
    case when t.team_id is null then (
      select greatest(${readyAt(pace)}, case when l.claimed_by = any($8) then null else l.claimed_until end, $1) from plancast.lanes l
      where l.team_id = n.team_id and l.channel_id = n.channel_id and ${somethingWaits}) end as rests_until
  from named n
  left join taken t on t.team_id = n.team_id and t.channel_id = n.channel_id
  left join lateral (
    select json_agg(json_build_array(e.seq::text, e.subscription_id, e.notification_id, e.notification, e.fingerprint,
        ${milliseconds('e.received_at')}, e.summary, e.replayed_at is not null) order by e.seq) as events,
      bool_and(e.item_keys is not null) as keyed, array_agg(distinct e.subscription_id) as subscription_ids
    from ${waitingEvents}) e on t.team_id is not null
  left join lateral (
    select json_agg(json_build_array(i.item_key, i.name, i.path, i.thread_ts, i.id_path)) as items
    from plancast.items i where i.team_id = t.team_id and i.channel_id = t.channel_id and i.item_key = any(array(
      select distinct k from ${waitingEvents}, unnest(e.item_keys) k))) i on t.team_id is not null
  left join lateral (
    select json_agg(json_build_array(s.id, s.kind, s.parent_id, s.item_id, s.comprehensive, s.filters, s.threads, s.state, coalesce(s.resource_name, s.typed_name),
      ${milliseconds('s.last_event_at')})) as subscriptions
    from plancast.subscriptions s where s.id = any(e.subscription_ids)) s on t.team_id is not null
  left join lateral (
    select json_build_array(a.id, a.message, ${milliseconds('a.created_at')}, a.subject) as announcement
    from plancast.announcements a
    where a.team_id = t.team_id and a.channel_id = t.channel_id order by a.seq limit 1) a on t.team_id is not null`;

/** What is taken out of an event of which only ids are kept. */
const withoutNames = JSON.stringify({ actorEmail: null, path: null, name: null });

/**
 * Marks turns. A turn whose lane was taken by another in the meantime leaves nothing behind, and is missing in the answer. The events'
 * numbers and the subscriptions' ids are also given as arrays: with those the planner is right about how few there are. What is held
 * back for a pause or a mute that has ended since the turn began is not held any more.
 */
const marking = `
  with turns as materialized (
    select * from jsonb_to_recordset($1::jsonb) as x(n int, t text, c text, f bigint, at timestamptz, lp timestamptz, nb timestamptz,
      fl int, cd jsonb, ka boolean, ts text, ev jsonb, it jsonb, gone jsonb, sb jsonb, an uuid)
  ), freed as (
    update plancast.lanes l set claimed_until = null, claimed_by = null, attempt = case when x.ka then l.attempt end,
      last_post_at = coalesce(x.lp, l.last_post_at), not_before = x.nb, failures = x.fl, card = x.cd
    from turns x where l.team_id = x.t and l.channel_id = x.c and l.fence = x.f
    returning x.n, l.team_id, l.channel_id, l.paused_reason, l.muted_until, x.at, x.ts, x.ev, x.it, x.gone, x.sb, x.an
  ), settled as (
    update plancast.events e set state = s.st, told = s.told,
      notification = case when s.ids then e.notification || '${withoutNames}' else e.notification end,
      reason = case when s.st = 'pending' and (s.r = 'paused' and fr.paused_reason is null
        or s.r = 'muted' and coalesce(fr.muted_until <= fr.at, true)) then null else s.r end,
      message_ts = case when s.st = 'posted' then fr.ts end, posted_at = case when s.st = 'posted' then fr.at end
    from freed fr cross join lateral jsonb_to_recordset(fr.ev) as s(s bigint, st text, r text, told jsonb, ids boolean)
    where e.seq = any($2::bigint[]) and e.seq = s.s and e.state = 'pending'
  ), remembered as (
    insert into plancast.items as i (team_id, channel_id, item_key, name, path, thread_ts, id_path, changed_at)
    select fr.team_id, fr.channel_id, s.k, s.nm, s.p, s.th, s.ip, fr.at
    from freed fr cross join lateral jsonb_to_recordset(fr.it) as s(k text, nm text, p text, th text, ip text)
    on conflict (team_id, channel_id, item_key) do update
      set name = excluded.name, path = excluded.path, thread_ts = excluded.thread_ts, id_path = excluded.id_path,
        changed_at = excluded.changed_at
      where (i.name, i.path, i.thread_ts, i.id_path)
        is distinct from (excluded.name, excluded.path, excluded.thread_ts, excluded.id_path)
  ), forgotten as (
    delete from plancast.items i using freed fr
    where fr.gone is not null and i.team_id = fr.team_id and i.channel_id = fr.channel_id
      and i.item_key = any(array(select jsonb_array_elements_text(fr.gone)))
  ), noted as (
    update plancast.subscriptions u set last_event_at = coalesce(s.at, u.last_event_at), resource_name = coalesce(s.nm, u.resource_name),
      state = case when s.gone then 'ended' else u.state end, reason = case when s.gone then 'deleted' else u.reason end,
      ended_at = case when s.gone then fr.at else u.ended_at end, changed_at = case when s.gone then fr.at else u.changed_at end
    from freed fr cross join lateral jsonb_to_recordset(fr.sb) as s(id uuid, at timestamptz, nm text, gone boolean)
    where u.id = any($3::uuid[]) and u.id = s.id and u.state <> 'ended'
  ), announced as (
    delete from plancast.announcements a using freed fr where fr.an is not null and a.id = fr.an
  )
  select n from freed`;

const noting = `
  update plancast.lanes l set attempt = x.a
  from jsonb_to_recordset($1::jsonb) as x(n int, t text, c text, f bigint, a jsonb)
  where l.team_id = x.t and l.channel_id = x.c and l.fence = x.f
  returning x.n`;

/** Goes from lane to lane in the index of what waits, so that ten million old events cost it nothing. */
const sweeping = (pace: string) => `
  with recursive w as (
    (select team_id, channel_id, seq from plancast.events where state = 'pending' and reason is null
      order by team_id, channel_id, seq limit 1)
    union all
    select x.* from w cross join lateral (
      select team_id, channel_id, seq from plancast.events e where state = 'pending' and reason is null
        and (e.team_id, e.channel_id) > (w.team_id, w.channel_id) order by team_id, channel_id, seq limit 1) x
  ), waiting as (
    select team_id, channel_id, seq, false as announced from w
    union all
    select distinct on (team_id, channel_id) team_id, channel_id, 0, true from plancast.announcements
  )
  select w.team_id, w.channel_id, l.enterprise_id, l.team_id is null as missing
  from waiting w left join plancast.lanes l using (team_id, channel_id)
  where (l.claimed_until is null or l.claimed_until <= $1) and coalesce(${readyAt(pace)}, $1) <= $1
    and not (w.announced and l.paused_reason is not null)
  order by w.seq limit ${sweptMost}`;

/** What waits in a channel that nothing has made a lane of: an older release subscribed it. */
const creating = `
  insert into plancast.lanes (enterprise_id, team_id, channel_id)
  select (select s.enterprise_id from plancast.subscriptions s where s.team_id = x.team_id limit 1), x.team_id, x.channel_id
  from unnest($1::text[], $2::text[]) as x(team_id, channel_id)
  on conflict do nothing`;

type LaneQueueDeps = {
  /** Connections that are used for nothing else (`connectLanes`). */
  readonly pool: pg.Pool;
  /** Milliseconds between two posts into a channel. */
  readonly betweenPostsMs: number;
  /** Called for each statement, for the metrics. */
  readonly counted?: ((statement: 'take' | 'mark' | 'note' | 'sweep') => void) | undefined;
};

/**
 * The table `lanes` as a queue: who may post to a channel right now, and what is to be posted there. Nothing in the database marks a
 * lane as due: the events and announcements that wait are the truth. Each method is one statement, however many lanes it is about.
 */
export function makeLaneQueue<Message>({ pool, betweenPostsMs, counted }: LaneQueueDeps) {
  const pace = `interval '${betweenPostsMs} ms'`;
  const statements = { take: taking(pace), sweep: sweeping(pace) };
  return {
    /**
     * Takes those of the named lanes that have something waiting and may post.
     * @param claim `by` is the name of this very take; `lost` are those of takes whose answer never came, whose lanes are free again
     */
    async take(
      named: readonly Channel[],
      claim: {
        readonly now: Date;
        readonly until: Date;
        readonly by: string;
        readonly lost: readonly string[];
        readonly most: number;
        readonly eventsEach: number;
      },
    ): Promise<{ taken: TakenLane<Message>[]; resting: RestingLane[] }> {
      const { now, until, by, lost, most, eventsEach } = claim;
      counted?.('take');
      const { rows } = await pool.query<TakenRow<Message>>({
        name: 'take lanes',
        text: statements.take,
        values: [
          now,
          until,
          most,
          by,
          eventsEach,
          named.map(({ teamId }) => teamId),
          named.map(({ channelId }) => channelId),
          lost,
          new Date(now.getTime() - replacedTakenMs),
        ],
      });
      const taken: TakenLane<Message>[] = [];
      const resting: RestingLane[] = [];
      for (const row of rows) {
        if (row.fence !== null) taken.push(takenOf(row, { at: now, until, eventsEach }));
        else if (row.rests_until !== null) resting.push({ lane: laneOf(row), ready: row.rests_until });
      }
      return { taken, resting };
    },

    /** Marks turns; gives those whose lane was still theirs. */
    async mark(turns: readonly MarkedTurn[]): Promise<ReadonlySet<MarkedTurn>> {
      counted?.('mark');
      const seqs = turns.flatMap(({ mark }) => mark.events.map(({ seq }) => seq));
      const subscriptions = turns.flatMap(({ mark }) => [...mark.notes.map(({ id }) => id), ...mark.ended]);
      const { rows } = await pool.query<{ n: number }>({
        name: 'mark turns',
        text: marking,
        values: [JSON.stringify(turns.map(markRow)), seqs, [...new Set(subscriptions)]],
      });
      return new Set(rows.flatMap(({ n }) => turns[n] ?? []));
    },

    /** Notes posts that are about to be made; gives those whose lane was still theirs. */
    async noteAttempts(attempts: readonly NotedAttempt[]): Promise<ReadonlySet<NotedAttempt>> {
      counted?.('note');
      const rowsIn = attempts.map(({ lane, fence, attempt }, n) => ({
        n,
        t: lane.teamId,
        c: lane.channelId,
        f: fence,
        a: attempt,
      }));
      const { rows } = await pool.query<{ n: number }>({
        name: 'note attempts',
        text: noting,
        values: [JSON.stringify(rowsIn)],
      });
      return new Set(rows.flatMap(({ n }) => attempts[n] ?? []));
    },

    /** Lanes in which something waits and that may post now, those that wait longest first. */
    async sweep(now: Date): Promise<Channel[]> {
      counted?.('sweep');
      const { rows } = await pool.query<LaneRow & { missing: boolean }>({
        name: 'sweep lanes',
        text: statements.sweep,
        values: [now],
      });
      const missing = rows.filter((row) => row.missing);
      if (missing.length > 0) {
        await pool.query(creating, [missing.map((row) => row.team_id), missing.map((row) => row.channel_id)]);
      }
      return rows.map(laneOf);
    },
  };
}

export type LaneQueue<Message> = ReturnType<typeof makeLaneQueue<Message>>;

type LaneRow = {
  readonly team_id: string;
  readonly channel_id: string;
  readonly enterprise_id: string | null;
};

type EventInLane = [
  seq: string,
  subscriptionId: string,
  notificationId: string,
  notification: Notification,
  fingerprint: string | null,
  receivedAt: number,
  summary: HeldReason | null,
  replayed: boolean,
];

type TakenRow<Message> = LaneRow & {
  /** Null where the lane was not taken. */
  readonly fence: string | null;
  readonly card: LaneCard | null;
  readonly attempt: Attempt | null;
  readonly failures: number;
  readonly paused_reason: string | null;
  readonly muted_until: Date | null;
  readonly events: readonly EventInLane[] | null;
  readonly keyed: boolean | null;
  readonly items: readonly ItemInLane[] | null;
  readonly subscriptions: readonly SubscriptionInLane[] | null;
  readonly announcement: readonly [string, Message, number, string | null] | null;
  readonly throttled_until: Date | null;
  readonly discreet: boolean | null;
  readonly has_duplicates: boolean | null;
  readonly rests_until: Date | null;
};

type ItemInLane = readonly [
  key: string,
  name: string | null,
  path: string | null,
  threadTs: string | null,
  idPath: string | null,
];

function laneOf({ enterprise_id, team_id, channel_id }: LaneRow): Channel {
  return { enterpriseId: enterprise_id, teamId: team_id, channelId: channel_id };
}

function takenOf<Message>(
  row: TakenRow<Message>,
  { at, until, eventsEach }: { readonly at: Date; readonly until: Date; readonly eventsEach: number },
): TakenLane<Message> {
  const events = row.events ?? [];
  const subscriptions = new Map(
    (row.subscriptions ?? []).map(laneSubscriptionOf).map((each) => [each.id, each]),
  );
  return {
    lane: laneOf(row),
    fence: row.fence ?? '',
    at,
    until,
    failures: row.failures,
    pausedReason: row.paused_reason,
    mutedUntil: row.muted_until,
    card: row.card,
    attempt: row.attempt,
    throttledUntil: row.throttled_until,
    isDiscreet: row.discreet ?? false,
    hasDuplicates: row.has_duplicates ?? true,
    waiting: events.flatMap((event) => waitingOf(event, subscriptions)),
    waitsMore: events.length >= eventsEach,
    orphans: events.flatMap(([seq, id]) => (subscriptions.has(id) ? [] : [seq])),
    items:
      row.keyed === false
        ? null
        : new Map(
            (row.items ?? []).map(([key, name, path, threadTs, idPath]) => [
              key,
              { name, path, threadTs, idPath },
            ]),
          ),
    announcement:
      row.announcement === null
        ? null
        : {
            id: row.announcement[0],
            message: row.announcement[1],
            createdAt: new Date(row.announcement[2]),
            subject: row.announcement[3],
          },
  };
}

function waitingOf(
  [
    seq,
    subscriptionId,
    notificationId,
    notification,
    fingerprint,
    receivedAt,
    summary,
    replayed,
  ]: EventInLane,
  subscriptions: ReadonlyMap<string, LaneSubscription>,
): WaitingEvent[] {
  const subscription = subscriptions.get(subscriptionId);
  if (!subscription) return [];
  return [
    {
      seq,
      notificationId,
      notification,
      fingerprint: fingerprint ?? '',
      summary,
      replayed,
      receivedAt: new Date(receivedAt),
      subscription,
    },
  ];
}

function markRow({ lane, fence, mark }: MarkedTurn, n: number) {
  const gone = [...mark.items].filter(([, item]) => item === null).map(([key]) => key);
  return {
    n,
    t: lane.teamId,
    c: lane.channelId,
    f: fence,
    at: mark.at,
    lp: mark.lastPostAt,
    nb: mark.notBefore,
    fl: mark.failures,
    cd: mark.card,
    ka: mark.keepAttempt,
    ts: mark.messageTs,
    ev: mark.events.map(({ seq, state, reason, told, idsOnly }) => ({
      s: seq,
      st: state,
      r: reason,
      told,
      ...(idsOnly ? { ids: true } : {}),
    })),
    it: [...mark.items].flatMap(([k, item]) =>
      item === null ? [] : [{ k, nm: item.name, p: item.path, th: item.threadTs, ip: item.idPath }],
    ),
    gone: gone.length > 0 ? gone : null,
    sb: subscriptionRows(mark),
    an: mark.announcementId,
  };
}

function subscriptionRows({ notes, ended }: TurnMark) {
  const rows = new Map(notes.map(({ id, at, name }) => [id, { id, at, nm: name, gone: ended.includes(id) }]));
  for (const id of ended) {
    if (!rows.has(id)) rows.set(id, { id, at: null as never, nm: null, gone: true });
  }
  return [...rows.values()];
}
