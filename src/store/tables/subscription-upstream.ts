import type { RawBuilder } from 'kysely';
import { gridId, type SlackPerson, type Workspace } from '../../core/model/people.ts';
import { type Db, first, sql, wrote } from '../sql.ts';
import { listOf, type Subscription, subscriptionColumns } from './subscription-row.ts';

// The table `subscriptions`: what they have at the service, remote subscriptions that are being created, replaced, or still have to be
// removed.

const rows = sql`select ${subscriptionColumns} from plancast.subscriptions s`;

/** For ended rows: the remote subscription was created or was being created, and is not known to be gone. */
const mayStandUpstream = sql`(released_at is null and fed_by is null and (reason = 'uninstalled'
  or coalesce(service_subscription_id, previous_service_subscription_id) is not null))`;

/** Lists rows whose create request never came back: still `pending`, and last tried before `before`, oldest try first. */
export const stuck = (db: Db, before: Date): Promise<Subscription[]> =>
  listOf(db)`${rows} where state = 'pending' and changed_at < ${before} order by changed_at`;

/**
 * Prepares a row for a replacement: gives it a new callback token and keeps the current remote subscription as the previous one, so
 * that notifications of both are accepted until the new one exists. The caller then creates it and calls `activate` or
 * `cancelReplacement`. If an earlier replacement was never created, the previous remote subscription stays the previous one.
 * `previousSealedKey`: the Key of the current remote subscription, sealed for its new column.
 * @returns false if the row has changed since it was read: ended, paused, or being replaced by another process
 */
export const beginReplacement = (
  db: Db,
  before: Pick<Subscription, 'id' | 'state' | 'reason' | 'serviceSubscriptionId'>,
  change: { callbackTokenHash: Buffer; previousSealedKey: string | null; now: Date },
): Promise<boolean> =>
  wrote(db)`
    update plancast.subscriptions set
      previous_token_hash = case when service_subscription_id is null then coalesce(previous_token_hash, callback_token_hash)
        else callback_token_hash end,
      previous_service_subscription_id = coalesce(service_subscription_id, previous_service_subscription_id),
      previous_sealed_key = case when service_subscription_id is null then previous_sealed_key
        else ${change.previousSealedKey} end,
      previous_removed_at = case when service_subscription_id is null then previous_removed_at end,
      callback_token_hash = ${change.callbackTokenHash}, service_subscription_id = null, changed_at = ${change.now}
    where id = ${before.id} and state = ${before.state} and state <> 'ended' and reason is not distinct from ${before.reason}
      and service_subscription_id is not distinct from ${before.serviceSubscriptionId}::bigint`;

/** Undoes `beginReplacement` with this callback: the service created nothing new. */
export const cancelReplacement = (db: Db, id: string, callbackTokenHash: Buffer, now: Date): Promise<void> =>
  takeBack(db, sql`id = ${id} and callback_token_hash = ${callbackTokenHash}`, now);

/** The same for a row whose replacement began before `before` and was interrupted. */
export const cancelInterruptedReplacement = (db: Db, id: string, before: Date, now: Date): Promise<void> =>
  takeBack(db, sql`id = ${id} and changed_at < ${before}`, now);

async function takeBack(db: Db, which: RawBuilder<unknown>, now: Date): Promise<void> {
  await sql`
    update plancast.subscriptions set callback_token_hash = previous_token_hash,
      service_subscription_id = previous_service_subscription_id, previous_token_hash = null,
      previous_service_subscription_id = null, previous_sealed_key = null, previous_removed_at = null, changed_at = ${now}
    where previous_token_hash is not null and service_subscription_id is null and state <> 'ended'
      and ${which}`.execute(db);
}

/** Lists live rows whose replacement began before `before` and was interrupted, at most `limit`. */
export const interrupted = (db: Db, before: Date, limit: number): Promise<Subscription[]> =>
  listOf(db)`
    ${rows} where state in ('active', 'paused') and service_subscription_id is null and previous_token_hash is not null
      and changed_at < ${before} limit ${limit}`;

/** Records that the service has removed a replaced remote subscription: its token is accepted for a while longer. */
export async function previousRemoved(db: Db, id: string, recordId: string, now: Date): Promise<void> {
  await sql`
    update plancast.subscriptions set previous_removed_at = ${now}
    where id = ${id} and previous_service_subscription_id = ${recordId}
      and previous_removed_at is null`.execute(db);
}

/** Whether the service sends the notifications of any live row to another address than this one. */
export async function someAreElsewhere(db: Db, callbackBase: string): Promise<boolean> {
  const row = await first(db)`
    select from plancast.subscriptions
    where state in ('active', 'paused') and callback_base <> ${callbackBase} and fed_by is null limit 1`;
  return row !== null;
}

/** Marks an ended row's remote subscription as removed at the service; returns false if the row has not ended. */
export const released = (db: Db, id: string, now: Date): Promise<boolean> =>
  wrote(db)`update plancast.subscriptions set released_at = ${now} where id = ${id} and state = 'ended'`;

/** Lists rows that ended since `since` and whose known remote subscription may still exist, at most `limit`, in random order. */
export const unreleased = (db: Db, since: Date, limit: number): Promise<Subscription[]> =>
  // Rows that cannot be released must not keep the others waiting.
  listOf(db)`
    ${rows} where state = 'ended' and released_at is null and ended_at >= ${since}
      and coalesce(service_subscription_id, previous_service_subscription_id) is not null
    order by random() limit ${limit}`;

/**
 * Lists ended rows of a workspace whose remote subscription may still exist. Rows that ended with the workspace while their remote
 * subscription was being created have no known one.
 */
export const unreleasedOfWorkspace = (db: Db, { teamId }: Workspace): Promise<Subscription[]> =>
  listOf(db)`${rows} where team_id = ${teamId} and state = 'ended' and ${mayStandUpstream}`;

/**
 * Returns another workspace of the organization that still needs the person's link, for live rows or to remove remote subscriptions;
 * null if there is none.
 */
export const otherWorkspaceOf = (db: Db, owner: SlackPerson): Promise<Workspace | null> =>
  first(db)`
    select enterprise_id, team_id from plancast.subscriptions
    where coalesce(enterprise_id, team_id) = ${gridId(owner)} and owner_user_id = ${owner.userId}
      and team_id <> ${owner.teamId} and (state <> 'ended' or ${mayStandUpstream})
    order by state = 'ended' limit 1`;
