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
  /** Whether the service refused that in the last one, which it would do again. */
  readonly refused?: boolean | undefined;
  /** Whether the service lost its remote subscription during the current pause, so that changes may be unknown. */
  readonly lostInPause?: boolean | undefined;
};

/** Returns whether the service's word for a subscription's state is unusual. Only `Active` is documented, and its letter case is not. */
export function isOddStatus(status: string | null): status is string {
  return status !== null && status.toLowerCase() !== 'active';
}

/** Whom a message mentions: a person or a group, by the id that Slack gave them. */
export type Mentioned = { readonly kind: 'user' | 'group'; readonly id: string };

/** Whom the messages of a subscription mention, and for which types of events. */
export type Ping = Mentioned & {
  readonly on: readonly EventType[];
  /** Of a group, if Slack sent it with the mention: its handle without the @. The bot may not ask for it. */
  readonly name?: string | undefined;
};

/** The events for which somebody is mentioned, unless others are named. */
export const pingedByDefault: readonly EventType[] = ['delete'];

/** What a subscription posts and how, as members set it. */
export type StoredSettings = {
  readonly comprehensive: boolean;
  readonly filters: Filters;
  readonly delivery: Delivery;
  readonly threads: boolean;
  /** The name that a member gave to what is followed, if any. */
  readonly typedName: string | null;
  readonly ping: Ping | null;
};

/**
 * Returns what a subscription has at the service, and what instead if the service refuses that (403 or 404); null if nothing can replace it.
 * The interface has comprehensive subscriptions to projects and sessions only, and a plain one to a file may not report its saves. So a
 * folder with its contents and a file with its new versions have one to their whole project, of which only their own events are posted.
 */
export function remoteScope(scope: Scope): { readonly scope: Scope; readonly ifRefused: Scope | null } {
  const { target, comprehensive } = scope;
  if (!isCarried(scope) || !('itemId' in target)) return { scope, ifRefused: null };
  return {
    scope: { target: { kind: 'project', projectId: target.projectId }, comprehensive },
    ifRefused: target.kind === 'file' ? { target, comprehensive: false } : null,
  };
}

/** Returns whether a folder or file is followed through a remote subscription to its whole project. */
export function isCarried({ target, comprehensive }: Scope): boolean {
  return comprehensive && 'itemId' in target;
}

/** What a subscription follows, with its name if known. */
export type Subscribed = {
  readonly target: Target;
  readonly name: string | null;
  /** The name of the project or session that contains a folder, file or document; its id is shown if the name is unknown. */
  readonly parentName?: string | null | undefined;
  readonly comprehensive: boolean;
};

/** Returns what a subscription follows, in the form that messages take. */
export function subscribedOf({
  resourceName: name,
  target,
  comprehensive,
  parentName,
}: Omit<Subscribed, 'name'> & { readonly resourceName: string | null }): Subscribed {
  return { target, comprehensive, name, parentName };
}
