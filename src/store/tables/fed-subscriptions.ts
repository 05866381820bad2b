import { randomBytes } from 'node:crypto';
import type { RawBuilder } from 'kysely';
import type { Channel, SlackPerson } from '../../core/model/people.ts';
import type { Target } from '../../core/model/subscription.ts';
import { noFilters } from '../../core/model/typed-settings.ts';
import { inChannel } from '../in-channel.ts';
import { all, type Db, first, json, type OnDb, sql } from '../sql.ts';
import { addLane } from './lanes.ts';
import {
  columnsOf,
  firstOf,
  type Subscription,
  type SubscriptionRow,
  subscriptionColumns,
  subscriptionOf,
} from './subscription-row.ts';

// What people follow in direct messages without a remote subscription: rows of `subscriptions` that another one feeds.

/** A subscription in a person's direct message, and the channel whose subscription feeds it. */
export type FedSubscription = { readonly fed: Subscription; readonly source: Channel };

export type FedSubscriptions = OnDb<typeof import('./fed-subscriptions.ts')>;

/**
 * Follows an item in a person's direct message. It has no filters of its own at first: only what passes the filters of its source is
 * posted.
 * @returns null if it is already followed there
 */
export async function add(
  db: Db,
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
  const { kind, parentId, itemId } = columnsOf(target);
  // No callback URL leads to it.
  const tokenHash = randomBytes(32);
  const row = await firstOf(db)`
    insert into plancast.subscriptions as s (enterprise_id, team_id, channel_id, owner_user_id, kind, parent_id, item_id,
      comprehensive, filters, delivery, threads, callback_token_hash, callback_base, resource_name, fed_by, state,
      created_at, changed_at, looked_at)
    values (${enterpriseId}, ${teamId}, ${directId}, ${person.userId}, ${kind}, ${parentId}, ${itemId},
      ${kind === 'folder'}, ${json(noFilters)}, ${json({ when: 'live' })}, false, ${tokenHash}, ${source.callbackBase},
      ${name}, ${source.id}, 'active', ${now}, ${now}, ${now})
    on conflict do nothing returning ${subscriptionColumns}`;
  if (row) await addLane(db, { enterpriseId, teamId, channelId: directId });
  return row;
}

/** Counts the fed subscriptions of a person's direct message. */
export async function countIn(db: Db, channel: Channel): Promise<number> {
  const row = await first(db)<{ count: number }>`
    select count(*)::int from plancast.subscriptions
    where ${inChannel(channel)} and fed_by is not null and state <> 'ended'`;
  return row?.count ?? 0;
}

/** Lists live fed subscriptions whose source has ended, at most `limit`. */
export const orphaned = (db: Db, limit: number): Promise<FedSubscription[]> =>
  list(db, sql`source.state = 'ended' limit ${limit}`);

/** Lists a person's live subscriptions that a channel feeds. */
export const ofPersonIn = (db: Db, channel: Channel, userId: string): Promise<FedSubscription[]> =>
  list(db, sql`${isFedFrom(channel)} and s.owner_user_id = ${userId}`);

/** Lists live fed subscriptions that were not checked since `since`, at most `limit`, in any order. */
export const notLookedAt = (db: Db, since: Date, limit: number): Promise<FedSubscription[]> =>
  // Those about whom Slack did not say are asked about again and again, and must not keep the others waiting.
  list(db, sql`(s.looked_at is null or s.looked_at < ${since}) order by random() limit ${limit}`);

/** Forgets when the followers that a channel feeds were checked, so they get nothing until they are checked again. */
export async function forgetLooks(db: Db, channel: Channel): Promise<void> {
  await sql`
    update plancast.subscriptions s set looked_at = null from plancast.subscriptions source
    where source.id = s.fed_by and ${isFedFrom(channel)} and s.state <> 'ended'`.execute(db);
}

/** Records that the subscriptions of this person that this channel feeds were checked. */
export async function noteLook(db: Db, { fed, source }: FedSubscription, now: Date): Promise<void> {
  await sql`
    update plancast.subscriptions s set looked_at = ${now} from plancast.subscriptions source
    where source.id = s.fed_by and ${isFedFrom(source)} and s.owner_user_id = ${fed.ownerUserId}
      and s.state <> 'ended'`.execute(db);
}

const isFedFrom = ({ teamId, channelId }: Channel) =>
  sql`source.team_id = ${teamId} and source.channel_id = ${channelId}`;

/** Lists live rows that another one feeds. */
async function list(db: Db, which: RawBuilder<unknown>): Promise<FedSubscription[]> {
  const rows = await all(db)<SubscriptionRow & { readonly sourceChannelId: string }>`
    select ${subscriptionColumns}, source.channel_id as source_channel_id
    from plancast.subscriptions s join plancast.subscriptions source on source.id = s.fed_by
    where s.state <> 'ended' and ${which}`;
  return rows.map(({ sourceChannelId, ...row }) => ({
    fed: subscriptionOf(row),
    source: { enterpriseId: row.enterpriseId, teamId: row.teamId, channelId: sourceChannelId },
  }));
}
