import type { RawBuilder } from 'kysely';
import type { Channel } from '../../core/model/people.ts';
import type { Health } from '../../core/model/subscription.ts';
import type { SettingsUndo } from '../../core/model/undo.ts';
import { countWritten, type Db, first, json, type OnDb, sql, wrote } from '../sql.ts';
import { knownNames } from './known-names.ts';
import { addLane } from './lanes.ts';
import { columnsOf, firstOf, listOf, type Subscription, subscriptionColumns } from './subscription-row.ts';

// The table `subscriptions`: what creates, changes, pauses and ends them, and what is observed while they work. Ended rows stay, so that
// late notifications get `410` and "why?" has an answer.

export * from './subscription-finders.ts';
export * from './subscription-upstream.ts';

export type Subscriptions = OnDb<typeof import('./subscriptions.ts')>;

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
  /** Whether it follows the contents, or the new versions of a file. */
  readonly comprehensive: boolean;
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

/**
 * Adds a `pending` row, before the service is asked.
 * @returns the new row, or null if this channel already follows the resource
 */
export async function add(db: Db, input: NewSubscription): Promise<Subscription | null> {
  const { kind, parentId, itemId } = columnsOf(input.target);
  const row = await firstOf(db)`
    insert into plancast.subscriptions as s (enterprise_id, team_id, channel_id, owner_user_id, kind, parent_id, item_id,
      comprehensive, itself, filters, delivery, threads, typed_name, last_event_at, callback_token_hash, callback_base, state,
      created_at, changed_at)
    values (${input.enterpriseId}, ${input.teamId}, ${input.channelId}, ${input.ownerUserId}, ${kind}, ${parentId}, ${itemId},
      ${input.comprehensive}, ${!input.comprehensive}, ${json(input.filters)}, ${json(input.delivery)}, ${input.threads}, ${input.typedName},
      ${input.lastEventAt}, ${input.callbackTokenHash}, ${input.callbackBase}, 'pending', ${input.now}, ${input.now})
    on conflict do nothing returning ${subscriptionColumns}`;
  if (row) await addLane(db, input);
  return row;
}

/**
 * Stores the remote subscription that the service created. Leaves a row alone that has ended in the meantime, was given another
 * callback, or whose owner has unlinked, since no link could then remove the remote subscription again.
 * @returns whether the row was still waiting for it
 */
export function activate(db: Db, id: string, side: ServiceSide, now: Date): Promise<boolean> {
  const staysPaused = sql`${side.keepsPause ?? false} and state = 'paused'`;
  return wrote(db)`
    update plancast.subscriptions set service_subscription_id = ${side.serviceSubscriptionId}, sealed_key = ${side.sealedKey},
      resource_path = ${side.resourcePath}, comprehensive = ${side.comprehensive}, callback_base = ${side.callbackBase},
      state = case when ${staysPaused} then state else 'active' end,
      reason = case when ${staysPaused} then reason end, changed_at = ${now}
    where id = ${id} and callback_token_hash = ${side.callbackTokenHash} and state <> 'ended'
      and (${side.pausedFor === 'unlinked'} or state <> 'paused' or reason is distinct from 'unlinked')`;
}

/** Changes what is given of a live subscription; undefined leaves it unchanged. Returns false if it has ended. */
export function change(db: Db, id: string, to: SubscriptionChange, now: Date): Promise<boolean> {
  return wrote(db)`
    update plancast.subscriptions set owner_user_id = coalesce(${to.ownerUserId}, owner_user_id),
      filters = coalesce(${to.filters && json(to.filters)}, filters),
      delivery = coalesce(${to.delivery && json(to.delivery)}, delivery),
      threads = coalesce(${to.threads}, threads), comprehensive = coalesce(${to.comprehensive}, comprehensive),
      itself = coalesce(not ${to.comprehensive}::boolean, itself),
      typed_name = case when ${to.typedName === undefined} then typed_name else ${to.typedName} end,
      undo = coalesce(${to.undo && json(to.undo)}, undo), changed_at = ${now}
    where id = ${id} and state <> 'ended'`;
}

/** Forgets what changes before `before` replaced: it is too late to undo them. */
export async function forgetUndo(db: Db, before: Date): Promise<void> {
  await sql`
    update plancast.subscriptions set undo = null
    where undo is not null and changed_at < ${before}`.execute(db);
}

/** Ends rows for a reason. Returns those that were still live. */
export const end = (db: Db, ids: readonly string[], reason: string, now: Date): Promise<Subscription[]> =>
  changed(
    db,
    sql`
      update plancast.subscriptions s set state = 'ended', reason = ${reason}, ended_at = ${now}, changed_at = ${now}
      where id = any(${ids}::uuid[]) and state <> 'ended'`,
  );

/** Pauses live rows for a reason. Returns those that were not paused before. */
export const pause = (db: Db, ids: readonly string[], reason: string, now: Date): Promise<Subscription[]> =>
  changed(
    db,
    sql`
      update plancast.subscriptions s set state = 'paused', reason = ${reason}, changed_at = ${now}
      where id = any(${ids}::uuid[]) and state in ('pending', 'active')`,
  );

/** Changes the reason of a paused row if it still has the one that was read. Returns whether it did. */
export const pauseInstead = (
  db: Db,
  before: Pick<Subscription, 'id' | 'reason'>,
  reason: string,
  now: Date,
): Promise<boolean> =>
  wrote(db)`
    update plancast.subscriptions set reason = ${reason}, changed_at = ${now}
    where id = ${before.id} and state = 'paused' and reason = ${before.reason}`;

/** Resumes paused rows that have a remote subscription or are fed by another; with `reason`, only those paused for it. Returns them. */
export const resume = (db: Db, ids: readonly string[], now: Date, reason?: string): Promise<Subscription[]> =>
  changed(
    db,
    sql`
      update plancast.subscriptions s set state = 'active', reason = null, health = health - 'lostInPause', changed_at = ${now}
      where id = any(${ids}::uuid[]) and state = 'paused' and (service_subscription_id is not null or fed_by is not null)
        and (${reason === undefined} or reason = ${reason})`,
  );

/** Runs an update. Returns its rows as lists show them, since it returns them in any order. */
async function changed(db: Db, update: RawBuilder<unknown>): Promise<Subscription[]> {
  const rows = await listOf(db)`${update} returning ${subscriptionColumns}, ${knownNames}`;
  return rows.toSorted((a, b) => a.createdAt.getTime() - b.createdAt.getTime());
}

/** Makes paused rows `pending` again that were paused before their remote subscription was ever created. */
export async function setUpAgain(db: Db, ids: readonly string[], now: Date): Promise<void> {
  await sql`
    update plancast.subscriptions set state = 'pending', reason = null, changed_at = ${now}
    where id = any(${ids}::uuid[]) and state = 'paused' and service_subscription_id is null
      and previous_service_subscription_id is null and fed_by is null`.execute(db);
}

/** Stores the result of a check for each subscription. */
export async function noteHealth(
  db: Db,
  notes: readonly { readonly id: string; readonly health: Health }[],
): Promise<void> {
  await sql`
    update plancast.subscriptions s set health = n.health
    from jsonb_to_recordset(${json(notes)}) as n(id uuid, health jsonb) where s.id = n.id`.execute(db);
}

/** Records the rule by which a notification's signature matched the Key; returns how many times in a row this rule has matched. */
export async function noteSignature(db: Db, id: string, rule: string): Promise<number> {
  const row = await first(db)<{ signatureMatches: number }>`
    update plancast.subscriptions set signature_rule = ${rule},
      signature_matches = case when signature_rule = ${rule} then signature_matches + 1 else 1 end
    where id = ${id} returning signature_matches`;
  return row?.signatureMatches ?? 0;
}

/** Removes up to `limit` rows that ended before `before` and have no stored events left. Returns how many. */
export const removeEnded = (db: Db, before: Date, limit: number): Promise<number> =>
  countWritten(db)`
    delete from plancast.subscriptions where id in (
      select id from plancast.subscriptions s
      where state = 'ended' and ended_at < ${before}
        and not exists (select from plancast.events e where e.subscription_id = s.id)
      limit ${limit})`;
