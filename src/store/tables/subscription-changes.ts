import { type Kysely, sql } from 'kysely';
import type { Channel } from '../../core/model/people.ts';
import type { Health, SubscriptionState } from '../../core/model/subscription.ts';
import type { SettingsUndo } from '../../core/model/undo.ts';
import type { Database } from '../schema.ts';
import { wroteRow } from '../wrote-row.ts';
import { knownNames } from './known-names.ts';
import { addLane } from './lanes.ts';
import {
  columnsOf,
  oldestFirst,
  type Subscription,
  subscriptionColumns,
  subscriptionOf,
} from './subscription-row.ts';

/** What a new row needs. The callback token itself is never stored. */
export type NewSubscription = Channel &
  Pick<
    Subscription,
    'ownerUserId' | 'target' | 'comprehensive' | 'filters' | 'delivery' | 'threads' | 'callbackBase'
  > & {
    /** The name its owner typed, shown until the service has sent one. */
    readonly typedName?: string | undefined;
    /** Of the removed subscription that it restores. */
    readonly lastEventAt?: Date | null | undefined;
    readonly callbackTokenHash: Buffer;
    readonly now: Date;
  };

/** What the service returned for a subscription it created. */
type ServiceSide = {
  readonly serviceSubscriptionId: string;
  readonly sealedKey: string | null;
  readonly resourcePath: string | null;
  /** The callback that the service was given; it also proves that the row still waits for this remote subscription. */
  readonly callbackTokenHash: Buffer;
  readonly callbackBase: string;
  /** Leaves a paused row paused. */
  readonly keepsPause?: boolean | undefined;
  /** Why the row was paused when the service was asked; null if it was not. */
  readonly pausedFor?: string | null | undefined;
};

type SubscriptionChange = SettingsUndo['before'] & {
  readonly ownerUserId?: string | undefined;
  readonly undo?: SettingsUndo | undefined;
};

/** What an update returns of the rows that it changed. */
const changedColumns = [...subscriptionColumns, ...knownNames('plancast.subscriptions')] as const;

/** Creates, changes, pauses and ends subscriptions, and records what is observed while they work. */
export function makeSubscriptionChanges(db: Kysely<Database>) {
  return {
    /**
     * Adds a `pending` row, before the service is asked.
     * @returns the new row, or null if this channel already follows the resource
     */
    async add(input: NewSubscription): Promise<Subscription | null> {
      const row = await db
        .insertInto('plancast.subscriptions')
        .values({
          enterpriseId: input.enterpriseId,
          teamId: input.teamId,
          channelId: input.channelId,
          ownerUserId: input.ownerUserId,
          ...columnsOf(input.target),
          comprehensive: input.comprehensive,
          filters: JSON.stringify(input.filters),
          delivery: JSON.stringify(input.delivery),
          threads: input.threads,
          typedName: input.typedName ?? null,
          lastEventAt: input.lastEventAt ?? null,
          callbackTokenHash: input.callbackTokenHash,
          callbackBase: input.callbackBase,
          state: 'pending',
          createdAt: input.now,
          changedAt: input.now,
        })
        .onConflict((conflict) => conflict.doNothing())
        .returning(subscriptionColumns)
        .executeTakeFirst();
      if (row) await addLane(db, input);
      return row ? subscriptionOf(row) : null;
    },

    /**
     * Stores the remote subscription that the service created. Leaves a row alone that has ended in the meantime, was given another
     * callback, or whose owner has unlinked, since no link could then remove the remote subscription again.
     * @returns whether the row was still waiting for it
     */
    async activate(id: string, side: ServiceSide, now: Date): Promise<boolean> {
      const state = sql<SubscriptionState>`case when state = 'paused' then state else 'active' end`;
      const reason = sql<string | null>`case when state = 'paused' then reason end`;
      return db
        .updateTable('plancast.subscriptions')
        .set({
          serviceSubscriptionId: side.serviceSubscriptionId,
          sealedKey: side.sealedKey,
          resourcePath: side.resourcePath,
          callbackBase: side.callbackBase,
          state: side.keepsPause ? state : 'active',
          reason: side.keepsPause ? reason : null,
          changedAt: now,
        })
        .where('id', '=', id)
        .where('callbackTokenHash', '=', side.callbackTokenHash)
        .where('state', '<>', 'ended')
        .$if(side.pausedFor !== 'unlinked', (query) =>
          query.where(sql<boolean>`(state <> 'paused' or reason is distinct from 'unlinked')`),
        )
        .$call(wroteRow);
    },

    /** Changes what is given of a live subscription; undefined leaves it unchanged. Returns false if it has ended. */
    async change(
      id: string,
      { filters, delivery, undo, ...rest }: SubscriptionChange,
      now: Date,
    ): Promise<boolean> {
      return db
        .updateTable('plancast.subscriptions')
        .set({
          ...rest,
          filters: filters && JSON.stringify(filters),
          delivery: delivery && JSON.stringify(delivery),
          undo: undo && JSON.stringify(undo),
          changedAt: now,
        })
        .where('id', '=', id)
        .where('state', '<>', 'ended')
        .$call(wroteRow);
    },

    /** Forgets what changes before `before` replaced: it is too late to undo them. */
    async forgetUndo(before: Date): Promise<void> {
      await db
        .updateTable('plancast.subscriptions')
        .set({ undo: null })
        .where('undo', 'is not', null)
        .where('changedAt', '<', before)
        .execute();
    },

    /** Ends rows for a reason. Returns those that were still live. */
    async end(ids: readonly string[], reason: string, now: Date): Promise<Subscription[]> {
      if (ids.length === 0) return [];
      const rows = db
        .updateTable('plancast.subscriptions')
        .set({ state: 'ended', reason, endedAt: now, changedAt: now })
        .where('id', 'in', [...ids])
        .where('state', '<>', 'ended')
        .returning(changedColumns);
      return oldestFirst(rows);
    },

    /** Pauses live rows for a reason. Returns those that were not paused before. */
    async pause(ids: readonly string[], reason: string, now: Date): Promise<Subscription[]> {
      if (ids.length === 0) return [];
      const rows = db
        .updateTable('plancast.subscriptions')
        .set({ state: 'paused', reason, changedAt: now })
        .where('id', 'in', [...ids])
        .where('state', 'in', ['pending', 'active'])
        .returning(changedColumns);
      return oldestFirst(rows);
    },

    /** Changes the reason of a paused row if it still has the one that was read. Returns whether it did. */
    async pauseInstead(
      before: Pick<Subscription, 'id' | 'reason'>,
      reason: string,
      now: Date,
    ): Promise<boolean> {
      return db
        .updateTable('plancast.subscriptions')
        .set({ reason, changedAt: now })
        .where('id', '=', before.id)
        .where('state', '=', 'paused')
        .where('reason', '=', before.reason)
        .$call(wroteRow);
    },

    /** Resumes paused rows that have a remote subscription or are fed by another; with `reason`, only those paused for it. Returns them. */
    async resume(ids: readonly string[], now: Date, reason?: string): Promise<Subscription[]> {
      if (ids.length === 0) return [];
      const rows = db
        .updateTable('plancast.subscriptions')
        .set({ state: 'active', reason: null, health: sql`health - 'lostInPause'`, changedAt: now })
        .where('id', 'in', [...ids])
        .where('state', '=', 'paused')
        .where(sql<boolean>`(service_subscription_id is not null or fed_by is not null)`)
        .$if(reason !== undefined, (query) => query.where('reason', '=', reason ?? null))
        .returning(changedColumns);
      return oldestFirst(rows);
    },

    /** Makes paused rows `pending` again that were paused before their remote subscription was ever created. */
    async setUpAgain(ids: readonly string[], now: Date): Promise<void> {
      if (ids.length === 0) return;
      await db
        .updateTable('plancast.subscriptions')
        .set({ state: 'pending', reason: null, changedAt: now })
        .where('id', 'in', [...ids])
        .where('state', '=', 'paused')
        .where('serviceSubscriptionId', 'is', null)
        .where('previousServiceSubscriptionId', 'is', null)
        .where('fedBy', 'is', null)
        .execute();
    },

    /** Stores the result of a check for each subscription. */
    async noteHealth(notes: readonly { readonly id: string; readonly health: Health }[]): Promise<void> {
      if (notes.length === 0) return;
      await sql`
        update plancast.subscriptions s set health = n.health
        from jsonb_to_recordset(${JSON.stringify(notes)}::jsonb) as n(id uuid, health jsonb)
        where s.id = n.id`.execute(db);
    },

    /** Records the rule by which a notification's signature matched the Key; returns how many times in a row this rule has matched. */
    async noteSignature(id: string, rule: string): Promise<number> {
      const row = await db
        .updateTable('plancast.subscriptions')
        .set({
          signatureRule: rule,
          signatureMatches: sql`case when signature_rule = ${rule} then signature_matches + 1 else 1 end`,
        })
        .where('id', '=', id)
        .returning('signatureMatches')
        .executeTakeFirst();
      return row?.signatureMatches ?? 0;
    },

    /** Removes up to `limit` rows that ended before `before` and have no stored events left. Returns how many. */
    async removeEnded(before: Date, limit: number): Promise<number> {
      const result = await sql`
        delete from plancast.subscriptions where id in (
          select id from plancast.subscriptions s
          where state = 'ended' and ended_at < ${before}
            and not exists (select from plancast.events e where e.subscription_id = s.id)
          limit ${limit})`.execute(db);
      return Number(result.numAffectedRows ?? 0n);
    },
  };
}
