/** Project and session ids are canonical here: three groups of three digits joined by hyphens. */
export type Target =
  | { readonly kind: 'project'; readonly projectId: string }
  | { readonly kind: 'folder' | 'file'; readonly projectId: string; readonly itemId: string }
  | { readonly kind: 'session'; readonly sessionId: string }
  | { readonly kind: 'document'; readonly sessionId: string; readonly documentId: string };

export type TargetKind = Target['kind'];

/** What a subscription follows. `comprehensive`: with its contents, or the new versions of a file. */
export type Scope = { readonly target: Target; readonly comprehensive: boolean };

export const eventTypes = ['create', 'update', 'delete'] as const;
export type EventType = (typeof eventTypes)[number];
/** The word that people read and type for each type. */
export const eventWords: Readonly<Record<EventType, string>> = {
  create: 'added',
  update: 'changed',
  delete: 'deleted',
};

/** A person named in a filter: by their email address at the service, or by a Slack mention. */
export type PersonName = { readonly email: string } | { readonly userId: string };

/** Which events a subscription posts. Empty lists let everything pass. */
export type Filters = {
  readonly only: readonly EventType[];
  /** Globs matched against the item's path; a leading `!` excludes matches. */
  readonly paths: readonly string[];
  readonly by: readonly PersonName[];
  readonly notBy: readonly PersonName[];
};

/** The days of the week, in the order of JavaScript's `getUTCDay`. */
export const daysOfWeek = [
  'sunday',
  'monday',
  'tuesday',
  'wednesday',
  'thursday',
  'friday',
  'saturday',
] as const;
export type DayOfWeek = (typeof daysOfWeek)[number];

/** When a subscription's events are posted. `at` is `HH:MM` in `zone`, an IANA name; `weekdays` limits it to Monday to Friday there. */
export type Delivery =
  | { readonly when: 'live' }
  | ({ readonly when: 'hourly' } & DigestExcept)
  | ({
      readonly when: 'daily';
      readonly at: string;
      readonly zone: string;
      readonly weekdays?: true | undefined;
    } & DigestExcept)
  | ({
      readonly when: 'weekly';
      readonly day: DayOfWeek;
      readonly at: string;
      readonly zone: string;
    } & DigestExcept);

/** Event types that are posted at once instead of held for the digest. */
export type DigestExcept = { readonly except?: readonly EventType[] | undefined };

export type SubscriptionState = 'pending' | 'active' | 'paused' | 'ended';

/** What the health checks at the service found about a subscription. */
export type Health = {
  /** When it was last checked, in ISO 8601. */
  readonly checkedAt: string;
  /** The service's own word for its state; null if it named none. */
  readonly status: string | null;
  /** Consecutive checks in which that word was not `Active`. */
  readonly oddChecks: number;
  /** Consecutive checks in which the subscription could not be repaired. */
  readonly failedChecks: number;
  /** Whether the service lost its remote subscription during the current pause, so that changes may be unknown. */
  readonly lostInPause?: boolean | undefined;
};

/** Returns whether the service's word for a subscription's state is unusual. Only `Active` is documented, and its letter case is not. */
export function isOddStatus(status: string | null): status is string {
  return status !== null && status.toLowerCase() !== 'active';
}
