import { type Kysely, type Selectable, sql } from 'kysely';
import type { PostedAs } from '../../core/model/change.ts';
import type { Notification } from '../../core/model/notification.ts';
import type { Channel } from '../../core/model/people.ts';
import type { Database, EventsTable } from '../schema.ts';
import { type Subscription, subscriptionOf } from './subscription-row.ts';

/** A stored event and its outcome. */
export type Trace = {
  readonly seq: string;
  readonly subscriptionId: string;
  /** Null once its details were forgotten. */
  readonly notification: Notification | null;
  /** What it was posted as, if that is not clear from the notification. */
  readonly postedAs: PostedAs | null;
  readonly state: EventsTable['state'];
  /** Why it waits, was filtered, or is dead. */
  readonly reason: string | null;
  readonly receivedAt: Date;
  readonly postedAt: Date | null;
  /** For a duplicate: the channel's other subscription that posted the same change. */
  readonly duplicateOf: string | null;
};

/** What became of an event, by its ids alone. */
export type SettledTrace = Pick<Channel, 'teamId' | 'channelId'> & {
  readonly seq: string;
  readonly notificationId: string;
  readonly state: EventsTable['state'];
  readonly reason: string | null;
  readonly messageTs: string | null;
};

/** Events that came for one subscription: how many, since when, and the first of them. */
export type TracedSubscription = {
  readonly subscription: Subscription;
  readonly count: number;
  readonly first: Date;
  readonly last: Date;
  readonly postedAt: Date | null;
};

/** Events of a channel that wait for one reason, or are dead for one. */
export type WaitingCount = {
  readonly state: 'pending' | 'dead';
  readonly reason: string | null;
  readonly count: number;
  readonly oldest: Date;
};

/** The table `events` for "why?": outcomes of events. Each answer covers one channel, since nobody may see those of others. */
export function makeTraces({ db }: { readonly db: Kysely<Database> }) {
  const ofChannel = (channel: Channel) =>
    db
      .selectFrom('plancast.events as e')
      .where('e.team_id', '=', channel.teamId)
      .where('e.channel_id', '=', channel.channelId);
  const duplicateOf = sql<string | null>`
    case when e.state = 'filtered' and e.reason = 'covered' then (
      select t.subscription_id from plancast.events t
      where t.team_id = e.team_id and t.channel_id = e.channel_id and t.fingerprint = e.fingerprint
        and t.state = 'posted'
      order by t.seq desc limit 1) end`.as('posted_by');

  return {
    /** The outcomes of events, in order of acceptance. */
    settled(seqs: readonly string[]): Promise<SettledTrace[]> {
      return db
        .selectFrom('plancast.events')
        .select([
          'seq',
          'notification_id as notificationId',
          'team_id as teamId',
          'channel_id as channelId',
          'state',
          'reason',
          'message_ts as messageTs',
        ])
        .where(sql<boolean>`seq = any(${[...seqs]}::bigint[])`)
        .orderBy('seq')
        .execute();
    },

    /** The subscriptions whose events a message shows, those with the most events first. */
    async subscriptionsIn(channel: Channel, messageTs: string): Promise<TracedSubscription[]> {
      const rows = await db
        .with('shown', () =>
          ofChannel(channel)
            .select((eb) => [
              'e.subscription_id',
              eb.fn.countAll<string>().as('events'),
              eb.fn.min('e.received_at').as('first'),
              eb.fn.max('e.received_at').as('last'),
              eb.fn.max('e.posted_at').as('posted'),
            ])
            .where('e.message_ts', '=', messageTs)
            .where('e.state', '=', 'posted')
            .groupBy('e.subscription_id'),
        )
        .selectFrom('shown')
        .innerJoin('plancast.subscriptions as s', 's.id', 'shown.subscription_id')
        .selectAll('s')
        .select(['shown.events', 'shown.first', 'shown.last', 'shown.posted'])
        .orderBy('shown.events', 'desc')
        .execute();
      return rows.map((row) => ({
        subscription: subscriptionOf(row),
        count: Number(row.events),
        first: row.first,
        last: row.last,
        postedAt: row.posted,
      }));
    },

    /** The first events that a message shows, at most `limit`. */
    async shown(channel: Channel, messageTs: string, limit: number): Promise<Trace[]> {
      const rows = await ofChannel(channel)
        .selectAll('e')
        .select(duplicateOf)
        .where('e.message_ts', '=', messageTs)
        .where('e.state', '=', 'posted')
        .orderBy('e.seq')
        .limit(limit)
        .execute();
      return rows.map(traceOf);
    },

    /** The channel's events that came between two times and were filtered: the first ones, and how many there are. */
    async filtered(
      channel: Channel,
      { from, to, limit }: { readonly from: Date; readonly to: Date; readonly limit: number },
    ): Promise<{ readonly traces: Trace[]; readonly count: number }> {
      const rows = await ofChannel(channel)
        .selectAll('e')
        .select(duplicateOf)
        .select(sql<string>`count(*) over ()`.as('events'))
        .where('e.received_at', '>=', from)
        .where('e.received_at', '<=', to)
        .where('e.state', '=', 'filtered')
        .orderBy('e.seq')
        .limit(limit)
        .execute();
      return { traces: rows.map(traceOf), count: Number(rows[0]?.events ?? 0) };
    },

    /** The last events of each of these subscriptions of the channel, the newest first, at most `each`. */
    async lastOf(
      channel: Channel,
      subscriptionIds: readonly string[],
      each: number,
    ): Promise<Map<string, Trace[]>> {
      const found = await Promise.all(
        subscriptionIds.map(async (id) => {
          const rows = await ofChannel(channel)
            .selectAll('e')
            .select(duplicateOf)
            .where('e.subscription_id', '=', id)
            .orderBy('e.seq', 'desc')
            .limit(each)
            .execute();
          return [id, rows.map(traceOf)] as const;
        }),
      );
      return new Map(found);
    },

    /** The last post of each of these subscriptions; without those that have none. */
    async lastPosts(subscriptionIds: readonly string[]): Promise<Map<string, Date>> {
      if (subscriptionIds.length === 0) return new Map();
      const rows = await db
        .selectFrom('plancast.events')
        .select((eb) => ['subscription_id', eb.fn.max('posted_at').as('posted')])
        .where('subscription_id', 'in', [...subscriptionIds])
        .where('state', '=', 'posted')
        .groupBy('subscription_id')
        .execute();
      return new Map(rows.flatMap((row) => (row.posted ? [[row.subscription_id, row.posted] as const] : [])));
    },

    /** A channel's waiting and dead events, by reason. */
    async waiting(channel: Channel): Promise<WaitingCount[]> {
      const rows = await ofChannel(channel)
        .select((eb) => [
          'e.state',
          'e.reason',
          eb.fn.countAll<string>().as('events'),
          eb.fn.min('e.received_at').as('oldest'),
        ])
        .where('e.state', 'in', ['pending', 'dead'])
        .groupBy(['e.state', 'e.reason'])
        .execute();
      return rows.map((row) => ({
        state: row.state === 'dead' ? 'dead' : 'pending',
        reason: row.reason,
        count: Number(row.events),
        oldest: row.oldest,
      }));
    },

    /** The dead events of a channel, oldest first, at most `limit`. */
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

function traceOf(row: Selectable<EventsTable> & { readonly posted_by: string | null }): Trace {
  return {
    seq: row.seq,
    subscriptionId: row.subscription_id,
    // Written by `acceptEvents` from a parsed notification.
    notification: row.notification as Notification | null,
    postedAs: row.told,
    state: row.state,
    reason: row.reason,
    receivedAt: row.received_at,
    postedAt: row.posted_at,
    duplicateOf: row.posted_by,
  };
}
