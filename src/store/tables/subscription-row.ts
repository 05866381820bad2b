import type { Selectable } from 'kysely';
import type { Delivery, Filters, SubscriptionState, Target } from '../../core/model/subscription.ts';
import { later, minuteMs } from '../../lib/durations.ts';
import type { SubscriptionsTable } from '../schema.ts';

/** The columns of a `Subscription`. */
export const subscriptionColumns = [
  'id',
  'enterpriseId',
  'teamId',
  'channelId',
  'ownerUserId',
  'kind',
  'parentId',
  'itemId',
  'comprehensive',
  'filters',
  'delivery',
  'threads',
  'callbackBase',
  'serviceSubscriptionId',
  'previousServiceSubscriptionId',
  'sealedKey',
  'resourceName',
  'typedName',
  'state',
  'reason',
  'health',
  'lastEventAt',
  'createdAt',
  'endedAt',
  'fedBy',
  'undo',
] as const;

type SubscriptionColumns = Pick<Selectable<SubscriptionsTable>, (typeof subscriptionColumns)[number]>;

/** A stored subscription: a channel following a resource. Its columns are described in `SubscriptionsTable`. */
export type Subscription = Readonly<Omit<SubscriptionColumns, 'kind' | 'parentId' | 'itemId'>> & {
  readonly target: Target;
  /** The service's name, or else the typed one. */
  readonly resourceName: string | null;
  /** The name of its project or session; null if none is known, or if it was not queried. */
  readonly parentName: string | null;
  /** For a folder with its contents: the service does not say where items are, so nothing of it can be posted. */
  readonly lacksIdPath: boolean;
  /** The channel of the subscription that feeds it; null if there is none, or if it was not queried. */
  readonly fedFrom: string | null;
};

/** What a turn of a lane needs to know about a subscription. */
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
> & {
  /** The filters of the subscription that feeds it, if another one does. */
  readonly sourceFilters: Filters | null;
};

/** The same as a JSON row, with times in milliseconds since the epoch. */
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
  sourceFilters: Filters | null,
];

/**
 * A row found by a callback token, with the remote subscription that was created with this token; null if its id is not known. If that
 * remote subscription was replaced, `sealedKey` is still its own, and `replacedTakenMinutes` after its removal the row counts as ended for
 * this token.
 */
export type FoundByToken = Subscription & {
  readonly recordId: string | null;
  readonly replaced: boolean;
};

/** How many minutes notifications of a replaced remote subscription are accepted after its removal. */
export const replacedTakenMinutes = 10;
export const replacedTakenMs = replacedTakenMinutes * minuteMs;

/** Returns the ids of a target, as the columns store them. */
export function columnsOf(target: Target): {
  kind: Target['kind'];
  parentId: string;
  itemId: string | null;
} {
  switch (target.kind) {
    case 'project':
      return { kind: target.kind, parentId: target.projectId, itemId: null };
    case 'folder':
    case 'file':
      return { kind: target.kind, parentId: target.projectId, itemId: target.itemId };
    case 'session':
      return { kind: target.kind, parentId: target.sessionId, itemId: null };
    case 'document':
      return { kind: target.kind, parentId: target.sessionId, itemId: target.documentId };
  }
}

function targetOf(row: Pick<SubscriptionsTable, 'kind' | 'parentId' | 'itemId'>): Target {
  switch (row.kind) {
    case 'project':
      return { kind: 'project', projectId: row.parentId };
    case 'folder':
    case 'file':
      return { kind: row.kind, projectId: row.parentId, itemId: row.itemId ?? '' };
    case 'session':
      return { kind: 'session', sessionId: row.parentId };
    case 'document':
      return { kind: 'document', sessionId: row.parentId, documentId: row.itemId ?? '' };
  }
}

/** Reads a turn's subscription from JSON. */
export function laneSubscriptionOf(columns: SubscriptionInLane): LaneSubscription {
  const [id, ownerUserId, kind, parentId, itemId, comprehensive, filters, delivery, ...rest] = columns;
  const [threads, state, resourceName, parentName, lastEventAt, createdAt, sourceFilters] = rest;
  return {
    id,
    ownerUserId,
    target: targetOf({ kind, parentId, itemId }),
    comprehensive,
    filters,
    delivery,
    threads,
    state,
    resourceName,
    parentName,
    lastEventAt: lastEventAt === null ? null : new Date(lastEventAt),
    createdAt: new Date(createdAt),
    sourceFilters,
  };
}

/** A row, and what else was queried with it. */
type SubscriptionRow = SubscriptionColumns & {
  readonly knownName?: string | null;
  readonly parentName?: string | null;
  readonly lacksIdPath?: boolean;
  readonly fedFrom?: string | null;
};

/** Converts a row to the form the rest of the bot uses. The row may have only the columns of `SubscriptionRow`. */
export function subscriptionOf({ kind, parentId, itemId, knownName, ...row }: SubscriptionRow): Subscription {
  return {
    ...row,
    target: targetOf({ kind, parentId, itemId }),
    resourceName: knownName ?? row.resourceName ?? row.typedName,
    parentName: row.parentName ?? null,
    lacksIdPath: row.lacksIdPath ?? false,
    fedFrom: row.fedFrom ?? null,
  };
}

/** Runs a query; returns its subscriptions. */
export async function listOf(query: { execute(): Promise<SubscriptionRow[]> }): Promise<Subscription[]> {
  return (await query.execute()).map(subscriptionOf);
}

/** Runs a query; returns its first subscription, or null. */
export async function firstOf(query: {
  executeTakeFirst(): Promise<SubscriptionRow | undefined>;
}): Promise<Subscription | null> {
  const row = await query.executeTakeFirst();
  return row ? subscriptionOf(row) : null;
}

/** Runs an update; returns its subscriptions as lists show them, since it returns its rows in any order. */
export async function oldestFirst(query: { execute(): Promise<SubscriptionRow[]> }): Promise<Subscription[]> {
  return (await listOf(query)).toSorted((a, b) => a.createdAt.getTime() - b.createdAt.getTime());
}

/** The columns that `foundByTokens` needs in addition to those of the subscription. */
export const callbackColumns = [
  'callbackTokenHash',
  'previousTokenHash',
  'previousSealedKey',
  'previousRemovedAt',
] as const;
type TokenRow = SubscriptionRow & Pick<Selectable<SubscriptionsTable>, (typeof callbackColumns)[number]>;

/** Returns a row by the hashes (hexadecimal) of its tokens: the current one, and that of the remote subscription it replaced. */
export function foundByTokens(row: TokenRow, now: Date): [hash: string, found: FoundByToken][] {
  const { callbackTokenHash, previousTokenHash, previousSealedKey, previousRemovedAt, ...columns } = row;
  const subscription = subscriptionOf(columns);
  const current = { ...subscription, recordId: subscription.serviceSubscriptionId, replaced: false };
  if (previousTokenHash === null) return [[callbackTokenHash.toString('hex'), current]];
  const replaced = {
    ...subscription,
    recordId: subscription.previousServiceSubscriptionId,
    sealedKey: previousSealedKey,
    replaced: true,
  };
  const endedAt = previousRemovedAt && later(previousRemovedAt, replacedTakenMs);
  const isOver = subscription.state !== 'ended' && endedAt !== null && endedAt <= now;
  return [
    [callbackTokenHash.toString('hex'), current],
    [previousTokenHash.toString('hex'), isOver ? { ...replaced, state: 'ended', endedAt } : replaced],
  ];
}
