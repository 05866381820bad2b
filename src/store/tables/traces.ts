import { type Kysely, type Selectable, sql } from 'kysely';
import type { Channel } from '../../core/model/people.ts';
import type { Database, EventsTable } from '../schema.ts';
import { type Subscription, subscriptionColumns, subscriptionOf } from './subscription-row.ts';

/** A stored event and its outcome. `reason`: why it waits, was filtered, or is dead. */
export type Trace = Pick<
  Selectable<EventsTable>,
  'seq' | 'subscriptionId' | 'notification' | 'state' | 'reason' | 'receivedAt' | 'postedAt'
> & {
  readonly postedAs: Selectable<EventsTable>['told'];
  /** For a duplicate: the channel's other subscription that posted the same change. */
  readonly duplicateOf: string | null;
};

/** The outcome of an event, by ids only. */
export type SettledTrace = Pick<
  Selectable<EventsTable>,
  'seq' | 'notificationId' | 'teamId' | 'channelId' | 'state' | 'reason' | 'messageTs'
>;

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

/** The table `events` for "why?": outcomes of events. Each answer covers one channel, since nobody may see the events of others. */
export function makeTraces({ db }: { readonly db: Kysely<Database> }) {
  const ofChannel = (channel: Channel) =>
    db
      .selectFrom('plancast.events as e')
      .where('e.teamId', '=', channel.teamId)
      .where('e.channelId', '=', channel.channelId);
  /** Selects the columns of a `Trace`. */
  const traces = (channel: Channel) =>
    ofChannel(channel)
      .select(['e.seq', 'e.subscriptionId', 'e.notification', 'e.told as postedAs', 'e.state', 'e.reason'])
      .select(['e.receivedAt', 'e.postedAt', duplicateOf]);
  const duplicateOf = sql<string | null>`
    case when e.state = 'filtered' and e.reason = 'covered' then (
      select t.subscription_id from plancast.events t
      where t.team_id = e.team_id and t.channel_id = e.channel_id and t.fingerprint = e.fingerprint
        and t.state = 'posted'
      order by t.seq desc limit 1) end`.as('duplicateOf');

  return {
    /** Lists the outcomes of events, in order of acceptance. */
    settled(seqs: readonly string[]): Promise<SettledTrace[]> {
      return db
        .selectFrom('plancast.events')
        .select(['seq', 'notificationId', 'teamId', 'channelId', 'state', 'reason', 'messageTs'])
        .where(sql<boolean>`seq = any(${[...seqs]}::bigint[])`)
        .orderBy('seq')
        .execute();
    },

    /** Lists the subscriptions whose events a message shows, those with the most events first. */
    async subscriptionsIn(channel: Channel, messageTs: string): Promise<TracedSubscription[]> {
      const rows = await db
        .with('shown', () =>
          ofChannel(channel)
            .select((eb) => [
              'e.subscriptionId',
              eb.fn.countAll<string>().as('count'),
              eb.fn.min('e.receivedAt').as('first'),
              eb.fn.max('e.receivedAt').as('last'),
              eb.fn.max('e.postedAt').as('postedAt'),
            ])
            .where('e.messageTs', '=', messageTs)
            .where('e.state', '=', 'posted')
            .groupBy('e.subscriptionId'),
        )
        .selectFrom('shown')
        .innerJoin('plancast.subscriptions as s', 's.id', 'shown.subscriptionId')
        .select(subscriptionColumns)
        .select(['shown.count', 'shown.first', 'shown.last', 'shown.postedAt'])
        .orderBy('shown.count', 'desc')
        .execute();
      return rows.map(({ count, first, last, postedAt, ...row }) => {
        return { subscription: subscriptionOf(row), count: Number(count), first, last, postedAt };
      });
    },

    /** Lists the first events that a message shows, at most `limit`. */
    shown: (channel: Channel, messageTs: string, limit: number): Promise<Trace[]> =>
      traces(channel)
        .where('e.messageTs', '=', messageTs)
        .where('e.state', '=', 'posted')
        .orderBy('e.seq')
        .limit(limit)
        .execute(),

    /** Lists the channel's events that arrived between two times and were filtered: the first `limit`, and how many there are. */
    async filtered(
      channel: Channel,
      { from, to, limit }: { readonly from: Date; readonly to: Date; readonly limit: number },
    ): Promise<{ readonly traces: Trace[]; readonly count: number }> {
      const rows = await traces(channel)
        .select(sql<string>`count(*) over ()`.as('events'))
        .where('e.receivedAt', '>=', from)
        .where('e.receivedAt', '<=', to)
        .where('e.state', '=', 'filtered')
        .orderBy('e.seq')
        .limit(limit)
        .execute();
      return { traces: rows.map(({ events, ...trace }) => trace), count: Number(rows[0]?.events ?? 0) };
    },

    /** Returns the last events of each of these subscriptions of the channel, newest first, at most `each` per subscription. */
    async lastOf(
      channel: Channel,
      subscriptionIds: readonly string[],
      each: number,
    ): Promise<Map<string, Trace[]>> {
      const found = await Promise.all(
        subscriptionIds.map(async (id) => {
          const rows = await traces(channel)
            .where('e.subscriptionId', '=', id)
            .orderBy('e.seq', 'desc')
            .limit(each)
            .execute();
          return [id, rows] as const;
        }),
      );
      return new Map(found);
    },

    /**
     * Returns which of these subscriptions have excluded at least `least` changes by their paths since they were last changed, and let none
     * pass; what waits is not judged yet. Of one that posts, only few rows are read.
     */
    async unmatched(subscriptionIds: readonly string[], least: number): Promise<Set<string>> {
      if (subscriptionIds.length === 0) return new Set();
      const since = sql`e.subscription_id = s.id and e.received_at >= s.changed_at`;
      const passed = sql`(e.state in ('posted', 'dead') or e.reason = 'covered')`;
      // What is outside a followed folder was excluded before its path was matched; only its ids are kept. Other names go after a week.
      const excluded = sql`e.reason = 'path' and (s.kind <> 'folder' or e.notification ->> 'name' is not null)`;
      const { rows } = await sql<{ id: string }>`
        select s.id from plancast.subscriptions s where s.id = any(${[...subscriptionIds]}::uuid[])
          and case when exists (select from plancast.events e where ${since} and ${passed}) then false
          else (select count(*) from (select from plancast.events e where ${since} and ${excluded} limit ${least}) x) >= ${least} end
      `.execute(db);
      return new Set(rows.map(({ id }) => id));
    },

    /** Returns the time of the last post of each of these subscriptions; those without a post are missing. */
    async lastPosts(subscriptionIds: readonly string[]): Promise<Map<string, Date>> {
      if (subscriptionIds.length === 0) return new Map();
      const rows = await db
        .selectFrom('plancast.events')
        .select((eb) => ['subscriptionId', eb.fn.max('postedAt').as('posted')])
        .where('subscriptionId', 'in', [...subscriptionIds])
        .where('state', '=', 'posted')
        .groupBy('subscriptionId')
        .execute();
      return new Map(rows.flatMap((row) => (row.posted ? [[row.subscriptionId, row.posted] as const] : [])));
    },

    /** Counts a channel's pending and dead events, by reason. */
    async waiting(channel: Channel): Promise<WaitingCount[]> {
      const rows = await ofChannel(channel)
        .select((eb) => [
          'e.state',
          'e.reason',
          eb.fn.countAll<string>().as('count'),
          eb.fn.min('e.receivedAt').as('oldest'),
        ])
        .where('e.state', 'in', ['pending', 'dead'])
        .groupBy(['e.state', 'e.reason'])
        .$narrowType<Pick<WaitingCount, 'state'>>()
        .execute();
      return rows.map((row) => ({ ...row, count: Number(row.count) }));
    },

    /** Lists the dead events of a channel, oldest first, at most `limit`. */
    async dead(channel: Channel, limit: number): Promise<string[]> {
      const rows = await ofChannel(channel)
        .select('e.seq')
        .where('e.state', '=', 'dead')
        .orderBy('e.seq')
        .limit(limit)
        .execute();
      return rows.map(({ seq }) => seq);
    },
  };
}

export type Traces = ReturnType<typeof makeTraces>;

type ShimTraces = ReturnType<typeof makeTraces>;
/** For core, which is handed the database. */
export const settled = (db: Kysely<Database>, ...rest: Parameters<ShimTraces['settled']>) =>
  makeTraces({ db }).settled(...rest);
/** For core, which is handed the database. */
export const subscriptionsIn = (db: Kysely<Database>, ...rest: Parameters<ShimTraces['subscriptionsIn']>) =>
  makeTraces({ db }).subscriptionsIn(...rest);
/** For core, which is handed the database. */
export const shown = (db: Kysely<Database>, ...rest: Parameters<ShimTraces['shown']>) =>
  makeTraces({ db }).shown(...rest);
/** For core, which is handed the database. */
export const filtered = (db: Kysely<Database>, ...rest: Parameters<ShimTraces['filtered']>) =>
  makeTraces({ db }).filtered(...rest);
/** For core, which is handed the database. */
export const lastOf = (db: Kysely<Database>, ...rest: Parameters<ShimTraces['lastOf']>) =>
  makeTraces({ db }).lastOf(...rest);
/** For core, which is handed the database. */
export const unmatched = (db: Kysely<Database>, ...rest: Parameters<ShimTraces['unmatched']>) =>
  makeTraces({ db }).unmatched(...rest);
/** For core, which is handed the database. */
export const lastPosts = (db: Kysely<Database>, ...rest: Parameters<ShimTraces['lastPosts']>) =>
  makeTraces({ db }).lastPosts(...rest);
/** For core, which is handed the database. */
export const waiting = (db: Kysely<Database>, ...rest: Parameters<ShimTraces['waiting']>) =>
  makeTraces({ db }).waiting(...rest);
/** For core, which is handed the database. */
export const dead = (db: Kysely<Database>, ...rest: Parameters<ShimTraces['dead']>) =>
  makeTraces({ db }).dead(...rest);
