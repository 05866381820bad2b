import type { Channel } from '../../core/model/people.ts';
import type {
  Delivery,
  Filters,
  Health,
  Ping,
  SubscriptionState,
  Target,
} from '../../core/model/subscription.ts';
import type { SettingsUndo } from '../../core/model/undo.ts';
import { all, type Db, type Statement, sql } from '../sql.ts';

/** The columns that `subscriptionOf` reads, in a statement about `plancast.subscriptions s`. */
export const subscriptionColumns = sql`s.id, s.enterprise_id, s.team_id, s.channel_id, s.owner_user_id, s.kind, s.parent_id, s.item_id,
  s.comprehensive, s.filters, s.delivery, s.threads, s.ping, s.resource_name, s.typed_name, s.state, s.reason, s.paused_by, s.health,
  s.last_event_at, s.created_at, s.ended_at, s.undo, s.volume_kept_until,
  (select r.service_id from plancast.remotes r where r.subscription_id = s.id and r.made_at is not null and r.deleted_at is null
    order by r.asked_at desc limit 1) as service_subscription_id`;

/** A stored subscription: a channel following a resource. */
export type Subscription = Channel & {
  readonly id: string;
  readonly ownerUserId: string;
  readonly target: Target;
  readonly comprehensive: boolean;
  readonly filters: Filters;
  readonly delivery: Delivery;
  readonly threads: boolean;
  /** Whom its new messages mention; null for nobody. */
  readonly ping: Ping | null;
  /** The id of its newest remote subscription at the service; null if it has none. */
  readonly serviceSubscriptionId: string | null;
  /** The service's name, or else the typed one. */
  readonly resourceName: string | null;
  /** The name its owner gave it, shown until the service has sent a name. */
  readonly typedName: string | null;
  readonly state: SubscriptionState;
  /** Why it is paused, as people were last notified, or why it ended. */
  readonly reason: string | null;
  /** The member who keeps it paused; empty if that is not known, null if none does. */
  readonly pausedBy: string | null;
  /** Null until the first check. */
  readonly health: Health | null;
  readonly lastEventAt: Date | null;
  readonly createdAt: Date;
  readonly endedAt: Date | null;
  /** Null until its settings are changed. */
  readonly undo: SettingsUndo | null;
  /** Until when its owner is not asked again whether it posts too much; null if they never said to keep it. */
  readonly volumeKeptUntil: Date | null;
  /** The name of its project or session; null if none is known, or if it was not queried. */
  readonly parentName: string | null;
  /** For a folder or file that is followed through its project: the service does not say what changes are about, so none can be posted. */
  readonly lacksIdPath: boolean;
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
  | 'ping'
  | 'state'
  | 'resourceName'
  | 'parentName'
  | 'lastEventAt'
  | 'createdAt'
> & {
  /** When a message last mentioned somebody for it; null if none did. */
  readonly pingedAt: Date | null;
};

/** The same as a JSON row, with times in milliseconds since the epoch. */
export type SubscriptionInLane = TargetColumns &
  Omit<LaneSubscription, 'target' | 'createdAt' | TimeInLane> & { readonly createdAt: number } & {
    readonly [Name in TimeInLane]: number | null;
  };
type TimeInLane = 'lastEventAt' | 'pingedAt';

/** The ids of a target, as the columns store them. */
export type TargetColumns = {
  readonly kind: Target['kind'];
  readonly parentId: string;
  readonly itemId: string | null;
};

export function columnsOf(target: Target): TargetColumns {
  const parentId = 'projectId' in target ? target.projectId : target.sessionId;
  const itemId = 'itemId' in target ? target.itemId : 'documentId' in target ? target.documentId : null;
  return { kind: target.kind, parentId, itemId };
}

function targetOf(row: TargetColumns): Target {
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
export function laneSubscriptionOf({ kind, parentId, itemId, ...row }: SubscriptionInLane): LaneSubscription {
  const timeOf = (milliseconds: number | null) => (milliseconds === null ? null : new Date(milliseconds));
  return {
    ...row,
    target: targetOf({ kind, parentId, itemId }),
    lastEventAt: timeOf(row.lastEventAt),
    createdAt: new Date(row.createdAt),
    pingedAt: timeOf(row.pingedAt),
  };
}

/** A row, and what else was queried with it. */
export type SubscriptionRow = TargetColumns &
  Omit<Subscription, 'target' | QueriedColumn> &
  Partial<Pick<Subscription, QueriedColumn>> & { readonly knownName?: string | null };
type QueriedColumn = 'parentName' | 'lacksIdPath';

/** Converts a row to the form the rest of the bot uses. The row may have only the columns of `SubscriptionRow`. */
export function subscriptionOf({ kind, parentId, itemId, knownName, ...row }: SubscriptionRow): Subscription {
  return {
    ...row,
    target: targetOf({ kind, parentId, itemId }),
    resourceName: knownName ?? row.resourceName ?? row.typedName,
    parentName: row.parentName ?? null,
    lacksIdPath: row.lacksIdPath ?? false,
  };
}

/** Runs the statement that follows; returns its subscriptions. */
export function listOf(db: Db): Statement<Subscription[]> {
  return async (...statement) => (await all(db)<SubscriptionRow>(...statement)).map(subscriptionOf);
}

/** Runs the statement that follows; returns its first subscription, or null. */
export function firstOf(db: Db): Statement<Subscription | null> {
  return async (...statement) => (await listOf(db)(...statement))[0] ?? null;
}
