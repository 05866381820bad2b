import { randomBytes } from 'node:crypto';
import { type Kysely, sql } from 'kysely';
import type { Channel, SlackPerson } from '../../core/model/people.ts';
import type { Target } from '../../core/model/subscription.ts';
import type { Database } from '../schema.ts';
import { addLane } from './lanes.ts';
import { columnsOf, type Subscription, subscriptionOf } from './subscription-row.ts';

/** A subscription in a person's direct message, and the channel whose subscription feeds it. */
export type FedSubscription = { readonly fed: Subscription; readonly source: Channel };

/** What is followed in direct messages without a record at the service: rows of `subscriptions` that another one feeds. */
export function makeFedSubscriptions({ db }: { readonly db: Kysely<Database> }) {
  const live = () =>
    db
      .selectFrom('plancast.subscriptions as f')
      .innerJoin('plancast.subscriptions as s', 's.id', 'f.fed_by')
      .selectAll('f')
      .select('s.channel_id as source_channel_id')
      .where('f.state', '<>', 'ended');
  type FedRow = Awaited<ReturnType<ReturnType<typeof live>['execute']>>[number];
  const fedOf = (row: FedRow): FedSubscription => ({
    fed: subscriptionOf(row),
    source: {
      enterpriseId: row.enterprise_id,
      teamId: row.team_id,
      channelId: row.source_channel_id,
    },
  });

  return {
    /**
     * Follows an item in a person's direct message, with the filters of the subscription that feeds it.
     * @returns null where it is followed there already
     */
    async add(
      source: Subscription,
      {
        person,
        directId,
        target,
        name,
        now,
      }: {
        readonly person: SlackPerson;
        readonly directId: string;
        readonly target: Target;
        readonly name: string | null;
        readonly now: Date;
      },
    ): Promise<Subscription | null> {
      const { teamId, enterpriseId } = source;
      const row = await db
        .insertInto('plancast.subscriptions')
        .values({
          enterprise_id: enterpriseId,
          team_id: teamId,
          channel_id: directId,
          owner_user_id: person.userId,
          ...columnsOf(target),
          comprehensive: target.kind === 'folder',
          filters: JSON.stringify(source.filters),
          delivery: JSON.stringify({ when: 'live' }),
          threads: false,
          // No address leads to it.
          callback_token_hash: randomBytes(32),
          callback_base: source.callbackBase,
          resource_name: name,
          fed_by: source.id,
          state: 'active',
          created_at: now,
          changed_at: now,
        })
        .onConflict((conflict) => conflict.doNothing())
        .returningAll()
        .executeTakeFirst();
      if (!row) return null;
      await addLane(db, { enterpriseId, teamId, channelId: directId });
      return subscriptionOf(row);
    },

    /** Live ones whose source has ended, at most `limit`. */
    async orphaned(limit: number): Promise<FedSubscription[]> {
      return (await live().where('s.state', '=', 'ended').limit(limit).execute()).map(fedOf);
    },

    /** A person's own that a channel feeds. */
    async ofPersonIn(channel: Channel, userId: string): Promise<FedSubscription[]> {
      const rows = await live()
        .where('s.team_id', '=', channel.teamId)
        .where('s.channel_id', '=', channel.channelId)
        .where('f.owner_user_id', '=', userId)
        .execute();
      return rows.map(fedOf);
    },

    /** Some live ones, at most `limit`, in any order, so that each is looked at in time. */
    async some(limit: number): Promise<FedSubscription[]> {
      return (await live().orderBy(sql`random()`).limit(limit).execute()).map(fedOf);
    },
  };
}

export type FedSubscriptions = ReturnType<typeof makeFedSubscriptions>;
