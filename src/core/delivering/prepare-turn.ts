import { inSlices } from '../../lib/in-slices.ts';
import type { Log } from '../../lib/log.ts';
import { type OwnFault, ownFaults } from '../../messages/explaining/dead-reasons.ts';
import type { Duplicate, WaitingEvent } from '../../store/tables/events.ts';
import type { KnownItem } from '../../store/tables/items.ts';
import type { TakenLane } from '../../store/tables/lane-queue.ts';
import type { LaneSubscription } from '../../store/tables/subscriptions.ts';
import type { PresentChanges } from '../channels/present-changes.ts';
import type { Change, PostedAs } from '../model/change.ts';
import { endsFolder, isOutsideFolder, leftOut } from '../model/filters.ts';
import type { HeldReason } from '../model/held-reason.ts';
import { itemKey, rememberedKeys } from '../model/item-keys.ts';
import type { MessageKind } from '../model/lane-card.ts';
import type { Notification } from '../model/notification.ts';
import type { Channel, Workspace } from '../model/people.ts';
import type { PersonName } from '../model/subscription.ts';
import { timed, withinOf } from './recall-changes.ts';
import { rememberedAfter, whatChanged } from './what-changed.ts';

/** What one turn of a lane posts, and what it marks once that is done. */
export type Turn = {
  readonly changes: readonly Change[];
  readonly kind: MessageKind;
  /** In a summary: what it had waited for, and since when. */
  readonly because: HeldReason | null;
  readonly since: Date | null;
  /** How many were left out because they waited more than a week. */
  readonly stale: number;
  /** `seq`s of what is posted, in the order of `changes`. */
  readonly posted: readonly string[];
  /** As what some of them are told, by `seq`, where that is not plain from the notification. */
  readonly told: ReadonlyMap<string, PostedAs>;
  /** When what is posted was accepted, but for what was held on purpose or tried again. */
  readonly acceptedAt: readonly Date[];
  /** `seq`s of what is not, by the reason. */
  readonly dropped: ReadonlyMap<string, readonly string[]>;
  /** `seq`s of events of which only ids are kept, as they lie outside of the folder that is followed. */
  readonly idsOnly: ReadonlySet<string>;
  /** `seq`s of events that no message can be made of, by what is wrong with them. */
  readonly broken: ReadonlyMap<OwnFault, readonly string[]>;
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

/** An event that cannot be read, as it or its subscription is not what it should be. */
type Broken = { readonly event: WaitingEvent; readonly error: unknown };

export type PrepareTurn = (
  taken: Pick<TakenLane<unknown>, 'lane' | 'items' | 'hasDuplicates' | 'isDiscreet'>,
  waiting: readonly WaitingEvent[],
  now: Date,
) => Promise<Turn>;

export type PrepareTurnDeps = {
  /** Looks up what is remembered of items that did not come with the lane. */
  readonly loadItems: (lane: Channel, keys: readonly string[]) => Promise<Map<string, KnownItem>>;
  readonly duplicates: (lane: Channel, fingerprints: readonly string[], since: Date) => Promise<Duplicate[]>;
  readonly presentChanges: PresentChanges;
  /** The addresses under which somebody in Slack is known to the service, in lower case. */
  readonly emailsOf: (workspace: Workspace, userId: string) => Promise<readonly string[]>;
  readonly log: Pick<Log, 'warn'>;
};

const dayMs = 24 * 3_600_000;
const staleMs = 7 * dayMs;
const notedEveryMs = 10_000;
/** Two notifications of one change come within this time. */
const sameChangeMs = 2_000;

/** Messages that what waits may be split into by kind; where it would be more, one new message holds all of it. */
const runsMost = 6;

/** Works out what of the waiting events is to be said. Reads, and changes nothing. */
export function makePrepareTurn(deps: PrepareTurnDeps): PrepareTurn {
  return async ({ lane, items, hasDuplicates, isDiscreet }, all, now) => {
    const broken: Broken[] = [];
    const waiting = readable(all, broken);
    const [known, duplicates, emails] = await Promise.all([
      items ??
        deps.loadItems(
          lane,
          waiting.flatMap(({ notification }) => rememberedKeys(notification)),
        ),
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
      broken,
    });
    for (const { event, error } of broken) {
      const { seq, subscription } = event;
      const fields = {
        err: error,
        seq,
        team: lane.teamId,
        channel: lane.channelId,
        subscription: subscription.id,
      };
      deps.log.warn(fields, 'dead letter: an event cannot be read');
    }
    const unreadable = broken.map(({ event }) => event.seq);
    return {
      ...turn,
      broken: new Map(unreadable.length > 0 ? [[ownFaults.unreadable, unreadable]] : []),
      changes: await deps.presentChanges(lane, turn.changes, isDiscreet),
    };
  };

  async function emailsOfNamed(lane: Channel, waiting: readonly WaitingEvent[]) {
    const userIds = new Set(waiting.flatMap(namedIn));
    const found = [...userIds].map(async (id) => [id, await deps.emailsOf(lane, id)] as const);
    return new Map(await Promise.all(found));
  }
}

/** Sets apart what nothing can even be looked up for. */
function readable(all: readonly WaitingEvent[], broken: Broken[]): WaitingEvent[] {
  return all.filter((event) => {
    try {
      rememberedKeys(event.notification);
      namedIn(event);
      return true;
    } catch (error) {
      broken.push({ event, error });
      return false;
    }
  });
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
  /** Where events are added that cannot be read. */
  readonly broken: Broken[];
};

type Judging = Given & { readonly kindOf: (event: WaitingEvent, now: Date) => MessageKind };

/** Where a message goes and what it is about: what differs in one of these is another message. */
type Place = {
  readonly kind: MessageKind;
  readonly because: HeldReason | null;
  readonly threadTs: string | null;
};

/** What was gathered so far. */
type Gathering = {
  readonly items: Map<string, KnownItem | null>;
  readonly dropped: Map<string, string[]>;
  readonly idsOnly: Set<string>;
  readonly told: WaitingEvent[];
  readonly toldAs: Map<string, PostedAs>;
  readonly changes: Change[];
  readonly ended: Set<string>;
  readonly notes: Map<string, { id: string; at: Date; name: string | null }>;
  readonly threadKeys: Set<string>;
  /** The message's place, once there is something to be said. */
  place: Place | null;
  /** Items of which something was left for the next turn, so that all that is to come of them waits, too. */
  readonly left: Set<string>;
  /** Whether nothing more goes to that place this turn, since what was left there would come too late. */
  closed: boolean;
  more: boolean;
};

async function gather(waiting: readonly WaitingEvent[], given: Given): Promise<Omit<Turn, 'broken'>> {
  const gathering: Gathering = {
    items: new Map(),
    dropped: new Map(),
    idsOnly: new Set(),
    told: [],
    toldAs: new Map(),
    changes: [],
    ended: new Set(),
    notes: new Map(),
    threadKeys: new Set(),
    place: null,
    left: new Set(),
    closed: false,
    more: false,
  };
  const kindOf = alternates(waiting, given.now) ? mixedKindOf : ownKindOf;
  // Long globs against long paths take their time.
  await inSlices(waiting, (event) => {
    try {
      gatherOne(event, gathering, { ...given, kindOf });
    } catch (error) {
      given.broken.push({ event, error });
    }
  });
  const { items, dropped, told, toldAs, changes, ended, notes, threadKeys, place, more } = gathering;
  const stale = dropped.get('stale')?.length ?? 0;
  return {
    changes,
    kind: stale > 0 ? 'summary' : (place?.kind ?? 'live'),
    because: place?.because ?? null,
    since: told[0]?.receivedAt ?? null,
    stale,
    posted: told.map(({ seq }) => seq),
    told: toldAs,
    acceptedAt: acceptedAt(told),
    dropped,
    idsOnly: gathering.idsOnly,
    items,
    threadTs: place?.threadTs ?? null,
    threadKeys: [...threadKeys],
    more,
    notes: [...notes.values()].filter((note) => isNews(note, waiting)),
    ended: [...ended],
  };
}

function addTo(seqs: Map<string, string[]>, reason: string, seq: string): void {
  const known = seqs.get(reason);
  if (known) known.push(seq);
  else seqs.set(reason, [seq]);
}

/** Whether what must be noticed and what can be gathered alternate so often that a message for each run would take too long. */
function alternates(waiting: readonly WaitingEvent[], now: Date): boolean {
  let runs = 0;
  let last: MessageKind | undefined;
  for (const event of waiting) {
    const kind = ownKindOf(event, now);
    if (kind !== last) runs += 1;
    last = kind;
  }
  return runs > runsMost;
}

/** Deletions, finalizing and expiry, and what happens to a project or session itself are not to be overlooked. */
function ownKindOf(event: WaitingEvent, now: Date): MessageKind {
  if (isForSummary(event, now)) return 'summary';
  const { eventType, resourceType } = event.notification;
  return eventType === 'Delete' || resourceType === 'Projects' || resourceType === 'Sessions'
    ? 'notable'
    : 'live';
}

/** In a message that must be noticed for the sake of some, what can be gathered has a place too: it is new, and is never edited. */
function mixedKindOf(event: WaitingEvent, now: Date): MessageKind {
  return isForSummary(event, now) ? 'summary' : 'notable';
}

/** When events were accepted, without those that were to wait, or had to. */
function acceptedAt(told: readonly WaitingEvent[]): Date[] {
  return told
    .filter(({ summary, replayed }) => summary === null && !replayed)
    .map(({ receivedAt }) => receivedAt);
}

function gatherOne(event: WaitingEvent, gathering: Gathering, given: Judging): void {
  const { items, dropped, ended, notes, left } = gathering;
  const { notification, subscription } = event;
  const key = itemKey(notification);
  if (key !== null && left.has(key)) {
    gathering.more = true;
    return;
  }
  const before = key === null ? null : lastOf(key, items, given.known);
  const isOutside = isOutsideFolder(subscription, notification, before?.idPath ?? null);
  const reason = ended.has(subscription.id) ? 'ended' : reasonToDrop(event, isOutside, given);
  if (reason !== null) {
    addTo(dropped, reason, event.seq);
    // Nothing of it is remembered either: it belongs to nobody here.
    if (isOutside) {
      gathering.idsOnly.add(event.seq);
      return;
    }
  } else if (!notifyOne({ event, key, before }, gathering, given)) {
    gathering.more = true;
    if (key !== null) left.add(key);
    return;
  }
  remember(items, key, { notification, before });
  notes.set(subscription.id, noteOf(event, notes.get(subscription.id)?.name ?? null));
  if (isItsOwnDeletion(notification, subscription)) ended.add(subscription.id);
}

/** Adds an event to what is posted, or leaves it for another turn: a message goes to one place and is about one kind of thing. */
function notifyOne(
  { event, key, before }: { event: WaitingEvent; key: string | null; before: KnownItem | null },
  gathering: Gathering,
  given: Judging,
): boolean {
  const { notification, subscription } = event;
  const place = placeOf(event, before, given);
  const within = withinOf(notification, subscription, given.known);
  const change = {
    ...timed(whatChanged(notification, before, within), event.receivedAt),
    eventId: event.seq,
  };
  gathering.place ??= place;
  if (!belongsTo(gathering, place)) return false;
  if (subscription.threads && place.threadTs === null && key !== null) gathering.threadKeys.add(key);
  gathering.changes.push(change);
  gathering.told.push(event);
  if (before !== null && notification.eventType === 'Update') gathering.toldAs.set(event.seq, toldAs(change));
  return true;
}

/** A summary is one message in the channel, also where its items have threads. */
function placeOf(event: WaitingEvent, before: KnownItem | null, { kindOf, now }: Judging): Place {
  const kind = kindOf(event, now);
  if (kind === 'summary') return { kind, because: event.summary, threadTs: null };
  return { kind, because: null, threadTs: event.subscription.threads ? (before?.threadTs ?? null) : null };
}

/**
 * Whether an event goes into the message that is being gathered. Within the channel, and within a thread, messages keep the order of
 * acceptance: behind one that has to wait, the others of its place wait too, but for a summary, which has waited anyway.
 */
function belongsTo(gathering: Gathering, { kind, because, threadTs }: Place): boolean {
  const { place } = gathering;
  if (place === null) return true;
  if (place.threadTs !== threadTs) return false;
  const isSame = place.kind === kind && place.because === because;
  if (!isSame) gathering.closed = true;
  return isSame && (!gathering.closed || kind === 'summary');
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
  const idPath = notification.idPath ?? before?.idPath ?? null;
  items.set(key, after && { ...after, idPath, threadTs: before?.threadTs ?? null });
}

function reasonToDrop(event: WaitingEvent, isOutside: boolean, given: Given): string | null {
  if (event.subscription.state === 'ended') return 'ended';
  const waited = given.now.getTime() - event.receivedAt.getTime();
  if (waited > staleMs && !event.replayed) return 'stale';
  const filter = leftOut(event.subscription.filters, event.notification, given.isPerson);
  if (filter !== null) return filter;
  if (isOutside) return 'path';
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
function isAboutItself(notification: Notification, { target }: LaneSubscription): boolean {
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

function isItsOwnDeletion(notification: Notification, subscription: LaneSubscription): boolean {
  return (
    endsFolder(subscription, notification) ||
    (notification.eventType === 'Delete' && isAboutItself(notification, subscription))
  );
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
