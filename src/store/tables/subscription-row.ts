import type { Selectable } from 'kysely';
import type { Channel } from '../../core/model/people.ts';
import type { Delivery, Filters, Health, SubscriptionState, Target } from '../../core/model/subscription.ts';
import type { SubscriptionsTable } from '../schema.ts';

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
  /** The name of its project or session; null where none is known, or where it was not asked for. */
  readonly parentName: string | null;
  /** Of a folder with its contents: the service does not say where items are, so nothing of it can be posted. */
  readonly lacksIdPath: boolean;
  readonly typedName: string | null;
  readonly state: SubscriptionState;
  readonly reason: string | null;
  /** Null until the first check. */
  readonly health: Health | null;
  readonly lastEventAt: Date | null;
  readonly createdAt: Date;
  readonly endedAt: Date | null;
  /** The subscription whose events it gets too, where it has no record at the service. */
  readonly fedBy: string | null;
};

/** What a turn of a lane has to know of a subscription. */
export type LaneSubscription = Pick<
  Subscription,
  | 'id'
  | 'ownerUserId'
  | 'target'
  | 'comprehensive'
  | 'filters'
  | 'delivery'
  | 'threads'
  | 'state'
  | 'resourceName'
  | 'parentName'
  | 'lastEventAt'
  | 'createdAt'
>;

/** The same as JSON brings it, its times in milliseconds since the epoch. */
export type SubscriptionInLane = readonly [
  id: string,
  ownerUserId: string,
  kind: Target['kind'],
  parentId: string,
  itemId: string | null,
  comprehensive: boolean,
  filters: Filters,
  delivery: Delivery,
  threads: boolean,
  state: SubscriptionState,
  resourceName: string | null,
  parentName: string | null,
  lastEventAt: number | null,
  createdAt: number,
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

/** The ids of a target, as the columns hold them. */
export function columnsOf(target: Target): {
  kind: Target['kind'];
  parent_id: string;
  item_id: string | null;
} {
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
  const [id, ownerUserId, kind, parent_id, item_id, comprehensive, filters, delivery, ...rest] = columns;
  const [threads, state, resourceName, parentName, lastEventAt, createdAt] = rest;
  return {
    id,
    ownerUserId,
    target: targetOf({ kind, parent_id, item_id }),
    comprehensive,
    filters,
    delivery,
    threads,
    state,
    resourceName,
    parentName,
    lastEventAt: lastEventAt === null ? null : new Date(lastEventAt),
    createdAt: new Date(createdAt),
  };
}

/** A row, and the names that are known for it where they were asked for. */
export type SubscriptionRow = Selectable<SubscriptionsTable> & {
  readonly known_name?: string | null;
  readonly parent_name?: string | null;
  readonly lacks_id_path?: boolean;
};

/** A row as the rest of the bot sees it. */
export function subscriptionOf(row: SubscriptionRow): Subscription {
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
    resourceName: row.known_name ?? row.resource_name ?? row.typed_name,
    parentName: row.parent_name ?? null,
    lacksIdPath: row.lacks_id_path ?? false,
    typedName: row.typed_name,
    state: row.state,
    reason: row.reason,
    health: row.health,
    lastEventAt: row.last_event_at,
    createdAt: row.created_at,
    endedAt: row.ended_at,
    fedBy: row.fed_by,
  };
}

/** A row as seen by the token of the replaced record. */
export function replacedOf(row: Selectable<SubscriptionsTable>, now: Date): FoundByToken {
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
export function oldestFirst(rows: readonly Selectable<SubscriptionsTable>[]): Subscription[] {
  return rows
    .toSorted((a, b) => a.created_at.getTime() - b.created_at.getTime())
    .map((row) => subscriptionOf(row));
}
