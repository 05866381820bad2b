import { type Kysely, type Selectable, sql } from 'kysely';
import type { Channel, SlackPerson, Workspace } from '../../core/model/people.ts';
import { gridId } from '../../core/model/people.ts';
import type { Delivery, Filters, Health, SubscriptionState, Target } from '../../core/model/subscription.ts';
import type { Database, SubscriptionsTable } from '../schema.ts';
import { addLane } from './lanes.ts';

/** A stored subscription: a channel following a resource. */
export type Subscription = Channel & {
  readonly id: string;
  readonly ownerUserId: string;
  readonly target: Target;
  readonly comprehensive: boolean;
  readonly filters: Filters;
  readonly delivery: Delivery;
  readonly threads: boolean;
  readonly callbackBase: string;
  /** Decimal; null until the service has answered the create request. */
  readonly serviceSubscriptionId: string | null;
  /** The one that is being replaced, whose notifications still count. */
  readonly previousServiceSubscriptionId: string | null;
  readonly sealedKey: string | null;
  readonly resourcePath: string | null;
  /** The service's name, else the typed one. */
  readonly resourceName: string | null;
  readonly typedName: string | null;
  readonly state: SubscriptionState;
  readonly reason: string | null;
  /** Null until the first check. */
  readonly health: Health | null;
  readonly lastEventAt: Date | null;
  readonly createdAt: Date;
  readonly endedAt: Date | null;
};

/** What a turn of a lane has to know of a subscription. */
export type LaneSubscription = Pick<
  Subscription,
  'id' | 'target' | 'comprehensive' | 'filters' | 'threads' | 'state' | 'resourceName' | 'lastEventAt'
>;

/** The same as JSON brings it, its time in milliseconds since the epoch. */
export type SubscriptionInLane = readonly [
  id: string,
  kind: Target['kind'],
  parentId: string,
  itemId: string | null,
  comprehensive: boolean,
  filters: Filters,
  threads: boolean,
  state: SubscriptionState,
  resourceName: string | null,
  lastEventAt: number | null,
];

/**
 * A row found by a callback token, with the record that was made with this very token; null where nobody knows its id. Where that
 * record was replaced, `sealedKey` is still its own, and once its time is over the row has ended as far as this token goes.
 */
export type FoundByToken = Subscription & {
  readonly recordId: string | null;
  readonly replaced: boolean;
};

/** Minutes for which notifications of a removed, replaced record are still accepted. */
export const replacedTakenMinutes = 10;
export const replacedTakenMs = replacedTakenMinutes * 60_000;

/** What a new row needs. The callback token itself is never stored. */
export type NewSubscription = Channel & {
  readonly ownerUserId: string;
  readonly target: Target;
  readonly comprehensive: boolean;
  readonly filters: Filters;
  readonly delivery: Delivery;
  readonly threads: boolean;
  /** The name that its owner typed, shown until the service has sent one. */
  readonly typedName?: string | undefined;
  readonly callbackTokenHash: Buffer;
  readonly callbackBase: string;
  readonly now: Date;
};

/** What the service returned for a subscription it created. */
export type ServiceSide = {
  readonly serviceSubscriptionId: string;
  readonly sealedKey: string | null;
  readonly resourcePath: string | null;
  /** The callback the service was given; it also proves that the row still waits for this very record. */
  readonly callbackTokenHash: Buffer;
  readonly callbackBase: string;
  /** Leaves a paused row paused. */
  readonly keepsPause?: boolean | undefined;
};

/** The ids of a target, as the columns hold them. */
function columnsOf(target: Target): { kind: Target['kind']; parent_id: string; item_id: string | null } {
  switch (target.kind) {
    case 'project':
      return { kind: target.kind, parent_id: target.projectId, item_id: null };
    case 'folder':
    case 'file':
      return { kind: target.kind, parent_id: target.projectId, item_id: target.itemId };
    case 'session':
      return { kind: target.kind, parent_id: target.sessionId, item_id: null };
    case 'document':
      return { kind: target.kind, parent_id: target.sessionId, item_id: target.documentId };
  }
}

function targetOf(row: Pick<SubscriptionsTable, 'kind' | 'parent_id' | 'item_id'>): Target {
  switch (row.kind) {
    case 'project':
      return { kind: 'project', projectId: row.parent_id };
    case 'folder':
    case 'file':
      return { kind: row.kind, projectId: row.parent_id, itemId: row.item_id ?? '' };
    case 'session':
      return { kind: 'session', sessionId: row.parent_id };
    case 'document':
      return { kind: 'document', sessionId: row.parent_id, documentId: row.item_id ?? '' };
  }
}

/** What a turn knows of a subscription, out of JSON. */
export function laneSubscriptionOf(columns: SubscriptionInLane): LaneSubscription {
  const [id, kind, parent_id, item_id, comprehensive, filters, threads, state, resourceName, lastEventAt] =
    columns;
  return {
    id,
    target: targetOf({ kind, parent_id, item_id }),
    comprehensive,
    filters,
    threads,
    state,
    resourceName,
    lastEventAt: lastEventAt === null ? null : new Date(lastEventAt),
  };
}

/** Of ended rows: the record was made or was being made, and is not known to be gone. */
const mayStandUpstream = sql<boolean>`(released_at is null and (reason = 'uninstalled'
  or coalesce(service_subscription_id, previous_service_subscription_id) is not null))`;

/** A row as the rest of the bot sees it. */
export function subscriptionOf(row: Selectable<SubscriptionsTable>): Subscription {
  return {
    id: row.id,
    enterpriseId: row.enterprise_id,
    teamId: row.team_id,
    channelId: row.channel_id,
    ownerUserId: row.owner_user_id,
    target: targetOf(row),
    comprehensive: row.comprehensive,
    filters: row.filters,
    delivery: row.delivery,
    threads: row.threads,
    callbackBase: row.callback_base,
    serviceSubscriptionId: row.service_subscription_id,
    previousServiceSubscriptionId: row.previous_service_subscription_id,
    sealedKey: row.sealed_key,
    resourcePath: row.resource_path,
    resourceName: row.resource_name ?? row.typed_name,
    typedName: row.typed_name,
    state: row.state,
    reason: row.reason,
    health: row.health,
    lastEventAt: row.last_event_at,
    createdAt: row.created_at,
    endedAt: row.ended_at,
  };
}

/** A row as seen by the token of the replaced record. */
function replacedOf(row: Selectable<SubscriptionsTable>, now: Date): FoundByToken {
  const subscription = subscriptionOf(row);
  const replaced = {
    ...subscription,
    recordId: row.previous_service_subscription_id,
    sealedKey: row.previous_sealed_key,
    replaced: true,
  };
  const { previous_removed_at: removedAt } = row;
  if (removedAt === null || subscription.state === 'ended') return replaced;
  const endedAt = new Date(removedAt.getTime() + replacedTakenMs);
  return endedAt > now ? replaced : { ...replaced, state: 'ended', endedAt };
}

/** In the order of lists, since an update returns its rows in any order. */
function oldestFirst(rows: readonly Selectable<SubscriptionsTable>[]): Subscription[] {
  return rows
    .toSorted((a, b) => a.created_at.getTime() - b.created_at.getTime())
    .map((row) => subscriptionOf(row));
}

/** The table `subscriptions`. Ended rows stay, so that late notifications get `410` and "why?" has an answer. */
export function makeSubscriptions({ db }: { readonly db: Kysely<Database> }) {
  const rows = () => db.selectFrom('plancast.subscriptions').selectAll();
  /** Undoes the beginning of a replacement. */
  const takingBack = (now: Date) =>
    db
      .updateTable('plancast.subscriptions')
      .set((eb) => ({
        callback_token_hash: eb.ref('previous_token_hash').$notNull(),
        service_subscription_id: eb.ref('previous_service_subscription_id'),
        previous_token_hash: null,
        previous_service_subscription_id: null,
        previous_sealed_key: null,
        previous_removed_at: null,
        changed_at: now,
      }))
      .where('previous_token_hash', 'is not', null)
      .where('service_subscription_id', 'is', null)
      .where('state', '<>', 'ended');

  return {
    /**
     * Adds a `pending` row, before the service is asked.
     * @returns the new row, or null where this channel already follows the resource.
     */
    async add(input: NewSubscription): Promise<Subscription | null> {
      const row = await db
        .insertInto('plancast.subscriptions')
        .values({
          enterprise_id: input.enterpriseId,
          team_id: input.teamId,
          channel_id: input.channelId,
          owner_user_id: input.ownerUserId,
          ...columnsOf(input.target),
          comprehensive: input.comprehensive,
          filters: JSON.stringify(input.filters),
          delivery: JSON.stringify(input.delivery),
          threads: input.threads,
          typed_name: input.typedName ?? null,
          callback_token_hash: input.callbackTokenHash,
          callback_base: input.callbackBase,
          state: 'pending',
          created_at: input.now,
          changed_at: input.now,
        })
        .onConflict((conflict) => conflict.doNothing())
        .returningAll()
        .executeTakeFirst();
      if (row) await addLane(db, input);
      return row ? subscriptionOf(row) : null;
    },

    /**
     * Stores what the service made. Leaves a row alone that has ended in the meantime, or was given another callback.
     * @returns whether the row was still waiting for it.
     */
    async activate(id: string, side: ServiceSide, now: Date): Promise<boolean> {
      const state = sql<SubscriptionState>`case when state = 'paused' then state else 'active' end`;
      const reason = sql<string | null>`case when state = 'paused' then reason end`;
      const result = await db
        .updateTable('plancast.subscriptions')
        .set({
          service_subscription_id: side.serviceSubscriptionId,
          sealed_key: side.sealedKey,
          resource_path: side.resourcePath,
          callback_base: side.callbackBase,
          state: side.keepsPause ? state : 'active',
          reason: side.keepsPause ? reason : null,
          changed_at: now,
        })
        .where('id', '=', id)
        .where('callback_token_hash', '=', side.callbackTokenHash)
        .where('state', '<>', 'ended')
        .executeTakeFirst();
      return result.numUpdatedRows > 0n;
    },

    /**
     * Prepares a row for a replacement record upstream: it gets a new callback token and keeps the current record as the previous one, so
     * that notifications of both are accepted until the new one exists. The caller then creates it and calls `activate` or `cancelReplacement`.
     * If an earlier replacement was never created, the previous record stays the previous one.
     * `previousSealedKey`: the Key of the current record, sealed for its new column.
     * @returns false if the row has changed since it was read: ended, paused, or being replaced by another process
     */
    async beginReplacement(
      before: Pick<Subscription, 'id' | 'state' | 'reason' | 'serviceSubscriptionId'>,
      change: { callbackTokenHash: Buffer; previousSealedKey: string | null; now: Date },
    ): Promise<boolean> {
      const result = await db
        .updateTable('plancast.subscriptions')
        .set({
          previous_token_hash: sql<Buffer>`
            case when service_subscription_id is null then coalesce(previous_token_hash, callback_token_hash)
              else callback_token_hash end`,
          previous_service_subscription_id: sql<string | null>`
            coalesce(service_subscription_id, previous_service_subscription_id)`,
          previous_sealed_key: sql<string | null>`
            case when service_subscription_id is null then previous_sealed_key else ${change.previousSealedKey} end`,
          previous_removed_at: sql<Date | null>`
            case when service_subscription_id is null then previous_removed_at end`,
          callback_token_hash: change.callbackTokenHash,
          service_subscription_id: null,
          changed_at: change.now,
        })
        .where('id', '=', before.id)
        .where('state', '=', before.state)
        .where('state', '<>', 'ended')
        .where(sql<boolean>`reason is not distinct from ${before.reason}`)
        .where(
          sql<boolean>`service_subscription_id is not distinct from ${before.serviceSubscriptionId}::bigint`,
        )
        .executeTakeFirst();
      return result.numUpdatedRows > 0n;
    },

    /** Takes `rearm` with this callback back: the service made nothing new. */
    async cancelReplacement(id: string, callbackTokenHash: Buffer, now: Date): Promise<void> {
      await takingBack(now)
        .where('id', '=', id)
        .where('callback_token_hash', '=', callbackTokenHash)
        .execute();
    },

    /** The same for a row whose replacing began before `before` and was cut short. */
    async cancelInterruptedReplacement(id: string, before: Date, now: Date): Promise<void> {
      await takingBack(now).where('id', '=', id).where('changed_at', '<', before).execute();
    },

    /** Notes that the service's side of a replaced record is gone: its token is taken for a while longer. */
    async previousRemoved(id: string, recordId: string, now: Date): Promise<void> {
      await db
        .updateTable('plancast.subscriptions')
        .set({ previous_removed_at: now })
        .where('id', '=', id)
        .where('previous_service_subscription_id', '=', recordId)
        .where('previous_removed_at', 'is', null)
        .execute();
    },

    /** Changes a subscription's filters and delivery. */
    async change(
      id: string,
      change: {
        filters: Filters;
        delivery: Delivery;
        threads: boolean;
        comprehensive: boolean;
        /** Undefined leaves it as it is. */
        typedName?: string | undefined;
        ownerUserId: string;
        now: Date;
      },
    ): Promise<void> {
      await db
        .updateTable('plancast.subscriptions')
        .set({
          filters: JSON.stringify(change.filters),
          delivery: JSON.stringify(change.delivery),
          threads: change.threads,
          comprehensive: change.comprehensive,
          ...(change.typedName === undefined ? {} : { typed_name: change.typedName }),
          owner_user_id: change.ownerUserId,
          changed_at: change.now,
        })
        .where('id', '=', id)
        .execute();
    },

    /** Ends rows and keeps the reason. Returns those that were still live. */
    async end(ids: readonly string[], reason: string, now: Date): Promise<Subscription[]> {
      if (ids.length === 0) return [];
      const ended = await db
        .updateTable('plancast.subscriptions')
        .set({ state: 'ended', reason, ended_at: now, changed_at: now })
        .where('id', 'in', [...ids])
        .where('state', '<>', 'ended')
        .returningAll()
        .execute();
      return oldestFirst(ended);
    },

    /** Pauses live rows with a reason; they are kept. Returns those that were not paused before. */
    async pause(ids: readonly string[], reason: string, now: Date): Promise<Subscription[]> {
      if (ids.length === 0) return [];
      const paused = await db
        .updateTable('plancast.subscriptions')
        .set({ state: 'paused', reason, changed_at: now })
        .where('id', 'in', [...ids])
        .where('state', 'in', ['pending', 'active'])
        .returningAll()
        .execute();
      return oldestFirst(paused);
    },

    /** Changes the reason of a paused row, if it still has the one that was read. */
    async pauseInstead(
      before: Pick<Subscription, 'id' | 'reason'>,
      reason: string,
      now: Date,
    ): Promise<boolean> {
      const result = await db
        .updateTable('plancast.subscriptions')
        .set({ reason, changed_at: now })
        .where('id', '=', before.id)
        .where('state', '=', 'paused')
        .where('reason', '=', before.reason)
        .executeTakeFirst();
      return result.numUpdatedRows > 0n;
    },

    /** Resumes paused rows that have a record at the service; with `reason`, only those paused for it. */
    async resume(ids: readonly string[], now: Date, reason?: string): Promise<Subscription[]> {
      if (ids.length === 0) return [];
      const resumed = await db
        .updateTable('plancast.subscriptions')
        .set({ state: 'active', reason: null, changed_at: now })
        .where('id', 'in', [...ids])
        .where('state', '=', 'paused')
        .where('service_subscription_id', 'is not', null)
        .$if(reason !== undefined, (query) => query.where('reason', '=', reason ?? null))
        .returningAll()
        .execute();
      return oldestFirst(resumed);
    },

    /** The rows of callback tokens, including ended ones, each with the hash it was found by (hexadecimal). */
    async byTokenHashes(hashes: readonly Buffer[], now: Date): Promise<Map<string, FoundByToken>> {
      const found = await db
        .selectFrom('plancast.subscriptions')
        .selectAll()
        .where(sql<boolean>`callback_token_hash = any(${hashes}) or previous_token_hash = any(${hashes})`)
        .execute();
      return new Map(
        found.flatMap((row) => {
          const { callback_token_hash: hash, previous_token_hash: previous } = row;
          const current = { ...subscriptionOf(row), recordId: row.service_subscription_id, replaced: false };
          return [
            [hash.toString('hex'), current] as const,
            ...(previous === null ? [] : [[previous.toString('hex'), replacedOf(row, now)] as const]),
          ];
        }),
      );
    },

    /** The sealed Key of a subscription at the service; null if it has none. */
    async sealedKeyOf(id: string): Promise<string | null> {
      const row = await db
        .selectFrom('plancast.subscriptions')
        .select('sealed_key')
        .where('id', '=', id)
        .executeTakeFirst();
      return row?.sealed_key ?? null;
    },

    /** The channel's live subscription to exactly this resource, with or without its contents. */
    async ofTarget(channel: Channel, target: Target): Promise<Subscription | null> {
      const { kind, parent_id, item_id } = columnsOf(target);
      const row = await rows()
        .where('team_id', '=', channel.teamId)
        .where('channel_id', '=', channel.channelId)
        .where('kind', '=', kind)
        .where('parent_id', '=', parent_id)
        .where(sql<boolean>`item_id is not distinct from ${item_id}`)
        .where('state', '<>', 'ended')
        .executeTakeFirst();
      return row ? subscriptionOf(row) : null;
    },

    /** A live subscription of this workspace by its id. An id of another workspace is not found. */
    async ofWorkspace(workspace: Workspace, id: string): Promise<Subscription | null> {
      const row = await rows()
        .where('id', '=', id)
        .where('team_id', '=', workspace.teamId)
        .where('state', '<>', 'ended')
        .executeTakeFirst();
      return row ? subscriptionOf(row) : null;
    },

    /** All live subscriptions of a channel, oldest first. */
    async ofChannel(channel: Channel): Promise<Subscription[]> {
      const found = await rows()
        .where('team_id', '=', channel.teamId)
        .where('channel_id', '=', channel.channelId)
        .where('state', '<>', 'ended')
        .orderBy('created_at')
        .execute();
      return found.map(subscriptionOf);
    },

    /** Subscriptions of a channel that ended since `since`, the last ended first, at most `limit`. */
    async endedOfChannel(channel: Channel, since: Date, limit: number): Promise<Subscription[]> {
      const found = await rows()
        .where('team_id', '=', channel.teamId)
        .where('channel_id', '=', channel.channelId)
        .where('state', '=', 'ended')
        .where('ended_at', '>=', since)
        .orderBy('ended_at', 'desc')
        .limit(limit)
        .execute();
      return found.map(subscriptionOf);
    },

    /** A person's live subscriptions, oldest first; in an organization those of all its workspaces. */
    async ofOwner(person: SlackPerson): Promise<Subscription[]> {
      const found = await rows()
        .where(sql<boolean>`coalesce(enterprise_id, team_id) = ${gridId(person)}`)
        .where('owner_user_id', '=', person.userId)
        .where('state', '<>', 'ended')
        .orderBy('created_at')
        .execute();
      return found.map(subscriptionOf);
    },

    /** All live subscriptions of a workspace. */
    async ofWholeWorkspace({ teamId }: Workspace): Promise<Subscription[]> {
      const found = await rows().where('team_id', '=', teamId).where('state', '<>', 'ended').execute();
      return found.map(subscriptionOf);
    },

    /** Channels in which something is paused for a reason. */
    async channelsPausedFor(reason: string): Promise<Channel[]> {
      const found = await db
        .selectFrom('plancast.subscriptions')
        .select(['enterprise_id', 'team_id', 'channel_id'])
        .distinct()
        .where('state', '=', 'paused')
        .where('reason', '=', reason)
        .execute();
      return found.map((row) => ({
        enterpriseId: row.enterprise_id,
        teamId: row.team_id,
        channelId: row.channel_id,
      }));
    },

    /** Rows whose create request never came back: still `pending`, and last tried before `before`, the oldest try first. */
    async stuck(before: Date): Promise<Subscription[]> {
      const found = await rows()
        .where('state', '=', 'pending')
        .where('changed_at', '<', before)
        .orderBy('changed_at')
        .execute();
      return found.map(subscriptionOf);
    },

    /** Live rows whose replacing upstream began before `before` and was cut short, at most `limit`. */
    async interrupted(before: Date, limit: number): Promise<Subscription[]> {
      const found = await rows()
        .where('state', 'in', ['active', 'paused'])
        .where('service_subscription_id', 'is', null)
        .where('previous_token_hash', 'is not', null)
        .where('changed_at', '<', before)
        .limit(limit)
        .execute();
      return found.map(subscriptionOf);
    },

    /** Active rows whose owner has no link, at most `limit`. */
    async withoutLink(limit: number): Promise<Subscription[]> {
      const found = await rows()
        .where('state', '=', 'active')
        .where(sql<boolean>`not exists (
          select from plancast.links l
          where l.grid_id = coalesce(plancast.subscriptions.enterprise_id, plancast.subscriptions.team_id)
            and l.user_id = plancast.subscriptions.owner_user_id)`)
        .orderBy('owner_user_id')
        .limit(limit)
        .execute();
      return found.map(subscriptionOf);
    },

    /** Whether the service sends the notifications of some live row to another address than this one. */
    async someAreElsewhere(callbackBase: string): Promise<boolean> {
      const row = await rows()
        .where('state', 'in', ['active', 'paused'])
        .where('callback_base', '<>', callbackBase)
        .limit(1)
        .executeTakeFirst();
      return row !== undefined;
    },

    /** Rows that ended since `since` and whose known record upstream may still exist, at most `limit`, in any order. */
    async unreleased(since: Date, limit: number): Promise<Subscription[]> {
      const found = await rows()
        .where('state', '=', 'ended')
        .where('released_at', 'is', null)
        .where('ended_at', '>=', since)
        .where(sql<boolean>`coalesce(service_subscription_id, previous_service_subscription_id) is not null`)
        // Those that cannot be released must not keep the others waiting.
        .orderBy(sql`random()`)
        .limit(limit)
        .execute();
      return found.map(subscriptionOf);
    },

    /**
     * Ended rows of a workspace whose record upstream may still exist. Those that ended with it while their record was being made have
     * none that is known.
     */
    async unreleasedOfWorkspace({ teamId }: Workspace): Promise<Subscription[]> {
      const found = await rows()
        .where('team_id', '=', teamId)
        .where('state', '=', 'ended')
        .where(mayStandUpstream)
        .execute();
      return found.map(subscriptionOf);
    },

    /** Another workspace of the organization that still needs the person's link: for live rows, or to remove records with. */
    async otherWorkspaceOf(owner: SlackPerson): Promise<Workspace | null> {
      const row = await rows()
        .where(sql<boolean>`coalesce(enterprise_id, team_id) = ${gridId(owner)}`)
        .where('owner_user_id', '=', owner.userId)
        .where('team_id', '<>', owner.teamId)
        .where(sql<boolean>`(state <> 'ended' or ${mayStandUpstream})`)
        .orderBy(sql`state = 'ended'`)
        .limit(1)
        .executeTakeFirst();
      return row ? { enterpriseId: row.enterprise_id, teamId: row.team_id } : null;
    },

    /** Any row by its id, ended ones included. */
    async byId(id: string): Promise<Subscription | null> {
      const row = await rows().where('id', '=', id).executeTakeFirst();
      return row ? subscriptionOf(row) : null;
    },

    /** Marks an ended row's record as removed at the service; false if the row has not ended. */
    async released(id: string, now: Date): Promise<boolean> {
      const result = await db
        .updateTable('plancast.subscriptions')
        .set({ released_at: now })
        .where('id', '=', id)
        .where('state', '=', 'ended')
        .executeTakeFirst();
      return result.numUpdatedRows > 0n;
    },

    /** Stores the result of a check of each. */
    async noteHealth(notes: readonly { readonly id: string; readonly health: Health }[]): Promise<void> {
      if (notes.length === 0) return;
      await sql`
        update plancast.subscriptions s set health = n.health
        from jsonb_to_recordset(${JSON.stringify(notes)}::jsonb) as n(id uuid, health jsonb)
        where s.id = n.id`.execute(db);
    },

    /** Notes by which rule a notification's signature fitted the Key; says how often the same one has by now. */
    async noteSignature(id: string, rule: string): Promise<number> {
      const row = await db
        .updateTable('plancast.subscriptions')
        .set({
          signature_rule: rule,
          signature_matches: sql`case when signature_rule = ${rule} then signature_matches + 1 else 1 end`,
        })
        .where('id', '=', id)
        .returning('signature_matches')
        .executeTakeFirst();
      return row?.signature_matches ?? 0;
    },

    /** Stores the time of the last event, and the newest name of the followed resource if known. */
    async noteEvents(notes: readonly { id: string; at: Date; name: string | null }[]): Promise<void> {
      if (notes.length === 0) return;
      await sql`
        update plancast.subscriptions s
        set last_event_at = greatest(s.last_event_at, n.at), resource_name = coalesce(n.name, s.resource_name)
        from jsonb_to_recordset(${JSON.stringify(notes)}::jsonb) as n(id uuid, at timestamptz, name text)
        where s.id = n.id`.execute(db);
    },

    /** Removes rows that ended before `before` and have no stored events left. Returns how many. */
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

export type Subscriptions = ReturnType<typeof makeSubscriptions>;
