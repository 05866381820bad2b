import { inSlices } from '../../lib/in-slices.ts';
import type { ActivityMode } from '../../messages/activity/activity.ts';
import type { Duplicate, WaitingEvent } from '../../store/tables/events.ts';
import type { KnownItem } from '../../store/tables/items.ts';
import type { Subscription } from '../../store/tables/subscriptions.ts';
import type { PresentChanges } from '../channels/present-changes.ts';
import type { Change, PostedAs } from '../model/change.ts';
import { leftOut } from '../model/filters.ts';
import type { HeldReason } from '../model/held-reason.ts';
import type { Notification } from '../model/notification.ts';
import type { Channel, Workspace } from '../model/people.ts';
import type { PersonName } from '../model/subscription.ts';
import { parentKey, timed, withinOf } from './recall-changes.ts';
import { itemKey, rememberedAfter, whatChanged } from './what-changed.ts';

/** What one turn of a lane posts, and what it marks once that is done. */
export type Turn = {
  readonly changes: readonly Change[];
  readonly mode: ActivityMode;
  /** In a summary: what it had waited for, where that is one thing, and since when. */
  readonly because: HeldReason | null;
  readonly since: Date | null;
  /** How many were left out because they waited more than a week. */
  readonly stale: number;
  /** `seq`s of what is posted. */
  readonly posted: readonly string[];
  /** As what some of them are told, by `seq`, where that is not plain from the notification. */
  readonly told: ReadonlyMap<string, PostedAs>;
  /** When what is posted was accepted, but for what was held on purpose or tried again. */
  readonly acceptedAt: readonly Date[];
  /** `seq`s of what is not, by the reason. */
  readonly dropped: ReadonlyMap<string, readonly string[]>;
  /** What can neither be filtered nor worked out, as it or its subscription is not what it should be. */
  readonly unreadable: readonly Unreadable[];
  readonly items: ReadonlyMap<string, KnownItem | null>;
  /** The thread it goes into; null for the channel itself. */
  readonly threadTs: string | null;
  /** Items whose thread the message becomes, where it goes into the channel itself. */
  readonly threadKeys: readonly string[];
  /** Whether some of what waits was left for the next turn. */
  readonly more: boolean;
  readonly notes: readonly { id: string; at: Date; name: string | null }[];
  /** Subscriptions whose resource was deleted. */
  readonly ended: readonly string[];
};

/** An event that is a dead letter because reading it failed, and how. */
export type Unreadable = { readonly seq: string; readonly subscriptionId: string; readonly error: unknown };

export type PrepareTurn = (
  lane: Channel,
  waiting: readonly WaitingEvent[],
  at: {
    readonly now: Date;
    /** Whether one change can reach this channel twice; most channels need not ask. */
    readonly hasDuplicates: boolean;
  },
) => Promise<Turn>;

export type PrepareTurnDeps = {
  readonly loadItems: (lane: Channel, keys: readonly string[]) => Promise<Map<string, KnownItem>>;
  readonly duplicates: (lane: Channel, fingerprints: readonly string[], since: Date) => Promise<Duplicate[]>;
  readonly presentChanges: PresentChanges;
  /** The addresses under which somebody in Slack is known to the service, in lower case. */
  readonly emailsOf: (workspace: Workspace, userId: string) => Promise<readonly string[]>;
};

const dayMs = 24 * 3_600_000;
const staleMs = 7 * dayMs;
const notedEveryMs = 10_000;
/** Two notifications of one change come within this time. */
const sameChangeMs = 2_000;

/** Works out what of the waiting events is to be said. Reads, and changes nothing. */
export function makePrepareTurn(deps: PrepareTurnDeps): PrepareTurn {
  return async (lane, all, { now, hasDuplicates }) => {
    const { waiting, unreadable } = readable(all);
    const keys = waiting.map(({ notification }) => itemKey(notification)).filter((key) => key !== null);
    const [known, duplicates, emails] = await Promise.all([
      deps.loadItems(lane, [...keys, ...waiting.map(({ notification }) => parentKey(notification))]),
      hasDuplicates
        ? deps.duplicates(
            lane,
            waiting.map(({ fingerprint }) => fingerprint),
            new Date(now.getTime() - staleMs),
          )
        : [],
      emailsOfNamed(lane, waiting),
    ]);
    const isPerson = (email: string, person: PersonName) =>
      'email' in person
        ? person.email.toLowerCase() === email
        : (emails.get(person.userId)?.includes(email) ?? false);
    const turn = await gather(waiting, {
      known,
      isDuplicate: makeDuplicateDetector(duplicates),
      isPerson,
      now,
    });
    return {
      ...turn,
      unreadable: [...unreadable, ...turn.unreadable],
      changes: await deps.presentChanges(lane, turn.changes),
    };
  };

  async function emailsOfNamed(lane: Channel, waiting: readonly WaitingEvent[]) {
    const userIds = new Set(waiting.flatMap(namedIn));
    const found = [...userIds].map(async (id) => [id, await deps.emailsOf(lane, id)] as const);
    return new Map(await Promise.all(found));
  }
}

/** Sets apart what nothing can even be looked up for. */
function readable(all: readonly WaitingEvent[]): { waiting: WaitingEvent[]; unreadable: Unreadable[] } {
  const waiting: WaitingEvent[] = [];
  const unreadable: Unreadable[] = [];
  for (const event of all) {
    try {
      itemKey(event.notification);
      parentKey(event.notification);
      namedIn(event);
      waiting.push(event);
    } catch (error) {
      unreadable.push(unreadableOf(event, error));
    }
  }
  return { waiting, unreadable };
}

function unreadableOf({ seq, subscription }: WaitingEvent, error: unknown): Unreadable {
  return { seq, subscriptionId: subscription.id, error };
}

/** The people in Slack that an event's filters name. */
function namedIn({ subscription: { filters } }: WaitingEvent): string[] {
  return [...filters.by, ...filters.notBy].flatMap((person) => ('userId' in person ? [person.userId] : []));
}

type Given = {
  readonly known: ReadonlyMap<string, KnownItem>;
  readonly isDuplicate: (event: WaitingEvent) => boolean;
  readonly isPerson: (email: string, person: PersonName) => boolean;
  readonly now: Date;
};

/** What was gathered so far. */
type Gathering = {
  readonly items: Map<string, KnownItem | null>;
  readonly dropped: Map<string, string[]>;
  readonly unreadable: Unreadable[];
  readonly told: WaitingEvent[];
  readonly toldAs: Map<string, PostedAs>;
  readonly changes: Change[];
  readonly ended: Set<string>;
  readonly notes: Map<string, { id: string; at: Date; name: string | null }>;
  readonly threadKeys: Set<string>;
  /** Where the message goes, once that is known. */
  threadTs: string | null | undefined;
  more: boolean;
};

async function gather(waiting: readonly WaitingEvent[], given: Given): Promise<Turn> {
  const gathering: Gathering = {
    items: new Map(),
    dropped: new Map(),
    unreadable: [],
    told: [],
    toldAs: new Map(),
    changes: [],
    ended: new Set(),
    notes: new Map(),
    threadKeys: new Set(),
    threadTs: undefined,
    more: false,
  };
  // Long globs against long paths take their time.
  await inSlices(waiting, (event) => {
    try {
      gatherOne(event, gathering, given);
    } catch (error) {
      gathering.unreadable.push(unreadableOf(event, error));
    }
  });
  const { items, dropped, unreadable, told, toldAs, changes, ended, notes, threadKeys, threadTs, more } =
    gathering;
  const stale = dropped.get('stale')?.length ?? 0;
  return {
    changes,
    mode: stale > 0 || told.some((event) => isForSummary(event, given.now)) ? 'summary' : 'live',
    because: reasonOfAll(told),
    since: told[0]?.receivedAt ?? null,
    stale,
    posted: told.map(({ seq }) => seq),
    told: toldAs,
    acceptedAt: acceptedAt(told),
    dropped,
    unreadable,
    items,
    threadTs: threadTs ?? null,
    threadKeys: [...threadKeys],
    more,
    notes: [...notes.values()].filter((note) => isNews(note, waiting)),
    ended: [...ended],
  };
}

/** What all of them had waited for; null where they came together for several reasons. */
function reasonOfAll(told: readonly WaitingEvent[]): HeldReason | null {
  const reasons = new Set(told.map(({ summary }) => summary));
  const [reason = null] = reasons;
  return reasons.size === 1 ? reason : null;
}

/** When events were accepted, without those that were to wait, or had to. */
function acceptedAt(told: readonly WaitingEvent[]): Date[] {
  return told
    .filter(({ summary, replayed }) => summary === null && !replayed)
    .map(({ receivedAt }) => receivedAt);
}

function gatherOne(event: WaitingEvent, gathering: Gathering, given: Given): void {
  const { items, dropped, ended, notes } = gathering;
  const { notification, subscription } = event;
  const key = itemKey(notification);
  const before = key === null ? null : lastOf(key, items, given.known);
  const reason = ended.has(subscription.id) ? 'ended' : reasonToDrop(event, given);
  if (reason !== null) {
    const seqs = dropped.get(reason) ?? [];
    seqs.push(event.seq);
    dropped.set(reason, seqs);
  } else if (!notifyOne({ event, key, before }, gathering, given)) {
    return;
  }
  remember(items, key, { notification, before });
  notes.set(subscription.id, noteOf(event, notes.get(subscription.id)?.name ?? null));
  if (isItsOwnDeletion(notification, subscription)) ended.add(subscription.id);
}

/** Adds an event to what is told. A message goes to one place: what belongs elsewhere waits, with all that is to come of its item. */
function notifyOne(
  { event, key, before }: { event: WaitingEvent; key: string | null; before: KnownItem | null },
  gathering: Gathering,
  given: Given,
): boolean {
  const { notification, subscription } = event;
  const thread = subscription.threads ? (before?.threadTs ?? null) : null;
  const within = withinOf(notification, subscription, given.known);
  const change = timed(whatChanged(notification, before, within), event.receivedAt);
  if (gathering.threadTs === undefined) gathering.threadTs = thread;
  if (thread !== gathering.threadTs) {
    gathering.more = true;
    return false;
  }
  if (subscription.threads && thread === null && key !== null) gathering.threadKeys.add(key);
  gathering.changes.push(change);
  gathering.told.push(event);
  if (before !== null && notification.eventType === 'Update') gathering.toldAs.set(event.seq, toldAs(change));
  return true;
}

/** What was last heard of an item: in this very turn, else before it. */
function lastOf(
  key: string,
  items: ReadonlyMap<string, KnownItem | null>,
  known: ReadonlyMap<string, KnownItem>,
): KnownItem | null {
  return (items.has(key) ? items.get(key) : known.get(key)) ?? null;
}

function isForSummary({ summary, receivedAt }: WaitingEvent, now: Date): boolean {
  return summary !== null || now.getTime() - receivedAt.getTime() > dayMs;
}

/** What an event left to remember of its item. A twin that tells the same change again leaves the same. */
function remember(
  items: Map<string, KnownItem | null>,
  key: string | null,
  { notification, before }: { notification: Notification; before: KnownItem | null },
): void {
  if (key === null) return;
  const after = rememberedAfter(notification, before);
  items.set(key, after && { ...after, threadTs: before?.threadTs ?? null });
}

function reasonToDrop(event: WaitingEvent, given: Given): string | null {
  if (event.subscription.state === 'ended') return 'ended';
  const waited = given.now.getTime() - event.receivedAt.getTime();
  if (waited > staleMs && !event.replayed) return 'stale';
  const filter = leftOut(event.subscription.filters, event.notification, given.isPerson);
  if (filter !== null) return filter;
  return given.isDuplicate(event) ? 'covered' : null;
}

function toldAs({ verb, previousName, previousFolder }: Change): PostedAs {
  return { verb, previousName, previousFolder };
}

/** In a burst it is enough to note every now and then that something happened. */
function isNews({ id, at, name }: Turn['notes'][number], waiting: readonly WaitingEvent[]): boolean {
  const subscription = waiting.find((event) => event.subscription.id === id)?.subscription;
  const last = subscription?.lastEventAt?.getTime() ?? 0;
  return at.getTime() - last > notedEveryMs || (name !== null && name !== subscription?.resourceName);
}

function noteOf({ notification, subscription, receivedAt }: WaitingEvent, before: string | null) {
  const name = isAboutItself(notification, subscription) ? notification.name : null;
  return { id: subscription.id, at: receivedAt, name: name ?? before };
}

/** Whether an event is about the very resource that is followed, not about something in it. */
function isAboutItself(notification: Notification, { target }: Subscription): boolean {
  switch (target.kind) {
    case 'project':
      return notification.resourceType === 'Projects';
    case 'session':
      return notification.resourceType === 'Sessions';
    case 'folder':
    case 'file':
      return notification.resourceType === 'ProjectItems' && notification.itemId === target.itemId;
    case 'document':
      return notification.resourceType === 'SessionDocuments' && notification.itemId === target.documentId;
  }
}

function isItsOwnDeletion(notification: Notification, subscription: Subscription): boolean {
  return notification.eventType === 'Delete' && isAboutItself(notification, subscription);
}

/**
 * Says whether a change was told already on behalf of another subscription. Each telling covers each other subscription once, so
 * that two real changes that look alike are still two.
 */
function makeDuplicateDetector(duplicates: readonly Duplicate[]): (event: WaitingEvent) => boolean {
  type Telling = { readonly by: string; readonly at: number; readonly covers: Set<string> };
  const tellings = new Map<string, Telling[]>();
  const notify = (fingerprint: string, by: string, at: number) => {
    const list = tellings.get(fingerprint) ?? [];
    list.push({ by, at, covers: new Set() });
    tellings.set(fingerprint, list);
  };
  const cover = (fingerprint: string, source: string, at: number): boolean => {
    const telling = tellings
      .get(fingerprint)
      ?.find(
        ({ by, at: told, covers }) =>
          by !== source && Math.abs(told - at) <= sameChangeMs && !covers.has(source),
      );
    telling?.covers.add(source);
    return telling !== undefined;
  };
  for (const duplicate of duplicates)
    if (!duplicate.isDuplicate) notify(duplicate.fingerprint, duplicate.source, timeOf(duplicate));
  for (const duplicate of duplicates)
    if (duplicate.isDuplicate) cover(duplicate.fingerprint, duplicate.source, timeOf(duplicate));

  return (event) => {
    const at = timeOf({ happenedAt: event.notification.happenedAt, receivedAt: event.receivedAt });
    if (cover(event.fingerprint, sourceOf(event), at)) return true;
    notify(event.fingerprint, sourceOf(event), at);
    return false;
  };
}

/**
 * Who told it: the record at the service. While a subscription is moved to another record there, both tell each change, and that is
 * one change all the same.
 */
function sourceOf({ notification, subscription }: WaitingEvent): string {
  return notification.serviceSubscriptionId ?? subscription.id;
}

function timeOf({ happenedAt, receivedAt }: { happenedAt: string | null; receivedAt: Date }): number {
  const told = happenedAt === null ? Number.NaN : Date.parse(happenedAt);
  return Number.isNaN(told) ? receivedAt.getTime() : told;
}
