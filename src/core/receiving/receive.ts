import { hash } from 'node:crypto';
import type pg from 'pg';
import { dayMs } from '../../lib/durations.ts';
import { codeOf } from '../../lib/error-code.ts';
import { trimSlashes } from '../../lib/text.ts';
import { type Addressee, acceptEvents, type NewEvent } from '../../store/tables/accept-events.ts';
import { byTokens, type FoundByToken } from '../../store/tables/remotes.ts';
import type { Bot } from '../bot.ts';
import { rememberedKeys } from '../model/items.ts';
import type { LoggedSubscription } from '../model/log-fields.ts';
import type { Notification } from '../model/notification.ts';
import type { Channel } from '../model/people.ts';

/** The parsed request to a callback URL. */
export type Arrival = {
  /** SHA-256 of the callback token. */
  readonly tokenHash: Buffer;
  readonly notifications: readonly Notification[];
  /** Bytes held in memory until it is stored. */
  readonly bytes: number;
  /** Called before it is stored: returns why the request's signature cannot be trusted. Null if signatures are not checked. */
  readonly refuse: ((found: FoundByToken) => Promise<'wrong signature' | 'busy' | null>) | null;
};

/** The result of a request. Only `stored` is answered with 200, and only after the commit. */
export type Reception =
  /** `others`: how many of the notifications are of another subscription, and not stored. */
  | { readonly kind: 'stored'; readonly subscription: LoggedSubscription; readonly others: number }
  | {
      readonly kind:
        | 'unknown token'
        | 'removed'
        | 'other subscription'
        | 'not a notification'
        | 'wrong signature'
        | 'busy';
    };

type ReceiveDeps = Pick<Bot, 'clock' | 'db'> & {
  /** Connections for nothing else. */
  readonly pool: pg.Pool;
  /** Called with lanes in which new events are pending. */
  readonly wake: (lanes: readonly Channel[]) => void;
  /** Counts new events. */
  readonly counted: (events: number) => void;
};

/** How long the callback of a removed subscription keeps answering 410. */
const goneForDays = 30;

/**
 * `waiting`, `bytes`: arrivals that can wait for a commit at once, and their bytes; further ones are answered with `busy`. `inTransaction`,
 * `events`: the most arrivals and notifications in one transaction, unless a single arrival has more.
 */
const limits = { waiting: 5_000, bytes: 64 * 1024 * 1024, inTransaction: 500, events: 1_000 };
/** Concurrent transactions, so one can be read and written while another is being committed. */
const transactionsAtOnce = 2;
/** Processes that receive the same notifications in different orders wait for each other's rows, and Postgres cancels one, which tries again. */
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
 * Accepts notifications. Those that arrive while a transaction is being committed share the next one, so there are few transactions under
 * load and no delay without it. What waits is in memory: it was not answered yet.
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
    const batch = queue.splice(0, batchSize(queue));
    underWay.push(batch);
    try {
      const receptionOf = await take(deps, batch);
      for (const arrival of batch) arrival.resolve(receptionOf(arrival));
    } catch (error) {
      for (const { reject } of batch) reject(error);
    }
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

  return (arrival) => {
    if (waiting >= limits.waiting || bytes + arrival.bytes > limits.bytes) {
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

/** Returns how many arrivals the next transaction takes: at least one, and only as many as stay within the limit on events. */
function batchSize(queue: readonly Arrival[]): number {
  let events = 0;
  const most = Math.min(queue.length, limits.inTransaction);
  for (let size = 0; size < most; size += 1) {
    events += queue[size]?.notifications.length ?? 0;
    if (size > 0 && events > limits.events) return size;
  }
  return most;
}

/** Stores in one transaction what is not refused. Returns the result of each arrival. */
async function take(
  deps: ReceiveDeps,
  arrivals: readonly Arrival[],
  triesLeft = triesAfterConflict,
): Promise<(arrival: Arrival) => Reception> {
  try {
    const now = deps.clock.now();
    const refused = await refusals(deps, arrivals, now);
    const believed = arrivals.filter((arrival) => !refused.has(arrival));
    const hashes = believed.map(({ tokenHash }) => tokenHash);
    const accepted =
      believed.length === 0 ? null : await acceptEvents(deps.pool, believed.flatMap(eventsOf), hashes, now);
    deps.counted(accepted?.added ?? 0);
    deps.wake(accepted?.lanes ?? []);
    return (arrival) => {
      const addressee = accepted?.addressees.get(arrival.tokenHash.toString('hex'));
      return refused.get(arrival) ?? receptionOf(arrival, addressee, now);
    };
  } catch (error) {
    if (!isConflict(error) || triesLeft === 0) throw error;
    return take(deps, arrivals, triesLeft - 1);
  }
}

/** Returns the arrivals to refuse because of their signature. Makes no query if signatures are not checked. */
async function refusals(
  { db }: ReceiveDeps,
  arrivals: readonly Arrival[],
  now: Date,
): Promise<ReadonlyMap<Arrival, Reception>> {
  const judged = arrivals.filter(({ refuse }) => refuse !== null);
  if (judged.length === 0) return new Map();
  const hashes = judged.map(({ tokenHash }) => tokenHash);
  const found = await byTokens(db, hashes, now);
  const refused = judged.map(async (arrival): Promise<[Arrival, Reception] | null> => {
    const subscription = found.get(arrival.tokenHash.toString('hex'));
    if (!subscription || subscription.state === 'ended') return null;
    const kind = await arrival.refuse?.(subscription);
    return kind ? [arrival, { kind }] : null;
  });
  return new Map((await Promise.all(refused)).filter((entry) => entry !== null));
}

function receptionOf({ notifications }: Arrival, addressee: Addressee | undefined, now: Date): Reception {
  if (!addressee) return { kind: 'unknown token' };
  if (addressee.state === 'ended') {
    return { kind: isStillGone(addressee, now) ? 'removed' : 'unknown token' };
  }
  const others = notifications.filter((notification) => !isAddressedTo(notification, addressee)).length;
  return others === 0 || others < notifications.length
    ? { kind: 'stored', subscription: addressee, others }
    : { kind: 'other subscription' };
}

/** Returns whether a notification names the remote subscription that its callback token belongs to. Until that is known, any is accepted. */
function isAddressedTo({ serviceSubscriptionId: id }: Notification, { recordId }: Addressee): boolean {
  return id === null || recordId === null || id === recordId;
}

/** Returns the state of a callback's token, for callers that only ask whether the URL works. */
export async function stateOfToken(
  { clock, db }: Pick<Bot, 'clock' | 'db'>,
  hash: Buffer,
): Promise<'live' | 'removed' | 'unknown'> {
  const now = clock.now();
  const found = (await byTokens(db, [hash], now)).get(hash.toString('hex'));
  if (!found) return 'unknown';
  if (found.state !== 'ended') return 'live';
  return isStillGone(found, now) ? 'removed' : 'unknown';
}

/** Returns whether a removed subscription's callback still answers that it is gone, instead of that it is unknown. */
function isStillGone({ endedAt }: Pick<FoundByToken, 'endedAt'>, now: Date): boolean {
  return endedAt !== null && now.getTime() - endedAt.getTime() <= goneForDays * dayMs;
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
