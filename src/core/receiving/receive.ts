import { hash } from 'node:crypto';
import { dayMs } from '../../lib/durations.ts';
import { codeOf, isDataError } from '../../lib/error-code.ts';
import { trimSlashes } from '../../lib/trim-slashes.ts';
import type { AcceptEvents, Addressee, NewEvent } from '../../store/tables/accept-events.ts';
import type { FoundByToken } from '../../store/tables/subscription-row.ts';
import type { Clock } from '../model/clock.ts';
import { rememberedKeys } from '../model/item-keys.ts';
import type { Notification } from '../model/notification.ts';

/** What is known of the subscription behind a callback address. */
export type Receiver = Pick<FoundByToken, 'id' | 'sealedKey' | 'recordId' | 'replaced'>;

/** `not yet`: what it would be checked with is still on its way, in the answer to the create request, or cannot be opened here. */
export type Trust = 'yes' | 'no' | 'not yet';

/** What came in at a callback address, read. */
export type Arrival = {
  /** SHA-256 of the callback token. */
  readonly tokenHash: Buffer;
  readonly notifications: readonly Notification[];
  /** Bytes held while it waits to be stored. */
  readonly bytes: number;
  /** Asked before it is stored whether the request's signature is to be believed; null where all are. */
  readonly trusted: ((subscription: Receiver) => Promise<Trust>) | null;
};

/** How an arrival was taken. Only `stored` is answered with 200, and only after the commit. */
export type Reception =
  | { readonly kind: 'stored'; readonly subscriptionId: string }
  | {
      readonly kind:
        | 'unknown token'
        | 'removed'
        | 'other subscription'
        | 'not a notification'
        | 'wrong signature'
        | 'busy';
    };

export type ReceiveDeps = {
  readonly clock: Clock;
  readonly byTokenHashes: (hashes: readonly Buffer[], now: Date) => Promise<Map<string, FoundByToken>>;
  /** Stores events; settles once they are committed. */
  readonly accept: AcceptEvents;
  readonly limits: {
    /** Arrivals that may wait for a commit at once; more are sent away. */
    readonly waiting: number;
    /** Bytes that may wait for a commit at once. */
    readonly bytes: number;
    /** Arrivals in one transaction. */
    readonly inTransaction: number;
    /** Notifications in one transaction, beyond those of one arrival. */
    readonly events: number;
  };
};

/** For how long a removed subscription's callback still answers that it is gone. */
const goneForDays = 30;

/** Transactions under way at once, so that the next is being read and written while one is being committed. */
const transactionsAtOnce = 2;
/** Two processes that are sent the same notifications in different orders wait for each other's rows: Postgres cancels one of them, which is tried again. */
const triesAfterConflict = 3;
/** Arrivals for which a second one is worth what each costs. */
const worthAnother = 16;

type WaitingArrival = Arrival & {
  readonly resolve: (reception: Reception) => void;
  readonly reject: (error: unknown) => void;
};

/**
 * Takes notifications in. Those that arrive while a transaction is being committed share the next one, so that the database is asked
 * as seldom as the load allows, and nobody waits for a timer when it is quiet.
 * @returns a function that settles once the arrival is durable or refused, and rejects where it could not be stored.
 */
export function makeReceive(deps: ReceiveDeps): (arrival: Arrival) => Promise<Reception> {
  const queue: WaitingArrival[] = [];
  let bytes = 0;
  let waiting = 0;
  let underWay = 0;
  let gathering = false;

  /** One turn of the event loop lets the requests that are readable now come along. */
  function gather(): void {
    if (gathering) return;
    gathering = true;
    setImmediate(() => {
      gathering = false;
      while (queue.length > 0 && (underWay === 0 || isWorthOne())) void store();
    });
  }

  /** While one transaction is being committed, another is only worth it for many. */
  function isWorthOne(): boolean {
    return underWay < transactionsAtOnce && queue.length >= worthAnother;
  }

  async function store(): Promise<void> {
    const batch = queue.splice(0, batchSize());
    underWay += 1;
    await take(batch).catch((error: unknown) => failed(batch, error));
    underWay -= 1;
    for (const arrival of batch) bytes -= arrival.bytes;
    waiting -= batch.length;
    if (queue.length > 0) gather();
  }

  /** How many arrivals the next transaction takes: one at least, and together not many more events than the longest body holds. */
  function batchSize(): number {
    let events = 0;
    const most = Math.min(queue.length, deps.limits.inTransaction);
    for (let size = 0; size < most; size += 1) {
      events += queue[size]?.notifications.length ?? 0;
      if (size > 0 && events > deps.limits.events) return size;
    }
    return most;
  }

  async function failed(
    batch: readonly WaitingArrival[],
    error: unknown,
    triesLeft = triesAfterConflict,
  ): Promise<void> {
    if (isConflict(error) && triesLeft > 0) {
      await take(batch).catch((again: unknown) => failed(batch, again, triesLeft - 1));
      return;
    }
    if (batch.length === 1 || !isDataError(error)) {
      for (const waiting of batch) waiting.reject(error);
      return;
    }
    // One arrival that the database will not hold must not turn away those that came with it.
    for (const waiting of batch) {
      await take([waiting]).catch((ownError: unknown) => waiting.reject(ownError));
    }
  }

  async function take(batch: readonly WaitingArrival[]): Promise<void> {
    const now = deps.clock.now();
    const refused = await refusals(batch, now);
    const believed = batch.filter((waiting) => !refused.has(waiting));
    const accepted =
      believed.length === 0
        ? null
        : await deps.accept(
            believed.flatMap(eventsOf),
            believed.map(({ tokenHash }) => tokenHash),
            now,
          );
    for (const waiting of batch) {
      const addressee = accepted?.addressees.get(waiting.tokenHash.toString('hex'));
      waiting.resolve(refused.get(waiting) ?? receptionOf(waiting, addressee, now));
    }
  }

  /** Those whose signature is not to be believed. Nothing is asked of the database where signatures are not looked at. */
  async function refusals(
    batch: readonly WaitingArrival[],
    now: Date,
  ): Promise<ReadonlyMap<WaitingArrival, Reception>> {
    const judged = batch.filter(({ trusted }) => trusted !== null);
    if (judged.length === 0) return new Map();
    const hashes = judged.map(({ tokenHash }) => tokenHash);
    const found = await deps.byTokenHashes(hashes, now);
    const refused = judged.map(async (waiting): Promise<[WaitingArrival, Reception] | null> => {
      const subscription = found.get(waiting.tokenHash.toString('hex'));
      if (!subscription || subscription.state === 'ended') return null;
      const trust = (await waiting.trusted?.(subscription)) ?? 'yes';
      if (trust === 'yes') return null;
      return [waiting, { kind: trust === 'no' ? 'wrong signature' : 'busy' }];
    });
    return new Map((await Promise.all(refused)).filter((entry) => entry !== null));
  }

  return (arrival) => {
    if (waiting >= deps.limits.waiting || bytes + arrival.bytes > deps.limits.bytes) {
      return Promise.resolve({ kind: 'busy' });
    }
    waiting += 1;
    bytes += arrival.bytes;
    const taken = new Promise<Reception>((resolve, reject) => queue.push({ ...arrival, resolve, reject }));
    gather();
    return taken;
  };
}

function receptionOf({ notifications }: Arrival, addressee: Addressee | undefined, now: Date): Reception {
  if (!addressee) return { kind: 'unknown token' };
  if (addressee.state === 'ended') {
    return { kind: isStillGone(addressee, now) ? 'removed' : 'unknown token' };
  }
  if (notifications.length === 0 || notifications.some((notification) => isIts(notification, addressee))) {
    return { kind: 'stored', subscriptionId: addressee.subscriptionId };
  }
  return { kind: 'other subscription' };
}

/** Whether a notification names the remote subscription that its callback token was given to; while that is not known, any is believed. */
function isIts({ serviceSubscriptionId: id }: Notification, { recordId }: Addressee): boolean {
  return id === null || recordId === null || id === recordId;
}

/** Whether a removed subscription's callback still says so, instead of pretending that it never was. */
export function isStillGone(subscription: Pick<FoundByToken, 'endedAt'>, now: Date): boolean {
  return (
    subscription.endedAt !== null && now.getTime() - subscription.endedAt.getTime() <= goneForDays * dayMs
  );
}

function eventsOf({ tokenHash, notifications }: Arrival): NewEvent[] {
  return notifications.map((notification) => ({
    tokenHash,
    notification,
    fingerprint: fingerprintOf(notification),
    itemKeys: rememberedKeys(notification),
  }));
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
    event.path === null ? null : trimSlashes(event.path),
  ];
  return hash('sha256', JSON.stringify(parts)).slice(0, 32);
}

/** Postgres: a deadlock, or a transaction that cannot be put in a row with others. Nothing of it was stored. */
function isConflict(error: unknown): boolean {
  return codeOf(error) === '40P01' || codeOf(error) === '40001';
}
