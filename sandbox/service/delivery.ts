import { setMaxListeners } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import type { PracticeLog } from './log.ts';
import type { NotificationBody } from './notifications.ts';
import { PracticeError } from './practice-error.ts';
import type { Outgoing, Send } from './sender.ts';
import { signatureHeader } from './signature.ts';
import type { Subscription } from './subscriptions.ts';
import type { SwitchBoard } from './switches.ts';

export type Attempt = {
  at: Date;
  /** null: no response; `answer` then says why. */
  status: number | null;
  answer: string;
};

/** One request to a Uri, with all its attempts. */
export type Delivery = Readonly<Outgoing> & {
  readonly id: number;
  readonly subscriptionId: number;
  /** The notifications in the body; empty for a raw one. */
  readonly notifications: readonly NotificationBody[];
  readonly attempts: readonly Attempt[];
  readonly state: 'waiting' | 'received' | 'failed';
};

export type Notified = { subscription: Subscription; notification: NotificationBody };

export type RawOptions = {
  method?: string | undefined;
  headers?: Record<string, string> | undefined;
  /** Signs with the subscription's Key as switched; default true. */
  sign?: boolean | undefined;
};

export type Deliveries = {
  /** Sends the notifications of one action, as switched; returns immediately. */
  push(notified: readonly Notified[]): void;
  /** Holds notifications from now on. */
  hold(): void;
  /** Sends all held notifications together and stops holding. */
  release(): void;
  /** Resolves when every notification that is not held has been answered or given up. */
  settled(): Promise<void>;
  /** Sends one request once, ignoring all switches but the signature. Throws if there is no response. */
  raw(
    subscription: Subscription,
    body: unknown,
    options?: RawOptions,
  ): Promise<{ status: number; body: string }>;
  /** All deliveries so far, oldest first. */
  all(): readonly Delivery[];
  close(): void;
};

type Deps = {
  switches: SwitchBoard;
  log: PracticeLog;
  now: () => Date;
  send: Send;
  /** Returns 0 to below 1; used for shuffling. */
  random: () => number;
};

/** The queue of one subscription, read by index because shifting a long array is slow. */
type Lane = { queue: Growing[]; next: number; active: number };

type Growing = { -readonly [K in keyof Delivery]: Delivery[K] } & { attempts: Attempt[] };

/** Most notifications in one array. */
const ARRAY_MOST = 100;

/** Creates the sender of notifications: one lane per subscription, each with its own order, retries and duplicates. */
export function makeDeliveries({ switches, log, now, send, random }: Deps): Deliveries {
  const all: Growing[] = [];
  const lanes = new Map<number, Lane>();
  const stop = new AbortController();
  // Every waiting delivery adds a listener; Node warns from the eleventh.
  setMaxListeners(0, stop.signal);
  let waiting: Notified[] = [];
  let held = false;
  let flushing = false;
  let open = 0;
  let idle: (() => void)[] = [];

  function scheduleFlush(): void {
    if (held || flushing || waiting.length === 0) return;
    flushing = true;
    // Notifications of the same tick are sent together, so that shuffling and arrays have an effect.
    setImmediate(() => {
      flushing = false;
      if (!held && !stop.signal.aborted) flush();
      wakeIfIdle();
    });
  }

  function flush(): void {
    const batch = waiting;
    waiting = [];
    const copies = 1 + Math.max(0, switches.get('duplicates'));
    const planned = requestsOf(batch).flatMap((made) => Array.from({ length: copies }, () => made()));
    const ordered = inOrder(planned);
    open += ordered.length;
    for (const delivery of ordered) all.push(delivery);
    const lateness = switches.get('latenessMs');
    if (lateness > 0) void later(lateness, () => enqueue(ordered));
    else enqueue(ordered);
  }

  async function later(ms: number, then: () => void): Promise<void> {
    await sleep(ms, undefined, { signal: stop.signal }).catch(() => undefined);
    if (!stop.signal.aborted) then();
  }

  function requestsOf(batch: readonly Notified[]): (() => Growing)[] {
    if (switches.get('callbackShape') === 'object') {
      return batch.map(
        ({ subscription, notification }) =>
          () =>
            prepare(subscription, [notification]),
      );
    }
    const bySubscription = Map.groupBy(batch, ({ subscription }) => subscription);
    return [...bySubscription].flatMap(([subscription, notified]) =>
      inChunks(notified.map(({ notification }) => notification)).map(
        (chunk) => () => prepare(subscription, chunk),
      ),
    );
  }

  function prepare(subscription: Subscription, notifications: readonly NotificationBody[]): Growing {
    const body = JSON.stringify(
      switches.get('callbackShape') === 'object' ? notifications[0] : notifications,
    );
    return {
      id: 0,
      subscriptionId: subscription.id,
      uri: subscription.uri,
      method: switches.get('callbackMethod'),
      headers: { ...contentType(), ...signatureHeader(subscription.key, body, switches) },
      body,
      notifications,
      attempts: [],
      state: 'waiting',
    };
  }

  function contentType(): Record<string, string> {
    const type = switches.get('callbackContentType');
    return type === 'none' ? {} : { 'content-type': type };
  }

  function inOrder(deliveries: Growing[]): Growing[] {
    const ordered = orderedBy(switches.get('order'), deliveries, random);
    for (const [at, delivery] of ordered.entries()) delivery.id = all.length + at + 1;
    return ordered;
  }

  function enqueue(deliveries: readonly Growing[]): void {
    for (const delivery of deliveries) {
      const lane = lanes.get(delivery.subscriptionId) ?? { queue: [], next: 0, active: 0 };
      lanes.set(delivery.subscriptionId, lane);
      lane.queue.push(delivery);
    }
    for (const id of new Set(deliveries.map(({ subscriptionId }) => subscriptionId))) pump(id);
  }

  function pump(subscriptionId: number): void {
    const lane = lanes.get(subscriptionId);
    while (lane && lane.active < Math.max(1, switches.get('inFlight'))) {
      const delivery = lane.queue[lane.next];
      if (!delivery) {
        lane.queue = [];
        lane.next = 0;
        return;
      }
      lane.next += 1;
      lane.active += 1;
      void deliver(delivery).finally(() => {
        lane.active -= 1;
        open -= 1;
        pump(subscriptionId);
        wakeIfIdle();
      });
    }
  }

  async function deliver(delivery: Growing): Promise<void> {
    while (!stop.signal.aborted) {
      const received = await attempt(delivery);
      if (received || delivery.attempts.length > switches.get('retries')) {
        delivery.state = received ? 'received' : 'failed';
        return;
      }
      await later(switches.get('retryDelayMs'), () => undefined);
    }
  }

  async function attempt(delivery: Growing): Promise<boolean> {
    const at = now();
    const { uri, method, headers, body } = delivery;
    const answer = await send({ uri, method, headers, body }).catch((error: unknown) => ({
      status: null,
      body: error instanceof Error ? error.message : 'no answer',
    }));
    const received = counts(answer.status, answer.body);
    delivery.attempts.push({ at, status: answer.status, answer: answer.body });
    log.add({
      type: 'delivery',
      at,
      subscriptionId: delivery.subscriptionId,
      deliveryId: delivery.id,
      attempt: delivery.attempts.length,
      body,
      status: answer.status,
      received,
    });
    return received;
  }

  function counts(status: number | null, body: string): boolean {
    if (status === null) return false;
    switch (switches.get('callbackSuccess')) {
      case 'any 2xx':
        return status >= 200 && status < 300;
      case '200 only':
        return status === 200;
      case '200 with JSON':
        return status === 200 && isJson(body);
    }
  }

  function isBusy(): boolean {
    return open > 0 || flushing || (!held && waiting.length > 0);
  }

  function wakeIfIdle(): void {
    if (isBusy() && !stop.signal.aborted) return;
    const wake = idle;
    idle = [];
    for (const resolve of wake) resolve();
  }

  return {
    push(notified) {
      if (stop.signal.aborted) return;
      for (const one of notified) waiting.push(one);
      scheduleFlush();
    },
    hold() {
      held = true;
    },
    release() {
      held = false;
      scheduleFlush();
    },
    settled: () =>
      new Promise((resolve) => {
        idle.push(resolve);
        wakeIfIdle();
      }),
    raw(subscription, body, { method, headers, sign = true } = {}) {
      const text = typeof body === 'string' ? body : JSON.stringify(body);
      if (text === undefined) throw new PracticeError('invalid', 'There is nothing to send.');
      return send({
        uri: subscription.uri,
        method: method ?? switches.get('callbackMethod'),
        headers: {
          ...contentType(),
          ...(sign ? signatureHeader(subscription.key, text, switches) : {}),
          ...headers,
        },
        body: text,
      });
    },
    all: () => all,
    close() {
      stop.abort();
      waiting = [];
      wakeIfIdle();
    },
  };
}

function orderedBy<T>(
  order: 'kept' | 'reversed' | 'shuffled',
  things: readonly T[],
  random: () => number,
): T[] {
  if (order === 'kept') return [...things];
  if (order === 'reversed') return things.toReversed();
  return things
    .map((thing) => ({ thing, place: random() }))
    .sort((one, other) => one.place - other.place)
    .map(({ thing }) => thing);
}

function inChunks<T>(things: readonly T[]): T[][] {
  return Array.from({ length: Math.ceil(things.length / ARRAY_MOST) }, (_, at) =>
    things.slice(at * ARRAY_MOST, (at + 1) * ARRAY_MOST),
  );
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
