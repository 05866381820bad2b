import type pg from 'pg';
import { type Message, textOf } from '../../sandbox/slack/messages.ts';

/** A notification as its sender saw it: one entry each time it was sent. */
export type Sent = {
  /** As it was sent; letter case and braces do not matter. */
  readonly notificationId: string;
  /** What was answered; null where no answer came. */
  readonly status: number | null;
  /** The token or the whole address it was sent to: only shown in findings. */
  readonly subscription: string;
  /** The channel that it is to be posted in. */
  readonly channel: string;
  /** Its number, of which its item's name is made (`itemName`). */
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
  /** Posted in its turn, not held for a digest, a pause or a mute, nor tried again by an admin. */
  readonly inTurn: boolean;
  /** Project or session, and the item in it; null where the details are gone. */
  readonly parent: string | null;
  readonly item: string | null;
  readonly name: string | null;
};

/** What is looked at in a message of the practice Slack's log. */
export type LoggedMessage = Pick<
  Message,
  'channelId' | 'ts' | 'viewerId' | 'text' | 'blocks' | 'edits' | 'postedAt' | 'deletedAt' | 'threadTs'
>;

export type Delivery = {
  readonly sent: readonly Sent[];
  readonly events: readonly EventRow[];
  readonly messages: readonly LoggedMessage[];
  /** How many messages may be there twice: one a kill between Slack's answer and the mark, one an ambiguous answer. None by default. */
  readonly allowedDoubles?: number | undefined;
  /** Posts that came faster than Slack allows, as the practice Slack has counted them; not judged by default. */
  readonly tooFast?: number | undefined;
};

export type DeliveryCounts = {
  /** Notifications answered 2xx, each once however often it was sent. */
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
  /** Between two posts into one channel, in milliseconds; null where none has two. */
  readonly smallestGapMs: number | null;
};

export type DeliveryResult = { readonly findings: readonly string[]; readonly counts: DeliveryCounts };

/** Findings of one kind that are listed; the rest is only counted. */
const mostListed = 20;
/** Names that tests give to items: one item a notification, so that a name in two messages is one event posted twice. */
const namePattern = /Sheet \d{6,}\.pdf/g;
/** How each announcement of the bot starts, after the name of the person who did it. */
const announcement =
  /subscribed this channel|the subscription to|removed \d+ subscriptions|muted this channel|^Subscription to|^I’m posting here again|^Resumed: /i;

/** The name of the item number `index`: `Sheet 000123.pdf`. */
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
 * Holds together what the sender was answered, what is stored and what is in the channels, and says all that is wrong. Only channels
 * for which something was sent or stored are looked at: what the bot says to one person is not delivered.
 *
 * - lost: answered 2xx, and not in exactly one of posted in a message that is there, filtered or dead with a reason, held with one
 * - doubled: a message beyond the first with the same content, be it that an item is named in two, that no event points at it, or that
 *   it counts more changes than events point at it
 * - out of order: per channel, resource and place in it (the channel itself, or a thread), and per item, messages are in the order of
 *   acceptance. What was held on purpose, or tried again, is posted when its time comes and is not judged
 */
export function checkDelivery(delivery: Delivery): DeliveryResult {
  const { events, messages, allowedDoubles = 0, tooFast = 0 } = delivery;
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
  const disorder = findDisorder(events, byPlace);
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

/** Throws an error that lists the findings, where there are any. */
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

/** The key under which a notification and its row meet. */
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

/** What became of a notification by the rows that are there of it; or what is wrong with that. */
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

/** The figure on the button that shows all, where a message has one. */
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

/** Events that point at a message which, as it stands, does not show them. */
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
    // Without the button nothing is shortened, so each name is there.
    const text = textOf(message);
    const missing = events.filter(
      ({ name }) => name !== null && /^Sheet \d/.test(name) && !text.includes(name),
    );
    return missing.length === 0
      ? []
      : [`${where} does not name ${missing[0]?.name} (${missing.length} in all)`];
  });
}

function findDisorder(events: readonly EventRow[], byPlace: ReadonlyMap<string, LoggedMessage>): string[] {
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
  return [...byResource, ...byItem].flatMap(([place, group]) => disorderIn(place, group));
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
