import { fieldsOf } from '../slack/json.ts';
import type { EventRow } from './bot-database.ts';

/** The number of notifications in each state. Each is counted once, however often it was sent. */
export type Tally = {
  /** Created by the service. */
  readonly made: number;
  /** Answered with 200 by the bot. */
  readonly accepted: number;
  readonly posted: number;
  readonly filtered: number;
  /** Accepted, but not yet due or not yet posted. */
  readonly waiting: number;
  readonly dead: number;
  /** Accepted, but not in the bot's database. */
  readonly lost: number;
  /** Messages in Slack that show the posted ones. */
  readonly messages: number;
};

/** One event as the page lists it. */
export type LedgerRow = Pick<
  EventRow,
  'seq' | 'state' | 'reason' | 'receivedAt' | 'postedAt' | 'channelId'
> & {
  /** `Create`, … in the service's words; undefined if the service's own record is unknown. */
  readonly eventType: string | undefined;
  /** The name of the file it is about. */
  readonly name: string | undefined;
};

/** What was sent and where it is now, from the service's records and the bot's database. */
export type Account = {
  readonly all: Tally;
  /** By the name of the run: the effect of one action on the page. */
  readonly runs: ReadonlyMap<string, Tally>;
  /** The latest, newest first. */
  readonly latest: readonly LedgerRow[];
};

/** The fields of a delivery that are counted. */
type Sent = {
  readonly subscriptionId: number;
  readonly state: 'waiting' | 'received' | 'failed';
  readonly notifications: readonly Readonly<Record<string, unknown>>[];
};

/** Deliveries from `from` up to `to`, by their position in the service's list. */
type Stretch = { readonly from: number; readonly to: number };

/** The deliveries of one action in one channel. */
export type Run = Stretch & { readonly channelId: string };

const latestShown = 40;

/** Counts what was sent and what the bot did with it. */
export function accountOf(
  deliveries: readonly Sent[],
  rows: readonly EventRow[],
  runs: ReadonlyMap<string, Run>,
): Account {
  const byKey = Map.groupBy(rows, (row) => `${row.serviceSubscriptionId} ${row.notificationId}`);
  const channels = channelsOf(rows);
  const tallyOf = ({ from, to, channelId }: Stretch & Partial<Run>): Tally => {
    const isWanted = (subscriptionId: number): boolean =>
      channelId === undefined || channels.get(subscriptionId)?.has(channelId) === true;
    return tally(deliveries.slice(from, to), { byKey, isWanted });
  };
  const latest = rows.slice(-latestShown).reverse();
  const wanted = new Set(latest.map((row) => `${row.serviceSubscriptionId} ${row.notificationId}`));
  const facts = factsOf(deliveries, wanted);
  return {
    all: tallyOf({ from: 0, to: deliveries.length }),
    runs: new Map([...runs].map(([name, run]) => [name, tallyOf(run)])),
    latest: latest.map((row) => {
      const { seq, state, reason, receivedAt, postedAt, channelId } = row;
      const known = facts.get(`${row.serviceSubscriptionId} ${row.notificationId}`);
      return {
        seq,
        state,
        reason,
        receivedAt,
        postedAt,
        channelId,
        eventType: known?.type,
        name: known?.name,
      };
    }),
  };
}

/** Returns the channels that each subscription at the service feeds, according to the bot's table. */
function channelsOf(rows: readonly EventRow[]): Map<number, Set<string>> {
  const channels = new Map<number, Set<string>>();
  for (const { serviceSubscriptionId, channelId } of rows) {
    channels.set(serviceSubscriptionId, (channels.get(serviceSubscriptionId) ?? new Set()).add(channelId));
  }
  return channels;
}

type Counting = {
  readonly byKey: ReadonlyMap<string, readonly EventRow[]>;
  readonly isWanted: (subscriptionId: number) => boolean;
};

function tally(deliveries: readonly Sent[], { byKey, isWanted }: Counting): Tally {
  const made = new Set<string>();
  const accepted = new Set<string>();
  for (const { state, notifications, subscriptionId } of deliveries) {
    if (!isWanted(subscriptionId)) continue;
    for (const key of notifications.map(keyOf)) {
      made.add(key);
      if (state === 'received') accepted.add(key);
    }
  }
  const rows = [...made].flatMap((key) => byKey.get(key) ?? []);
  const count = (state: EventRow['state']): number => rows.filter((row) => row.state === state).length;
  const shown = rows.filter(({ state, messageTs }) => state === 'posted' && messageTs !== null);
  return {
    made: made.size,
    accepted: accepted.size,
    posted: count('posted'),
    filtered: count('filtered'),
    waiting: count('pending'),
    dead: count('dead'),
    lost: [...accepted].filter((key) => !byKey.has(key)).length,
    messages: new Set(shown.map(({ channelId, messageTs }) => `${channelId} ${messageTs}`)).size,
  };
}

/** Returns the Id as the bot writes it: lower case, without braces. */
function keyOf({ Id, SubscriptionId }: Readonly<Record<string, unknown>>): string {
  return `${String(SubscriptionId)} ${String(Id).toLowerCase().replaceAll(/[{}]/g, '')}`;
}

function factsOf(
  deliveries: readonly Sent[],
  wanted: ReadonlySet<string>,
): Map<string, { type: string; name: string }> {
  const facts = new Map<string, { type: string; name: string }>();
  // The wanted deliveries are recent, so the search starts at the end.
  for (let at = deliveries.length - 1; at >= 0 && facts.size < wanted.size; at -= 1) {
    for (const notification of deliveries[at]?.notifications ?? []) {
      const key = keyOf(notification);
      const { EventType, Name } = fieldsOf(notification.ExtraInformation);
      if (wanted.has(key)) facts.set(key, { type: String(EventType), name: String(Name) });
    }
  }
  return facts;
}

type LedgerDeps = {
  readonly deliveries: () => readonly Sent[];
  /** Returns the bot's events; empty while there is no database. */
  readonly rows: () => Promise<readonly EventRow[]>;
  /** Called when the account has changed. */
  readonly changed: () => void;
};

/** Milliseconds between two queries of the database. */
const lookEveryMs = 400;
/** Milliseconds after which waiting events are checked again if nothing else happens. */
const restEveryMs = 1_500;

/** Keeps an account up to date. */
export function makeLedger({ deliveries, rows, changed }: LedgerDeps) {
  const runs = new Map<string, Run>();
  let account = accountOf([], [], runs);
  let shown = '';
  let timer: NodeJS.Timeout | undefined;
  let due = 0;
  let looking = false;
  let again = false;
  let closed = false;

  function look(afterMs = lookEveryMs): void {
    if (closed) return;
    const at = performance.now() + afterMs;
    if (looking) {
      again = true;
      return;
    }
    if (timer !== undefined && due <= at) return;
    clearTimeout(timer);
    due = at;
    timer = setTimeout(() => void lookNow(), afterMs);
    timer.unref();
  }

  async function lookNow(): Promise<void> {
    timer = undefined;
    looking = true;
    again = false;
    // While the bot's database is unavailable, the account stays as it was.
    const found = await rows().catch(() => undefined);
    looking = false;
    if (found !== undefined) {
      account = accountOf(deliveries(), found, runs);
      const now = JSON.stringify([account.all, [...account.runs], account.latest]);
      if (now !== shown) changed();
      shown = now;
    }
    const { waiting, made, accepted } = account.all;
    if (again) look();
    else if (waiting > 0 || accepted < made) look(restEveryMs);
  }

  return {
    account: (): Account => account,
    /** Reports that something may have changed. */
    look: () => look(),
    /** Forgets the run of this name. */
    forget(name: string): void {
      runs.delete(name);
      look();
    },
    /** Counts, under this name, what is sent because of an action; replaces the earlier run of that name. */
    async run<T>(
      { name, channelId }: { readonly name: string; readonly channelId: string },
      act: () => Promise<T>,
    ): Promise<T> {
      const from = deliveries().length;
      // Until the action is done, everything sent is counted.
      runs.set(name, { from, to: Number.POSITIVE_INFINITY, channelId });
      try {
        return await act();
      } finally {
        // The service lists what it will send in the next round of the event loop.
        await new Promise((resolve) => setImmediate(() => setImmediate(resolve)));
        runs.set(name, { from, to: deliveries().length, channelId });
        look();
      }
    },
    close(): void {
      closed = true;
      clearTimeout(timer);
    },
  };
}

export type Ledger = ReturnType<typeof makeLedger>;
