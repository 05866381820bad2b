import { createHash } from 'node:crypto';
import type { NewEvent } from '../store/events.ts';
import type { FoundByToken, Subscription } from '../store/subscriptions.ts';
import type { Clock } from './clock.ts';
import type { Notification } from './notification.ts';
import type { Channel } from './people.ts';

/** What is known of the subscription behind a callback address. */
export type Receiver = Pick<Subscription, 'id' | 'sealedKey' | 'serviceSubscriptionId'>;

/** `not yet`: what it would be checked with is still on its way, in the answer to the create request. */
export type Trust = 'yes' | 'no' | 'not yet';

/** What came in at a callback address, read. */
export type Arrival = {
  /** SHA-256 of the callback token. */
  readonly tokenHash: Buffer;
  readonly notifications: readonly Notification[];
  /** Bytes held while it waits to be stored. */
  readonly bytes: number;
  /** Asked once the subscription is known: whether the request's signature is to be believed. */
  readonly trusted: (subscription: Receiver) => Promise<Trust>;
};

/** How an arrival was taken. Only `stored` is answered with 200, and only after the commit. */
export type Reception =
  | 'stored'
  | 'unknown token'
  | 'removed'
  | 'other subscription'
  | 'not a notification'
  | 'wrong signature'
  | 'busy';

export type ReceiveDeps = {
  readonly clock: Clock;
  readonly byTokenHashes: (hashes: readonly Buffer[]) => Promise<Map<string, FoundByToken>>;
  /** Stores events and queues their lanes' jobs in one transaction. */
  readonly accept: (events: readonly NewEvent[], lanes: readonly Channel[], now: Date) => Promise<void>;
  readonly limits: {
    /** Arrivals that may wait for a commit at once; more are sent away. */
    readonly waiting: number;
    /** Bytes that may wait for a commit at once. */
    readonly bytes: number;
    /** Arrivals in one transaction. */
    readonly together: number;
  };
};

/** For how long a removed subscription's callback still answers that it is gone. */
const goneForDays = 30;

type Waiting = Arrival & {
  readonly resolve: (reception: Reception) => void;
  readonly reject: (error: unknown) => void;
};

/**
 * Takes notifications in. Those that arrive while a transaction is being committed share the next one, so that the database is asked
 * as seldom as the load allows, and nobody waits for a timer when it is quiet.
 * @returns a function that settles once the arrival is durable or refused, and rejects where it could not be stored.
 */
export function makeReceive(deps: ReceiveDeps): (arrival: Arrival) => Promise<Reception> {
  const queue: Waiting[] = [];
  let bytes = 0;
  let inFlight = 0;
  let flushing = false;

  async function flush(): Promise<void> {
    flushing = true;
    // One turn of the event loop lets the requests that are readable now come along.
    await new Promise((resolve) => setImmediate(resolve));
    while (queue.length > 0) {
      const batch = queue.splice(0, deps.limits.together);
      await take(batch).catch((error: unknown) => failed(batch, error));
      for (const waiting of batch) bytes -= waiting.bytes;
      inFlight -= batch.length;
    }
    flushing = false;
  }

  async function failed(batch: readonly Waiting[], error: unknown): Promise<void> {
    if (batch.length === 1 || !isAboutData(error)) {
      for (const waiting of batch) waiting.reject(error);
      return;
    }
    // One arrival that the database will not hold must not turn away those that came with it.
    for (const waiting of batch) {
      await take([waiting]).catch((ownError: unknown) => waiting.reject(ownError));
    }
  }

  async function take(batch: readonly Waiting[]): Promise<void> {
    const now = deps.clock.now();
    const subscriptions = await deps.byTokenHashes(batch.map((waiting) => waiting.tokenHash));
    const receptions = await Promise.all(
      batch.map((waiting) => judge(waiting, subscriptions.get(waiting.tokenHash.toString('hex')), now)),
    );
    const events = receptions.flatMap((reception) => reception.events);
    if (events.length > 0) await deps.accept(events, lanesOf(events), now);
    for (const [index, waiting] of batch.entries()) waiting.resolve(receptions[index]?.reception ?? 'busy');
  }

  return (arrival) => {
    if (inFlight >= deps.limits.waiting || bytes + arrival.bytes > deps.limits.bytes) {
      return Promise.resolve('busy');
    }
    inFlight += 1;
    bytes += arrival.bytes;
    const taken = new Promise<Reception>((resolve, reject) => queue.push({ ...arrival, resolve, reject }));
    if (!flushing) void flush();
    return taken;
  };
}

async function judge(
  arrival: Arrival,
  subscription: FoundByToken | undefined,
  now: Date,
): Promise<{ reception: Reception; events: NewEvent[] }> {
  const refuse = (reception: Reception) => ({ reception, events: [] });
  if (!subscription) return refuse('unknown token');
  if (subscription.state === 'ended') {
    return refuse(isStillGone(subscription, now) ? 'removed' : 'unknown token');
  }
  const trust = await arrival.trusted(subscription);
  if (trust !== 'yes') return refuse(trust === 'no' ? 'wrong signature' : 'busy');
  if (arrival.notifications.length === 0) return { reception: 'stored', events: [] };
  const own = arrival.notifications.filter((notification) => isIts(notification, subscription));
  if (own.length === 0) return refuse('other subscription');
  return { reception: 'stored', events: own.map((notification) => eventOf(subscription, notification)) };
}

/** Whether a notification names the record that its callback token was given to; while that is not known, any is believed. */
function isIts({ serviceSubscriptionId: id }: Notification, { recordId }: FoundByToken): boolean {
  return id === null || recordId === null || id === recordId;
}

/** Whether a removed subscription's callback still says so, instead of pretending that it never was. */
export function isStillGone(subscription: Pick<Subscription, 'endedAt'>, now: Date): boolean {
  return (
    subscription.endedAt !== null &&
    now.getTime() - subscription.endedAt.getTime() <= goneForDays * 24 * 3_600_000
  );
}

function eventOf(subscription: Subscription, notification: Notification): NewEvent {
  return {
    subscriptionId: subscription.id,
    enterpriseId: subscription.enterpriseId,
    teamId: subscription.teamId,
    channelId: subscription.channelId,
    notification,
    fingerprint: fingerprintOf(notification),
    held: heldBecause(subscription),
  };
}

function heldBecause(subscription: Subscription): NewEvent['held'] {
  if (subscription.state === 'paused') return 'paused';
  return subscription.delivery.when === 'live' ? null : 'digest';
}

/** What one change has in common whichever subscription saw it: resource, type, actor, name and path. */
export function fingerprintOf(event: Notification): string {
  const parts = [
    event.projectId ?? event.sessionId,
    event.itemId,
    event.resourceType,
    event.eventType,
    event.actorEmail?.toLowerCase() ?? null,
    event.name,
    event.path?.replace(/^\/+|\/+$/g, '') ?? null,
  ];
  return createHash('sha256').update(JSON.stringify(parts)).digest('hex').slice(0, 32);
}

function lanesOf(events: readonly NewEvent[]): Channel[] {
  const lanes = new Map<string, Channel>();
  for (const { held, enterpriseId, teamId, channelId } of events) {
    if (held === null) lanes.set(`${teamId}/${channelId}`, { enterpriseId, teamId, channelId });
  }
  return [...lanes.values()];
}

/** Postgres' classes of errors that lie in what was sent, not in the server: data exceptions and violated constraints. */
function isAboutData(error: unknown): boolean {
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  return code.startsWith('22') || code.startsWith('23');
}
