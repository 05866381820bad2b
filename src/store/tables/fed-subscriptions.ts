import { randomBytes } from 'node:crypto';
import { type Kysely, sql } from 'kysely';
import type { Channel, SlackPerson } from '../../core/model/people.ts';
import type { Target } from '../../core/model/subscription.ts';
import { noFilters } from '../../core/model/typed-settings.ts';
import { inChannel } from '../in-channel.ts';
import type { Database } from '../schema.ts';
import { addLane } from './lanes.ts';
import { columnsOf, type Subscription, subscriptionColumns, subscriptionOf } from './subscription-row.ts';

/** A subscription in a person's direct message, and the channel whose subscription feeds it. */
export type FedSubscription = { readonly fed: Subscription; readonly source: Channel };

/** What people follow in direct messages without a remote subscription: rows of `subscriptions` that another one feeds. */
export function makeFedSubscriptions({ db }: { readonly db: Kysely<Database> }) {
  const live = () =>
    db
      .selectFrom('plancast.subscriptions as f')
      .innerJoin('plancast.subscriptions as s', 's.id', 'f.fedBy')
      .select(subscriptionColumns.map((column) => `f.${column}` as const))
      .select('s.channelId as sourceChannelId')
      .where('f.state', '<>', 'ended');
  type FedRow = Awaited<ReturnType<ReturnType<typeof live>['execute']>>[number];
  const fedOf = ({ sourceChannelId, ...row }: FedRow): FedSubscription => ({
    fed: subscriptionOf(row),
    source: { enterpriseId: row.enterpriseId, teamId: row.teamId, channelId: sourceChannelId },
  });

  return {
    /**
     * Follows an item in a person's direct message. It has no filters of its own at first: only what passes the filters of its source is
     * posted.
     * @returns null if it is already followed there
     */
    async add(
      source: Subscription,
      fed: {
        readonly person: SlackPerson;
        readonly directId: string;
        readonly target: Target;
        readonly name: string | null;
        readonly now: Date;
      },
    ): Promise<Subscription | null> {
      const { person, directId, target, name, now } = fed;
      const { teamId, enterpriseId } = source;
      const row = await db
        .insertInto('plancast.subscriptions')
        .values({
          enterpriseId,
          teamId,
          channelId: directId,
          ownerUserId: person.userId,
          ...columnsOf(target),
          comprehensive: target.kind === 'folder',
          filters: JSON.stringify(noFilters),
          delivery: JSON.stringify({ when: 'live' }),
          threads: false,
          // No callback URL leads to it.
          callbackTokenHash: randomBytes(32),
          callbackBase: source.callbackBase,
          resourceName: name,
          fedBy: source.id,
          state: 'active',
          createdAt: now,
          changedAt: now,
          lookedAt: now,
        })
        .onConflict((conflict) => conflict.doNothing())
        .returning(subscriptionColumns)
        .executeTakeFirst();
      if (!row) return null;
      await addLane(db, { enterpriseId, teamId, channelId: directId });
      return subscriptionOf(row);
    },

    /** Counts the fed subscriptions of a person's direct message. */
    async countIn(channel: Channel): Promise<number> {
      const { count } = await db
        .selectFrom('plancast.subscriptions')
        .select(({ fn }) => fn.countAll<string>().as('count'))
        .where(inChannel(channel))
        .where('fedBy', 'is not', null)
        .where('state', '<>', 'ended')
        .executeTakeFirstOrThrow();
      return Number(count);
    },

    /** Lists live fed subscriptions whose source has ended, at most `limit`. */
    async orphaned(limit: number): Promise<FedSubscription[]> {
      return (await live().where('s.state', '=', 'ended').limit(limit).execute()).map(fedOf);
    },

    /** Lists a person's live subscriptions that a channel feeds. */
    async ofPersonIn(channel: Channel, userId: string): Promise<FedSubscription[]> {
      const rows = await live()
        .where('s.teamId', '=', channel.teamId)
        .where('s.channelId', '=', channel.channelId)
        .where('f.ownerUserId', '=', userId)
        .execute();
      return rows.map(fedOf);
    },

    /** Lists live fed subscriptions that were not checked since `since`, at most `limit`, in any order. */
    async notLookedAt(since: Date, limit: number): Promise<FedSubscription[]> {
      const rows = await live()
        .where(({ eb, or }) => or([eb('f.lookedAt', 'is', null), eb('f.lookedAt', '<', since)]))
        // Those about whom Slack did not say are asked about again and again, and must not keep the others waiting.
        .orderBy(sql`random()`)
        .limit(limit)
        .execute();
      return rows.map(fedOf);
    },

    /** Forgets when the followers that a channel feeds were checked, so they get nothing until they are checked again. */
    async forgetLooks(channel: Channel): Promise<void> {
      await db
        .updateTable('plancast.subscriptions as f')
        .from('plancast.subscriptions as s')
        .set({ lookedAt: null })
        .whereRef('s.id', '=', 'f.fedBy')
        .where('s.teamId', '=', channel.teamId)
        .where('s.channelId', '=', channel.channelId)
        .where('f.state', '<>', 'ended')
        .execute();
    },

    /** Records that the subscriptions of this person that this channel feeds were checked. */
    async noteLook({ fed, source }: FedSubscription, now: Date): Promise<void> {
      await db
        .updateTable('plancast.subscriptions as f')
        .from('plancast.subscriptions as s')
        .set({ lookedAt: now })
        .whereRef('s.id', '=', 'f.fedBy')
        .where('s.teamId', '=', source.teamId)
        .where('s.channelId', '=', source.channelId)
        .where('f.ownerUserId', '=', fed.ownerUserId)
        .where('f.state', '<>', 'ended')
        .execute();
    },
  };
}

export type FedSubscriptions = ReturnType<typeof makeFedSubscriptions>;

type ShimFedSubscriptions = ReturnType<typeof makeFedSubscriptions>;
/** For core, which is handed the database. */
export const add = (db: Kysely<Database>, ...rest: Parameters<ShimFedSubscriptions['add']>) =>
  makeFedSubscriptions({ db }).add(...rest);
/** For core, which is handed the database. */
export const countIn = (db: Kysely<Database>, ...rest: Parameters<ShimFedSubscriptions['countIn']>) =>
  makeFedSubscriptions({ db }).countIn(...rest);
/** For core, which is handed the database. */
export const orphaned = (db: Kysely<Database>, ...rest: Parameters<ShimFedSubscriptions['orphaned']>) =>
  makeFedSubscriptions({ db }).orphaned(...rest);
/** For core, which is handed the database. */
export const ofPersonIn = (db: Kysely<Database>, ...rest: Parameters<ShimFedSubscriptions['ofPersonIn']>) =>
  makeFedSubscriptions({ db }).ofPersonIn(...rest);
/** For core, which is handed the database. */
export const notLookedAt = (db: Kysely<Database>, ...rest: Parameters<ShimFedSubscriptions['notLookedAt']>) =>
  makeFedSubscriptions({ db }).notLookedAt(...rest);
/** For core, which is handed the database. */
export const forgetLooks = (db: Kysely<Database>, ...rest: Parameters<ShimFedSubscriptions['forgetLooks']>) =>
  makeFedSubscriptions({ db }).forgetLooks(...rest);
/** For core, which is handed the database. */
export const noteLook = (db: Kysely<Database>, ...rest: Parameters<ShimFedSubscriptions['noteLook']>) =>
  makeFedSubscriptions({ db }).noteLook(...rest);
