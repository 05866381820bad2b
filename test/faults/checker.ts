import type pg from 'pg';
import { type Message, textOf } from '../../sandbox/slack/messages.ts';

/** A notification as its sender saw it: one entry for each time it was sent. */
export type Sent = {
  /** As it was sent; letter case and braces do not matter. */
  readonly notificationId: string;
  /** HTTP status of the answer; null if no answer came. */
  readonly status: number | null;
  /** The callback token or the whole URL it was sent to; only used in findings. */
  readonly subscription: string;
  /** The channel in which it must be posted. */
  readonly channel: string;
  /** Its number, from which the name of its item is made (`itemName`). */
  readonly index: number;
  /** When it was sent, in milliseconds since the epoch. */
  readonly at: number;
};

/** A row of `plancast.events`. */
export type EventRow = {
  readonly seq: string;
  readonly notificationId: string;
  readonly subscriptionId: string;
  readonly channelId: string;
  readonly state: 'pending' | 'posted' | 'filtered' | 'dead';
  readonly reason: string | null;
  readonly messageTs: string | null;
  readonly receivedAt: Date;
  readonly postedAt: Date | null;
  /** Posted in its normal turn: not held for a digest, a pause or a mute, and not retried by an admin. */
  readonly inTurn: boolean;
  /** Project or session, and the item in it; null once the details are deleted. */
  readonly parent: string | null;
  readonly item: string | null;
  readonly name: string | null;
};

/** The fields that are checked in a message of the practice Slack's log. */
export type LoggedMessage = Pick<
  Message,
  'channelId' | 'ts' | 'viewerId' | 'text' | 'blocks' | 'edits' | 'postedAt' | 'deletedAt' | 'threadTs'
>;

export type Delivery = {
  readonly sent: readonly Sent[];
  readonly events: readonly EventRow[];
  readonly messages: readonly LoggedMessage[];
  /**
   * How many messages may be posted twice: one for each kill between Slack's answer and the mark, and one for each ambiguous answer. 0 by
   * default.
   */
  readonly allowedDoubles?: number | undefined;
  /** Posts that came faster than Slack allows, counted by the practice Slack; not checked by default. */
  readonly tooFast?: number | undefined;
  /** Whether deletions and other events alternate in what waits, so that only the order of each item is kept. */
  readonly alternating?: boolean | undefined;
};

export type DeliveryCounts = {
  /** Notifications answered 2xx, each counted once even if it was sent repeatedly. */
  readonly accepted: number;
  readonly posted: number;
  readonly filtered: number;
  readonly dead: number;
  /** Held with a reason. */
  readonly pending: number;
  readonly lost: number;
  /** Messages beyond the first with the same content. */
  readonly doubled: number;
  readonly outOfOrder: number;
  /** Milliseconds between two posts in one channel; null if no channel has two. */
  readonly smallestGapMs: number | null;
};

export type DeliveryResult = { readonly findings: readonly string[]; readonly counts: DeliveryCounts };

/** How many findings of one kind are listed; the rest are only counted. */
const mostListed = 20;
/** Names that tests give to items: one item per notification, so a name in two messages is one event posted twice. */
const namePattern = /Sheet \d{6,}\.pdf/g;
/** Phrases that identify an announcement of the bot. */
const announcement =
  /to this channel|this channel to|the subscription to|removed \d+ subscriptions|muted this channel|^Subscription to|^I’m posting here again|^Resumed: /i;

/** Returns the name of item number `index`: `Sheet 000123.pdf`. */
export function itemName(index: number): string {
  return `Sheet ${String(index).padStart(6, '0')}.pdf`;
}

/** Reads all events, in the order in which they were accepted. */
export async function readEvents(pool: Pick<pg.Pool, 'query'>): Promise<EventRow[]> {
  const { rows } = await pool.query<EventRow>(`
    select seq, notification_id as "notificationId", subscription_id as "subscriptionId", channel_id as "channelId", state, reason,
      message_ts as "messageTs", received_at as "receivedAt", posted_at as "postedAt",
      coalesce(summary::text, 'false') = 'false' and replayed_at is null as "inTurn",
      coalesce(notification->>'projectId', notification->>'sessionId') as parent,
      notification->>'itemId' as item, notification->>'name' as name
    from plancast.events order by events.seq`);
  return rows;
}

/**
 * Compares what the sender was answered with what is stored and what is in the channels, and reports every discrepancy. Only channels for
 * which something was sent or stored are checked; messages to one person are not deliveries.
 *
 * - lost: answered 2xx, but not exactly one of: posted in an existing message, filtered or dead with a reason, held with a reason
 * - doubled: a message beyond the first with the same content: an item is named in two messages, no event points at it, or it counts more
 *   changes than events point at it
 * - out of order: messages are not in the order of acceptance, per channel, resource and place in it (the channel itself or a thread), and
 *   per item; with `alternating` only per item, since deletions and other events that alternate come in messages of their own. Events that were held on purpose or retried are posted when their time comes, and are not checked
 */
export function checkDelivery(delivery: Delivery): DeliveryResult {
  const { events, messages, allowedDoubles = 0, tooFast = 0, alternating = false } = delivery;
  const channels = new Set([
    ...delivery.sent.map(({ channel }) => channel),
    ...events.map(({ channelId }) => channelId),
  ]);
  const shown = messages.filter(
    ({ channelId, viewerId, deletedAt }) =>
      channels.has(channelId) && viewerId === undefined && deletedAt === undefined,
  );
  const byPlace = new Map(shown.map((message) => [placeOf(message.channelId, message.ts), message]));
  const pointing = groupBy(
    events.filter(({ state }) => state === 'posted'),
    (event) => placeOf(event.channelId, event.messageTs ?? ''),
  );
  const fates = fatesOf(delivery.sent, events, byPlace);
  const doubles = findDoubles(shown, pointing);
  const disorder = findDisorder(events, byPlace, alternating);
  const missing = findMissing(shown, pointing);
  const findings = [
    ...some('lost', fates.lost),
    ...(doubles.length > allowedDoubles ? some(`doubled, ${allowedDoubles} allowed`, doubles) : []),
    ...some('out of order', disorder),
    ...some('missing', missing),
    ...(tooFast > 0 ? [`${tooFast} calls came faster than Slack allows`] : []),
  ];
  const counts = {
    ...fates.counts,
    lost: fates.lost.length,
    doubled: doubles.length,
    outOfOrder: disorder.length,
    smallestGapMs: smallestGap(shown),
  };
  return { findings, counts };
}

/** Throws an error that lists the findings, if there are any. */
export function assertClean({ findings, counts }: DeliveryResult): void {
  if (findings.length === 0) return;
  throw new Error(`${findings.join('\n')}\n${JSON.stringify(counts)}`);
}

function placeOf(channelId: string, ts: string): string {
  return `${channelId}/${ts}`;
}

function some(kind: string, lines: readonly string[]): string[] {
  const rest = lines.length - mostListed;
  return [
    ...lines.slice(0, mostListed).map((line) => `${kind}: ${line}`),
    ...(rest > 0 ? [`${kind}: … and ${rest} more`] : []),
  ];
}

function groupBy<T>(things: readonly T[], keyOf: (thing: T) => string): Map<string, T[]> {
  const groups = new Map<string, T[]>();
  for (const thing of things) {
    const key = keyOf(thing);
    const group = groups.get(key);
    if (group) group.push(thing);
    else groups.set(key, [thing]);
  }
  return groups;
}

/** Returns the key that a notification and its row share. */
function deliveryKey(channelId: string, notificationId: string): string {
  return `${channelId}/${notificationId.toLowerCase().replace(/^\{|\}$/g, '')}`;
}

type Fate = 'posted' | 'filtered' | 'dead' | 'pending';

function fatesOf(
  sent: readonly Sent[],
  events: readonly EventRow[],
  byPlace: ReadonlyMap<string, LoggedMessage>,
): { lost: string[]; counts: { accepted: number } & Record<Fate, number> } {
  const rows = groupBy(events, (event) => deliveryKey(event.channelId, event.notificationId));
  const good = sent.filter(({ status }) => status !== null && status >= 200 && status < 300);
  const accepted = new Map(good.map((one) => [deliveryKey(one.channel, one.notificationId), one]));
  const lost: string[] = [];
  const counts = { accepted: accepted.size, posted: 0, filtered: 0, dead: 0, pending: 0 };
  for (const [key, one] of accepted) {
    const fate = fateOf(rows.get(key) ?? [], byPlace);
    if (typeof fate === 'string') counts[fate] += 1;
    else
      lost.push(
        `${itemName(one.index)}, sent to ${one.subscription} (${one.notificationId}): ${fate.problem}`,
      );
  }
  return { lost, counts };
}

/** Returns the outcome of a notification according to its rows, or what is wrong with it. */
function fateOf(
  rows: readonly EventRow[],
  byPlace: ReadonlyMap<string, LoggedMessage>,
): Fate | { readonly problem: string } {
  const [row] = rows;
  if (!row) return { problem: 'no row' };
  if (rows.length > 1) return { problem: `${rows.length} rows` };
  const { state, reason, messageTs, channelId } = row;
  if (state === 'posted') {
    if (messageTs === null) return { problem: 'posted, but no message is named' };
    if (!byPlace.has(placeOf(channelId, messageTs))) {
      return { problem: `posted in ${messageTs}, which is not in the channel` };
    }
    return 'posted';
  }
  if (reason === null) return { problem: `${state} without a reason` };
  return state;
}

function namesIn(message: LoggedMessage): string[] {
  const versions = [message, ...message.edits];
  return [...new Set(versions.flatMap((version) => textOf(version).match(namePattern) ?? []))];
}

/** Returns the number on a message's "Show all" button; null if there is no such button. */
function claimOf(message: LoggedMessage): number | null {
  const [, figure] = /^Show all ([\d,]+)$/m.exec(textOf(message)) ?? [];
  return figure === undefined ? null : Number(figure.replaceAll(',', ''));
}

function findDoubles(
  shown: readonly LoggedMessage[],
  pointing: ReadonlyMap<string, readonly EventRow[]>,
): string[] {
  const doubles: string[] = [];
  const firstOf = new Map<string, string>();
  for (const message of shown) {
    const names = namesIn(message);
    const events = pointing.get(placeOf(message.channelId, message.ts)) ?? [];
    const problem =
      events.length === 0
        ? orphanProblem(message, names)
        : (repeatProblem(message, names, firstOf) ?? claimProblem(message, events.length));
    if (problem !== null) doubles.push(`${message.channelId}/${message.ts} ${problem}: ${brief(message)}`);
  }
  return doubles;
}

function orphanProblem(message: LoggedMessage, names: readonly string[]): string | null {
  if (names.length === 0 && announcement.test(message.text)) return null;
  return 'is no event’s';
}

function repeatProblem(
  message: LoggedMessage,
  names: readonly string[],
  firstOf: Map<string, string>,
): string | null {
  const again = names.filter((name) => firstOf.has(placeOf(message.channelId, name)));
  for (const name of names) firstOf.set(placeOf(message.channelId, name), message.ts);
  return again.length === 0 ? null : `repeats ${again.slice(0, 3).join(', ')}`;
}

function claimProblem(message: LoggedMessage, events: number): string | null {
  const claim = claimOf(message);
  return claim !== null && claim > events ? `counts ${claim} changes and shows ${events} events` : null;
}

function brief({ text }: LoggedMessage): string {
  return text.length > 120 ? `${text.slice(0, 120)}…` : text;
}

/** Finds events that point at a message which does not show them. */
function findMissing(
  shown: readonly LoggedMessage[],
  pointing: ReadonlyMap<string, readonly EventRow[]>,
): string[] {
  return shown.flatMap((message) => {
    const events = pointing.get(placeOf(message.channelId, message.ts)) ?? [];
    if (events.length === 0) return [];
    const claim = claimOf(message);
    const where = `${message.channelId}/${message.ts}`;
    if (claim !== null) {
      return claim < events.length ? [`${where} counts ${claim} changes for ${events.length} events`] : [];
    }
    // Without the button nothing is shortened, so every name must appear.
    const text = textOf(message);
    const missing = events.filter(
      ({ name }) => name !== null && /^Sheet \d/.test(name) && !text.includes(name),
    );
    return missing.length === 0
      ? []
      : [`${where} does not name ${missing[0]?.name} (${missing.length} in all)`];
  });
}

function findDisorder(
  events: readonly EventRow[],
  byPlace: ReadonlyMap<string, LoggedMessage>,
  alternating: boolean,
): string[] {
  const posted = events
    .filter((event) => event.state === 'posted' && event.inTurn)
    .flatMap((event) => {
      const message = byPlace.get(placeOf(event.channelId, event.messageTs ?? ''));
      return message ? [{ event, message }] : [];
    })
    .sort((one, other) => Number(BigInt(one.event.seq) - BigInt(other.event.seq)));
  const byResource = groupBy(
    posted,
    ({ event, message }) => `${event.channelId} ${event.parent} in ${message.threadTs ?? 'the channel'}`,
  );
  const byItem = groupBy(
    posted.filter(({ event }) => event.item !== null),
    ({ event }) => `${event.channelId} ${event.parent} item ${event.item}`,
  );
  return [...(alternating ? [] : byResource), ...byItem].flatMap(([place, group]) =>
    disorderIn(place, group),
  );
}

function disorderIn(place: string, group: readonly { event: EventRow; message: LoggedMessage }[]): string[] {
  const problems: string[] = [];
  let latest: { event: EventRow; message: LoggedMessage } | undefined;
  for (const one of group) {
    if (latest && one.message.ts < latest.message.ts) {
      problems.push(
        `${place}: event ${one.event.seq} is in ${one.message.ts}, event ${latest.event.seq} in ${latest.message.ts}`,
      );
    } else {
      latest = one;
    }
  }
  return problems;
}

function smallestGap(shown: readonly LoggedMessage[]): number | null {
  let smallest: number | null = null;
  for (const group of groupBy(shown, ({ channelId }) => channelId).values()) {
    const times = group.map(({ postedAt }) => postedAt).sort((one, other) => one - other);
    for (const [at, time] of times.entries()) {
      const before = times[at - 1];
      if (before !== undefined && (smallest === null || time - before < smallest)) smallest = time - before;
    }
  }
  return smallest;
}
