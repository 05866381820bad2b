import { type Kysely, type Selectable, sql } from 'kysely';
import type { PostedAs } from '../../core/model/change.ts';
import type { HeldReason, SummaryCause } from '../../core/model/held-reason.ts';
import type { Notification } from '../../core/model/notification.ts';
import type { Channel, Workspace } from '../../core/model/people.ts';
import type { Target } from '../../core/model/subscription.ts';
import type { Database, EventsTable } from '../schema.ts';
import { knownNames } from './known-names.ts';
import { type LaneSubscription, type Subscription, subscriptionOf } from './subscription-row.ts';

/** A stored event that waits, with the subscription it came for. */
export type WaitingEvent = {
  readonly seq: string;
  readonly notificationId: string;
  readonly notification: Notification;
  readonly fingerprint: string;
  /** What it waited for, if it is posted in a summary. */
  readonly summary: SummaryCause | null;
  /** An admin retried it after it was a dead letter: it is posted however old it is. */
  readonly replayed?: boolean | undefined;
  readonly receivedAt: Date;
  readonly subscription: LaneSubscription;
};

/** An event that a message shows. */
export type PostedEvent = {
  readonly seq: string;
  readonly notification: Notification;
  /** Null where it is plain from the notification. */
  readonly postedAs: PostedAs | null;
  readonly receivedAt: Date;
  readonly subscription: Subscription;
};

/** An event that was seen before with the same fingerprint, for "one change, one message". */
export type Duplicate = {
  readonly fingerprint: string;
  /** The record at the service that sent it, else our subscription. */
  readonly source: string;
  readonly isDuplicate: boolean;
  readonly happenedAt: string | null;
  readonly receivedAt: Date;
};

/** The table `events`: a row a notification and subscription. */
export function makeEvents({ db }: { readonly db: Kysely<Database> }) {
  async function subscriptionsOf(
    rows: readonly { readonly subscription_id: string }[],
    known: ReadonlyMap<string, Subscription>,
  ): Promise<ReadonlyMap<string, Subscription>> {
    const ids = new Set(rows.map(({ subscription_id: id }) => id).filter((id) => !known.has(id)));
    if (ids.size === 0) return known;
    const found = await db
      .selectFrom('plancast.subscriptions')
      .selectAll()
      .select(knownNames('plancast.subscriptions'))
      .where(sql<boolean>`id = any(${[...ids]}::uuid[])`)
      .execute();
    return new Map([...known, ...found.map((row) => [row.id, subscriptionOf(row)] as const)]);
  }

  return {
    /** Events of a channel that share a fingerprint with some that are to be posted, and were settled or seen since `since`. */
    async duplicates(lane: Channel, fingerprints: readonly string[], since: Date): Promise<Duplicate[]> {
      if (fingerprints.length === 0) return [];
      const rows = await db
        .selectFrom('plancast.events')
        .select([
          'fingerprint',
          'subscription_id',
          'service_subscription_id',
          'state',
          'notification',
          'received_at',
        ])
        .where('team_id', '=', lane.teamId)
        .where('channel_id', '=', lane.channelId)
        .where(sql<boolean>`fingerprint = any(${[...new Set(fingerprints)]}::text[])`)
        .where('received_at', '>=', since)
        .where(sql<boolean>`(state = 'posted' or (state = 'filtered' and reason = 'covered'))`)
        .execute();
      return rows.map((row) => ({
        fingerprint: row.fingerprint ?? '',
        source: row.service_subscription_id ?? row.subscription_id,
        isDuplicate: row.state === 'filtered',
        happenedAt: (row.notification as Notification | null)?.happenedAt ?? null,
        receivedAt: row.received_at,
      }));
    },

    /** Nothing that waits of subscriptions which have ended is to be posted any more. */
    async dropEnded(subscriptionIds: readonly string[]): Promise<void> {
      if (subscriptionIds.length === 0) return;
      await db
        .updateTable('plancast.events')
        .set({ state: 'filtered', reason: 'ended' })
        .where(sql<boolean>`subscription_id = any(${[...subscriptionIds]}::uuid[])`)
        .where('state', '=', 'pending')
        .execute();
    },

    /** Keeps what waits in a lane from being posted, for a reason. Returns how many. */
    async hold(lane: Channel, reason: 'muted' | 'paused'): Promise<number> {
      const result = await db
        .updateTable('plancast.events')
        .set({ reason })
        .where('team_id', '=', lane.teamId)
        .where('channel_id', '=', lane.channelId)
        .where('state', '=', 'pending')
        .where('reason', 'is', null)
        .executeTakeFirst();
      return Number(result.numUpdatedRows);
    },

    /** Releases events that were held for a reason, to be posted in a summary. Returns how many. */
    async releaseHeld(
      lane: Channel,
      reason: HeldReason,
      subscriptionIds: readonly string[],
    ): Promise<number> {
      const result = await db
        .updateTable('plancast.events')
        .set({ reason: null, summary: reason })
        .where('team_id', '=', lane.teamId)
        .where('channel_id', '=', lane.channelId)
        .where('state', '=', 'pending')
        .where('reason', '=', reason)
        .where(sql<boolean>`subscription_id = any(${[...subscriptionIds]}::uuid[])`)
        .executeTakeFirst();
      return Number(result.numUpdatedRows);
    },

    /** An event of this channel, while its details are kept; null where none has that number. */
    async byNumber(channel: Channel, seq: string): Promise<PostedEvent | null> {
      const rows = await db
        .selectFrom('plancast.events')
        .select(['seq', 'subscription_id', 'notification', 'told', 'received_at'])
        .where('seq', '=', seq)
        .where('team_id', '=', channel.teamId)
        .where('channel_id', '=', channel.channelId)
        .where('notification', 'is not', null)
        .execute();
      return withSubscription(rows, await subscriptionsOf(rows, new Map()), postedEventOf)[0] ?? null;
    },

    /** The subscription of an event of this channel; null where none has that number. */
    async subscriptionIdOf(channel: Channel, seq: string): Promise<string | null> {
      const row = await db
        .selectFrom('plancast.events')
        .select('subscription_id')
        .where('seq', '=', seq)
        .where('team_id', '=', channel.teamId)
        .where('channel_id', '=', channel.channelId)
        .executeTakeFirst();
      return row?.subscription_id ?? null;
    },

    /** The events that a message of a channel shows, in the order of acceptance, while their details are kept. */
    async ofMessage(channel: Channel, messageTs: string): Promise<PostedEvent[]> {
      const rows = await db
        .selectFrom('plancast.events')
        .select(['seq', 'subscription_id', 'notification', 'told', 'received_at'])
        .where('team_id', '=', channel.teamId)
        .where('channel_id', '=', channel.channelId)
        .where('message_ts', '=', messageTs)
        .where('state', '=', 'posted')
        .where('notification', 'is not', null)
        .orderBy('seq')
        .execute();
      return withSubscription(rows, await subscriptionsOf(rows, new Map()), postedEventOf);
    },

    /** The newest events, at most `limit`, that came for anything in a project or session in these channels, while their details are kept. */
    async recentOf(
      { teamId }: Workspace,
      target: Target,
      channelIds: readonly string[],
      limit: number,
    ): Promise<(PostedEvent & { readonly fingerprint: string | null })[]> {
      const parentId = 'projectId' in target ? target.projectId : target.sessionId;
      const kinds: Target['kind'][] =
        'projectId' in target ? ['project', 'folder', 'file'] : ['session', 'document'];
      const rows = await db
        .selectFrom('plancast.subscriptions as s')
        .innerJoin('plancast.events as e', 'e.subscription_id', 's.id')
        .select(['e.seq', 'e.subscription_id', 'e.fingerprint', 'e.notification', 'e.told', 'e.received_at'])
        .where('s.team_id', '=', teamId)
        .where('s.parent_id', '=', parentId)
        .where('s.kind', 'in', kinds)
        .where(sql<boolean>`s.channel_id = any(${[...channelIds]}::text[])`)
        .where('e.notification', 'is not', null)
        .orderBy('e.seq', 'desc')
        .limit(limit)
        .execute();
      return withSubscription(rows, await subscriptionsOf(rows, new Map()), (row, subscription) => ({
        ...postedEventOf(row, subscription),
        fingerprint: row.fingerprint,
      }));
    },

    /** Subscriptions with events that wait for their digest, and when the oldest of each arrived. */
    async heldForDigest(): Promise<{ subscription: Subscription; oldest: Date }[]> {
      const rows = await db
        .with('held', (query) =>
          query
            .selectFrom('plancast.events')
            .select(['subscription_id', (eb) => eb.fn.min('received_at').as('oldest')])
            .where('state', '=', 'pending')
            .where('reason', '=', 'digest')
            .groupBy('subscription_id'),
        )
        .selectFrom('held')
        .innerJoin('plancast.subscriptions as s', 's.id', 'held.subscription_id')
        .selectAll('s')
        .select('held.oldest')
        .execute();
      return rows.map((row) => ({ subscription: subscriptionOf(row), oldest: row.oldest }));
    },

    /** How much is to be posted now, since when the oldest of it waits, and how much is dead. What is held on purpose does not count. */
    async backlog(): Promise<{ waiting: number; oldest: Date | null; dead: number }> {
      const row = await db
        .selectFrom('plancast.events')
        .select((eb) => [
          eb.fn.countAll<string>().as('waiting'),
          eb.fn.min('received_at').as('oldest'),
          sql<string>`(select count(*) from plancast.events where state = 'dead')`.as('dead'),
        ])
        .where('state', '=', 'pending')
        .where('reason', 'is', null)
        .executeTakeFirstOrThrow();
      return { waiting: Number(row.waiting), oldest: row.oldest, dead: Number(row.dead) };
    },

    /** Deletes the details (names, paths, e-mails) of events posted or filtered before `before`. Returns how many. */
    async forgetDetails(before: Date, limit: number): Promise<number> {
      const result = await sql`
        update plancast.events set notification = null, item_keys = null, told = null where seq in (
          select seq from plancast.events
          where state in ('posted', 'filtered') and notification is not null
            and coalesce(posted_at, received_at) < ${before}
          limit ${limit})`.execute(db);
      return Number(result.numAffectedRows ?? 0n);
    },

    /**
     * Of the first `limit` events behind the number `after`, removes those that came before `before`; such as still wait only where they
     * also came before `waitingBefore`. Numbers follow arrival, so the oldest are read without looking at the rest of the table.
     * @returns the last number looked at; null where nothing behind it can be old.
     */
    async removeOld({
      before,
      waitingBefore,
      after,
      limit,
    }: {
      readonly before: Date;
      readonly waitingBefore: Date;
      readonly after: string;
      readonly limit: number;
    }): Promise<string | null> {
      const { rows } = await sql<{ last: string; more: boolean }>`
        with oldest as materialized (
          select seq, received_at, state from plancast.events where seq > ${after} order by seq limit ${limit}
        ), removed as (
          delete from plancast.events where seq in (
            select seq from oldest
            where received_at < ${before} and (state <> 'pending' or received_at < ${waitingBefore}))
        )
        select max(seq) as last, count(*) = ${limit} and min(received_at) < ${before} as more from oldest`.execute(
        db,
      );
      const [row] = rows;
      return row?.more ? row.last : null;
    },
  };
}

export type Events = ReturnType<typeof makeEvents>;

function postedEventOf(
  row: Pick<Selectable<EventsTable>, 'seq' | 'notification' | 'told' | 'received_at'>,
  subscription: Subscription,
): PostedEvent {
  const notification = row.notification as Notification;
  return { seq: row.seq, notification, postedAs: row.told, receivedAt: row.received_at, subscription };
}

/** Skips what belongs to a subscription that is not kept any more. */
function withSubscription<Row extends { readonly subscription_id: string }, Event>(
  rows: readonly Row[],
  subscriptions: ReadonlyMap<string, Subscription>,
  eventOf: (row: Row, subscription: Subscription) => Event,
): Event[] {
  return rows.flatMap((row) => {
    const subscription = subscriptions.get(row.subscription_id);
    return subscription ? [eventOf(row, subscription)] : [];
  });
}
