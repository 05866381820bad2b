import { type Kysely, sql } from 'kysely';
import { gridId, type SlackPerson, type Workspace } from '../../core/model/people.ts';
import type { Database } from '../schema.ts';
import { wroteRow } from '../wrote-row.ts';
import { listOf, type Subscription, subscriptionColumns } from './subscription-row.ts';

/** For ended rows: the remote subscription was created or was being created, and is not known to be gone. */
const mayStandUpstream = sql<boolean>`(released_at is null and fed_by is null and (reason = 'uninstalled'
  or coalesce(service_subscription_id, previous_service_subscription_id) is not null))`;

/** Tracks what subscriptions have at the service: remote subscriptions that are being created, replaced, or still have to be removed. */
export function makeSubscriptionUpstream(db: Kysely<Database>) {
  const rows = () => db.selectFrom('plancast.subscriptions').select(subscriptionColumns);
  /** Undoes the beginning of a replacement. */
  const takingBack = (now: Date) =>
    db
      .updateTable('plancast.subscriptions')
      .set((eb) => ({
        callbackTokenHash: eb.ref('previousTokenHash').$notNull(),
        serviceSubscriptionId: eb.ref('previousServiceSubscriptionId'),
        previousTokenHash: null,
        previousServiceSubscriptionId: null,
        previousSealedKey: null,
        previousRemovedAt: null,
        changedAt: now,
      }))
      .where('previousTokenHash', 'is not', null)
      .where('serviceSubscriptionId', 'is', null)
      .where('state', '<>', 'ended');

  return {
    /** Lists rows whose create request never came back: still `pending`, and last tried before `before`, oldest try first. */
    stuck: (before: Date): Promise<Subscription[]> =>
      listOf(rows().where('state', '=', 'pending').where('changedAt', '<', before).orderBy('changedAt')),

    /**
     * Prepares a row for a replacement: gives it a new callback token and keeps the current remote subscription as the previous one, so
     * that notifications of both are accepted until the new one exists. The caller then creates it and calls `activate` or
     * `cancelReplacement`. If an earlier replacement was never created, the previous remote subscription stays the previous one.
     * `previousSealedKey`: the Key of the current remote subscription, sealed for its new column.
     * @returns false if the row has changed since it was read: ended, paused, or being replaced by another process
     */
    async beginReplacement(
      before: Pick<Subscription, 'id' | 'state' | 'reason' | 'serviceSubscriptionId'>,
      change: { callbackTokenHash: Buffer; previousSealedKey: string | null; now: Date },
    ): Promise<boolean> {
      return db
        .updateTable('plancast.subscriptions')
        .set({
          previousTokenHash: sql<Buffer>`
            case when service_subscription_id is null then coalesce(previous_token_hash, callback_token_hash)
              else callback_token_hash end`,
          previousServiceSubscriptionId: sql<string | null>`
            coalesce(service_subscription_id, previous_service_subscription_id)`,
          previousSealedKey: sql<string | null>`
            case when service_subscription_id is null then previous_sealed_key else ${change.previousSealedKey} end`,
          previousRemovedAt: sql<Date | null>`
            case when service_subscription_id is null then previous_removed_at end`,
          callbackTokenHash: change.callbackTokenHash,
          serviceSubscriptionId: null,
          changedAt: change.now,
        })
        .where('id', '=', before.id)
        .where('state', '=', before.state)
        .where('state', '<>', 'ended')
        .where(sql<boolean>`reason is not distinct from ${before.reason}`)
        .where(
          sql<boolean>`service_subscription_id is not distinct from ${before.serviceSubscriptionId}::bigint`,
        )
        .$call(wroteRow);
    },

    /** Undoes `beginReplacement` with this callback: the service created nothing new. */
    async cancelReplacement(id: string, callbackTokenHash: Buffer, now: Date): Promise<void> {
      await takingBack(now).where('id', '=', id).where('callbackTokenHash', '=', callbackTokenHash).execute();
    },

    /** The same for a row whose replacement began before `before` and was interrupted. */
    async cancelInterruptedReplacement(id: string, before: Date, now: Date): Promise<void> {
      await takingBack(now).where('id', '=', id).where('changedAt', '<', before).execute();
    },

    /** Lists live rows whose replacement began before `before` and was interrupted, at most `limit`. */
    interrupted: (before: Date, limit: number): Promise<Subscription[]> =>
      listOf(
        rows()
          .where('state', 'in', ['active', 'paused'])
          .where('serviceSubscriptionId', 'is', null)
          .where('previousTokenHash', 'is not', null)
          .where('changedAt', '<', before)
          .limit(limit),
      ),

    /** Records that the service has removed a replaced remote subscription: its token is accepted for a while longer. */
    async previousRemoved(id: string, recordId: string, now: Date): Promise<void> {
      await db
        .updateTable('plancast.subscriptions')
        .set({ previousRemovedAt: now })
        .where('id', '=', id)
        .where('previousServiceSubscriptionId', '=', recordId)
        .where('previousRemovedAt', 'is', null)
        .execute();
    },

    /** Whether the service sends the notifications of any live row to another address than this one. */
    async someAreElsewhere(callbackBase: string): Promise<boolean> {
      const row = await rows()
        .where('state', 'in', ['active', 'paused'])
        .where('callbackBase', '<>', callbackBase)
        .where('fedBy', 'is', null)
        .limit(1)
        .executeTakeFirst();
      return row !== undefined;
    },

    /** Marks an ended row's remote subscription as removed at the service; returns false if the row has not ended. */
    async released(id: string, now: Date): Promise<boolean> {
      return db
        .updateTable('plancast.subscriptions')
        .set({ releasedAt: now })
        .where('id', '=', id)
        .where('state', '=', 'ended')
        .$call(wroteRow);
    },

    /** Lists rows that ended since `since` and whose known remote subscription may still exist, at most `limit`, in random order. */
    unreleased: (since: Date, limit: number): Promise<Subscription[]> =>
      listOf(
        rows()
          .where('state', '=', 'ended')
          .where('releasedAt', 'is', null)
          .where('endedAt', '>=', since)
          .where(
            sql<boolean>`coalesce(service_subscription_id, previous_service_subscription_id) is not null`,
          )
          // Rows that cannot be released must not keep the others waiting.
          .orderBy(sql`random()`)
          .limit(limit),
      ),

    /**
     * Lists ended rows of a workspace whose remote subscription may still exist. Rows that ended with the workspace while their remote
     * subscription was being created have no known one.
     */
    unreleasedOfWorkspace: ({ teamId }: Workspace): Promise<Subscription[]> =>
      listOf(rows().where('teamId', '=', teamId).where('state', '=', 'ended').where(mayStandUpstream)),

    /**
     * Returns another workspace of the organization that still needs the person's link, for live rows or to remove remote subscriptions;
     * null if there is none.
     */
    async otherWorkspaceOf(owner: SlackPerson): Promise<Workspace | null> {
      const row = await db
        .selectFrom('plancast.subscriptions')
        .select(['enterpriseId', 'teamId'])
        .where(sql<boolean>`coalesce(enterprise_id, team_id) = ${gridId(owner)}`)
        .where('ownerUserId', '=', owner.userId)
        .where('teamId', '<>', owner.teamId)
        .where(sql<boolean>`(state <> 'ended' or ${mayStandUpstream})`)
        .orderBy(sql`state = 'ended'`)
        .limit(1)
        .executeTakeFirst();
      return row ?? null;
    },
  };
}
