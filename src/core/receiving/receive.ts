import { hash } from 'node:crypto';
import { dayMs } from '../../lib/durations.ts';
import { codeOf, isDataError } from '../../lib/error-code.ts';
import { trimSlashes } from '../../lib/trim-slashes.ts';
import type { AcceptEvents, Addressee, NewEvent } from '../../store/tables/accept-events.ts';
import type { FoundByToken } from '../../store/tables/subscription-row.ts';
import type { Clock } from '../model/clock.ts';
import { rememberedKeys } from '../model/item-keys.ts';
import type { LoggedSubscription } from '../model/log-fields.ts';
import type { Notification } from '../model/notification.ts';

/** What is known of the subscription behind a callback URL. */
export type Receiver = LoggedSubscription & Pick<FoundByToken, 'sealedKey' | 'recordId' | 'replaced'>;

/** `not yet`: the Key to check with has not arrived with the answer to the create request yet, or cannot be opened here. */
export type Trust = 'yes' | 'no' | 'not yet';

/** The parsed request to a callback URL. */
export type Arrival = {
  /** SHA-256 of the callback token. */
  readonly tokenHash: Buffer;
  readonly notifications: readonly Notification[];
  /** Bytes held in memory until it is stored. */
  readonly bytes: number;
  /** Called before it is stored: returns whether the request's signature can be trusted. Null if signatures are not checked. */
  readonly trusted: ((subscription: Receiver) => Promise<Trust>) | null;
};

/** The result of a request. Only `stored` is answered with 200, and only after the commit. */
export type Reception =
  | { readonly kind: 'stored'; readonly subscription: LoggedSubscription }
  | {
      readonly kind:
        | 'unknown token'
        | 'removed'
        | 'other subscription'
        | 'not a notification'
        | 'wrong signature'
        | 'busy';
    };

type ReceiveDeps = {
  readonly clock: Clock;
  readonly byTokenHashes: (hashes: readonly Buffer[], now: Date) => Promise<Map<string, FoundByToken>>;
  /** Stores events; settles once they are committed. */
  readonly accept: AcceptEvents;
  readonly limits: {
    /** Arrivals that can wait for a commit at once; further ones are answered with `busy`. */
    readonly waiting: number;
    /** Bytes that can wait for a commit at once. */
    readonly bytes: number;
    /** The most arrivals in one transaction. */
    readonly inTransaction: number;
    /** The most notifications in one transaction, unless a single arrival has more. */
    readonly events: number;
  };
};

/** How long the callback of a removed subscription keeps answering 410. */
const goneForDays = 30;

/** Concurrent transactions, so one can be read and written while another is being committed. */
const transactionsAtOnce = 2;
/**
 * Two processes that receive the same notifications in different orders wait for each other's rows. Postgres cancels one transaction,
 * which is retried.
 */
const triesAfterConflict = 3;
/** Queued arrivals that justify the cost of a second concurrent transaction. */
const worthAnother = 16;
/** Every arrival is settled within the sum of these, in milliseconds, whatever the database does. `check`: how often to look. */
const settled = { after: 2_100, check: 100 };

type WaitingArrival = Arrival & {
  /** Monotonic time in milliseconds. */
  readonly since: number;
  readonly resolve: (reception: Reception) => void;
  readonly reject: (error: unknown) => void;
};

/**
 * Accepts notifications. Those that arrive while a transaction is being committed share the next one, so the database sees as few
 * transactions as the load allows, and none waits for a timer when it is quiet.
 * @returns a function that settles once the arrival is durable or refused, and rejects if it could not be stored or not within 2.2 s
 */
export function makeReceive(deps: ReceiveDeps): (arrival: Arrival) => Promise<Reception> {
  const queue: WaitingArrival[] = [];
  let bytes = 0;
  let waiting = 0;
  const underWay: (readonly WaitingArrival[])[] = [];
  let gathering = false;
  let checking = false;

  /** Waits one turn of the event loop, so requests that are readable now join the batch. */
  function gather(): void {
    if (gathering) return;
    gathering = true;
    setImmediate(() => {
      gathering = false;
      while (queue.length > 0 && (underWay.length === 0 || isWorthOne())) void store();
    });
  }

  /** While one transaction is being committed, another one is only worth it for many arrivals. */
  function isWorthOne(): boolean {
    return underWay.length < transactionsAtOnce && queue.length >= worthAnother;
  }

  async function store(): Promise<void> {
    const batch = queue.splice(0, batchSize());
    underWay.push(batch);
    await take(batch).catch((error: unknown) => failed(batch, error));
    underWay.splice(underWay.indexOf(batch), 1);
    for (const arrival of batch) bytes -= arrival.bytes;
    waiting -= batch.length;
    if (queue.length > 0) gather();
  }

  /**
   * Rejects arrivals that have waited too long; they may still be stored. One timer serves all: with one each, finished requests would stay
   * in memory until a full garbage collection.
   */
  function rejectLate(): void {
    const before = performance.now() - settled.after;
    const late = new Error('no answer in time');
    for (const arrivals of [...underWay, queue]) {
      for (const { since, reject } of arrivals) if (since <= before) reject(late);
    }
  }

  function checkLater(): void {
    if (checking || waiting === 0) return;
    checking = true;
    setTimeout(() => {
      checking = false;
      rejectLate();
      checkLater();
    }, settled.check);
  }

  /** Returns how many arrivals the next transaction takes: at least one, and only as many as stay within the limit on events. */
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
    // One arrival that the database cannot store must not fail the others in its batch.
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

  /** Returns the arrivals to refuse because of their signature. Makes no query if signatures are not checked. */
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
    checkLater();
    const since = performance.now();
    const taken = new Promise<Reception>((resolve, reject) =>
      queue.push({ ...arrival, since, resolve, reject }),
    );
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
    return { kind: 'stored', subscription: addressee };
  }
  return { kind: 'other subscription' };
}

/** Returns whether a notification names the remote subscription that its callback token belongs to. Until that is known, any is accepted. */
function isIts({ serviceSubscriptionId: id }: Notification, { recordId }: Addressee): boolean {
  return id === null || recordId === null || id === recordId;
}

/** Returns whether a removed subscription's callback still answers that it is gone, instead of that it is unknown. */
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

/** Returns a hash of what one change has in common in all subscriptions that receive it: resource, type, actor, name and path. */
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

/** Postgres: a deadlock or a serialization failure. Nothing of the transaction was stored. */
function isConflict(error: unknown): boolean {
  return codeOf(error) === '40P01' || codeOf(error) === '40001';
}
