import { type Kysely, type Selectable, sql } from 'kysely';
import type { PostedAs } from '../../core/model/change.ts';
import type { HeldReason, SummaryCause } from '../../core/model/held-reason.ts';
import { itemKey } from '../../core/model/item-keys.ts';
import type { Notification } from '../../core/model/notification.ts';
import type { Channel, Workspace } from '../../core/model/people.ts';
import type { Target } from '../../core/model/subscription.ts';
import { inChannel } from '../in-channel.ts';
import type { Database, EventsTable } from '../schema.ts';
import { makeEventCleanup } from './event-cleanup.ts';
import { knownNames } from './known-names.ts';
import {
  type LaneSubscription,
  type Subscription,
  subscriptionColumns,
  subscriptionOf,
} from './subscription-row.ts';

/** A pending event, with the subscription it arrived for. */
export type WaitingEvent = {
  readonly seq: string;
  readonly notification: Notification;
  readonly fingerprint: string;
  /** What it waited for, if it is posted in a summary. */
  readonly summary: SummaryCause | null;
  /** True if an admin retried it after it was a dead letter: it is then posted however old it is. */
  readonly replayed?: boolean | undefined;
  /** How an update was rendered when Slack refused it, if an admin retried it. */
  readonly postedAs?: PostedAs | null | undefined;
  readonly receivedAt: Date;
  readonly subscription: LaneSubscription;
};

/** An event that a message shows. */
export type PostedEvent = {
  readonly seq: string;
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

/** The table `events`: one row per notification and subscription. */
export function makeEvents({ db }: { readonly db: Kysely<Database> }) {
  /** Adds each row's subscription; drops rows whose subscription or details are no longer stored. */
  async function withSubscription<Row extends { subscriptionId: string; notification: Notification | null }>(
    rows: readonly Row[],
  ) {
    if (rows.length === 0) return [];
    const found = await db
      .selectFrom('plancast.subscriptions')
      .select(subscriptionColumns)
      .select(knownNames('plancast.subscriptions'))
      .where(sql<boolean>`id = any(${[...new Set(rows.map((row) => row.subscriptionId))]}::uuid[])`)
      .execute();
    const subscriptions = new Map(found.map((row) => [row.id, subscriptionOf(row)]));
    return rows.flatMap(({ subscriptionId, notification, ...row }) => {
      const subscription = subscriptions.get(subscriptionId);
      return subscription && notification ? [{ ...row, notification, subscription }] : [];
    });
  }

  return {
    /** Lists events of a channel that arrived since `since`, have one of these fingerprints, and were posted or skipped as duplicates. */
    async duplicates(lane: Channel, fingerprints: readonly string[], since: Date): Promise<Duplicate[]> {
      if (fingerprints.length === 0) return [];
      const rows = await db
        .selectFrom('plancast.events')
        .select([
          'fingerprint',
          'subscriptionId',
          'serviceSubscriptionId',
          'state',
          'notification',
          'receivedAt',
        ])
        .where(inChannel(lane))
        .where(sql<boolean>`fingerprint = any(${[...new Set(fingerprints)]}::text[])`)
        .where('receivedAt', '>=', since)
        .where(sql<boolean>`(state = 'posted' or (state = 'filtered' and reason = 'covered'))`)
        .execute();
      return rows.map((row) => ({
        fingerprint: row.fingerprint ?? '',
        source: row.serviceSubscriptionId ?? row.subscriptionId,
        isDuplicate: row.state === 'filtered',
        happenedAt: row.notification?.happenedAt ?? null,
        receivedAt: row.receivedAt,
      }));
    },

    /** Drops the pending events of subscriptions that have ended. */
    async dropEnded(subscriptionIds: readonly string[]): Promise<void> {
      if (subscriptionIds.length === 0) return;
      await db
        .updateTable('plancast.events')
        .set({ state: 'filtered', reason: 'ended' })
        .where(sql<boolean>`subscription_id = any(${[...subscriptionIds]}::uuid[])`)
        .where('state', '=', 'pending')
        .execute();
    },

    /** Holds back the pending events of a lane for a reason. Returns how many. */
    async hold(lane: Channel, reason: 'muted' | 'paused'): Promise<number> {
      const result = await db
        .updateTable('plancast.events')
        .set({ reason })
        .where(inChannel(lane))
        .where('state', '=', 'pending')
        .where('reason', 'is', null)
        .executeTakeFirst();
      return Number(result.numUpdatedRows);
    },

    /** Releases events that were held back for a reason, to be posted in a summary. Returns how many. */
    async releaseHeld(
      lane: Channel,
      reason: HeldReason,
      subscriptionIds: readonly string[],
    ): Promise<number> {
      const result = await db
        .updateTable('plancast.events')
        .set({ reason: null, summary: reason })
        .where(inChannel(lane))
        .where('state', '=', 'pending')
        .where('reason', '=', reason)
        .where(sql<boolean>`subscription_id = any(${[...subscriptionIds]}::uuid[])`)
        .executeTakeFirst();
      return Number(result.numUpdatedRows);
    },

    /**
     * Releases what is held for a pause although its subscription, last changed between these times, is not paused and its channel is open.
     * Returns the channels.
     */
    async releaseLate({
      since,
      before,
    }: {
      readonly since: Date;
      readonly before: Date;
    }): Promise<Channel[]> {
      const { rows } = await sql<Channel>`
        with released as (
          update plancast.events e set reason = null, summary = 'paused'
          from plancast.subscriptions s
          where s.state <> 'paused' and s.changed_at >= ${since} and s.changed_at < ${before}
            and e.team_id = s.team_id and e.channel_id = s.channel_id and e.subscription_id = s.id
            and e.state = 'pending' and e.reason = 'paused'
            and not exists (select from plancast.lanes l
              where l.team_id = e.team_id and l.channel_id = e.channel_id and l.paused_reason is not null)
          returning e.enterprise_id, e.team_id, e.channel_id
        )
        select distinct enterprise_id, team_id, channel_id from released`.execute(db);
      return rows;
    },

    /**
     * Returns an event that was or will be posted in this channel, while its details are stored; null if there is none with that number.
     */
    async byNumber(channel: Channel, seq: string): Promise<PostedEvent | null> {
      const rows = await db
        .selectFrom('plancast.events')
        .select(['seq', 'subscriptionId', 'notification', 'told as postedAs', 'receivedAt'])
        .where('seq', '=', seq)
        .where(inChannel(channel))
        .where('state', 'in', ['posted', 'pending'])
        .where('notification', 'is not', null)
        .execute();
      return (await withSubscription(rows))[0] ?? null;
    },

    /** Returns whether the newest event of the same item, in the same subscription, is its deletion. */
    async isDeleted({ seq, notification, subscription }: PostedEvent): Promise<boolean> {
      const newest = await db
        .selectFrom('plancast.events')
        .select('notification')
        .where('subscriptionId', '=', subscription.id)
        .where('seq', '>=', seq)
        .where(sql<boolean>`item_keys[1] = ${itemKey(notification)}`)
        .where('notification', 'is not', null)
        .orderBy('seq', 'desc')
        .limit(1)
        .executeTakeFirst();
      return newest?.notification?.eventType === 'Delete';
    },

    /** Returns the subscription of an event of this channel; null if there is no event with that number. */
    async subscriptionIdOf(channel: Channel, seq: string): Promise<string | null> {
      const row = await db
        .selectFrom('plancast.events')
        .select('subscriptionId')
        .where('seq', '=', seq)
        .where(inChannel(channel))
        .executeTakeFirst();
      return row?.subscriptionId ?? null;
    },

    /** Lists the events that a message of a channel shows, in order of acceptance, while their details are stored. */
    async ofMessage(channel: Channel, messageTs: string): Promise<PostedEvent[]> {
      const rows = await db
        .selectFrom('plancast.events')
        .select(['seq', 'subscriptionId', 'notification', 'told as postedAs', 'receivedAt'])
        .where(inChannel(channel))
        .where('messageTs', '=', messageTs)
        .where('state', '=', 'posted')
        .where('notification', 'is not', null)
        .orderBy('seq')
        .execute();
      return withSubscription(rows);
    },

    /**
     * Lists the newest events, at most `limit`, for anything in a project or session, in these channels, while their details are stored.
     */
    async recentOf(
      { teamId }: Workspace,
      target: Target,
      channelIds: readonly string[],
      limit: number,
    ): Promise<(PostedEvent & Pick<Selectable<EventsTable>, 'fingerprint' | 'state'>)[]> {
      const parentId = 'projectId' in target ? target.projectId : target.sessionId;
      const kinds: Target['kind'][] =
        'projectId' in target ? ['project', 'folder', 'file'] : ['session', 'document'];
      const rows = await db
        .selectFrom('plancast.subscriptions as s')
        .innerJoin('plancast.events as e', 'e.subscriptionId', 's.id')
        .select([
          'e.seq',
          'e.subscriptionId',
          'e.fingerprint',
          'e.state',
          'e.notification',
          'e.told as postedAs',
          'e.receivedAt',
        ])
        .where('s.teamId', '=', teamId)
        .where('s.parentId', '=', parentId)
        .where('s.kind', 'in', kinds)
        .where(sql<boolean>`s.channel_id = any(${[...channelIds]}::text[])`)
        .where('e.notification', 'is not', null)
        .orderBy('e.seq', 'desc')
        .limit(limit)
        .execute();
      return withSubscription(rows);
    },

    /** Lists subscriptions with events held for their digest, and when the oldest event of each arrived. */
    async heldForDigest(): Promise<{ subscription: Subscription; oldest: Date }[]> {
      const rows = await db
        .with('held', (query) =>
          query
            .selectFrom('plancast.events')
            .select(['subscriptionId', (eb) => eb.fn.min('receivedAt').as('oldest')])
            .where('state', '=', 'pending')
            .where('reason', '=', 'digest')
            .groupBy('subscriptionId'),
        )
        .selectFrom('held')
        .innerJoin('plancast.subscriptions as s', 's.id', 'held.subscriptionId')
        .select(subscriptionColumns)
        .select('held.oldest')
        .execute();
      return rows.map(({ oldest, ...row }) => ({ subscription: subscriptionOf(row), oldest }));
    },

    /**
     * Counts the events to be posted now, with the arrival of the oldest, and the dead ones. Events that are held on purpose do not count.
     */
    async backlog(): Promise<{ waiting: number; oldest: Date | null; dead: number }> {
      const row = await db
        .selectFrom('plancast.events')
        .select((eb) => [
          eb.fn.countAll<string>().as('waiting'),
          eb.fn.min('receivedAt').as('oldest'),
          sql<string>`(select count(*) from plancast.events where state = 'dead')`.as('dead'),
        ])
        .where('state', '=', 'pending')
        .where('reason', 'is', null)
        .executeTakeFirstOrThrow();
      return { waiting: Number(row.waiting), oldest: row.oldest, dead: Number(row.dead) };
    },

    ...makeEventCleanup(db),
  };
}

export type Events = ReturnType<typeof makeEvents>;

type ShimEvents = ReturnType<typeof makeEvents>;
/** For core, which is handed the database. */
export const duplicates = (db: Kysely<Database>, ...rest: Parameters<ShimEvents['duplicates']>) =>
  makeEvents({ db }).duplicates(...rest);
/** For core, which is handed the database. */
export const dropEnded = (db: Kysely<Database>, ...rest: Parameters<ShimEvents['dropEnded']>) =>
  makeEvents({ db }).dropEnded(...rest);
/** For core, which is handed the database. */
export const hold = (db: Kysely<Database>, ...rest: Parameters<ShimEvents['hold']>) =>
  makeEvents({ db }).hold(...rest);
/** For core, which is handed the database. */
export const releaseHeld = (db: Kysely<Database>, ...rest: Parameters<ShimEvents['releaseHeld']>) =>
  makeEvents({ db }).releaseHeld(...rest);
/** For core, which is handed the database. */
export const releaseLate = (db: Kysely<Database>, ...rest: Parameters<ShimEvents['releaseLate']>) =>
  makeEvents({ db }).releaseLate(...rest);
/** For core, which is handed the database. */
export const byNumber = (db: Kysely<Database>, ...rest: Parameters<ShimEvents['byNumber']>) =>
  makeEvents({ db }).byNumber(...rest);
/** For core, which is handed the database. */
export const isDeleted = (db: Kysely<Database>, ...rest: Parameters<ShimEvents['isDeleted']>) =>
  makeEvents({ db }).isDeleted(...rest);
/** For core, which is handed the database. */
export const subscriptionIdOf = (db: Kysely<Database>, ...rest: Parameters<ShimEvents['subscriptionIdOf']>) =>
  makeEvents({ db }).subscriptionIdOf(...rest);
/** For core, which is handed the database. */
export const ofMessage = (db: Kysely<Database>, ...rest: Parameters<ShimEvents['ofMessage']>) =>
  makeEvents({ db }).ofMessage(...rest);
/** For core, which is handed the database. */
export const recentOf = (db: Kysely<Database>, ...rest: Parameters<ShimEvents['recentOf']>) =>
  makeEvents({ db }).recentOf(...rest);
/** For core, which is handed the database. */
export const heldForDigest = (db: Kysely<Database>, ...rest: Parameters<ShimEvents['heldForDigest']>) =>
  makeEvents({ db }).heldForDigest(...rest);
/** For core, which is handed the database. */
export const backlog = (db: Kysely<Database>, ...rest: Parameters<ShimEvents['backlog']>) =>
  makeEvents({ db }).backlog(...rest);
/** For core, which is handed the database. */
export const forgetDetails = (db: Kysely<Database>, ...rest: Parameters<ShimEvents['forgetDetails']>) =>
  makeEvents({ db }).forgetDetails(...rest);
/** For core, which is handed the database. */
export const removeOld = (db: Kysely<Database>, ...rest: Parameters<ShimEvents['removeOld']>) =>
  makeEvents({ db }).removeOld(...rest);
