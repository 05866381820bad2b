import { dayMs } from '../../lib/durations.ts';
import { inSlices, type Pace } from '../../lib/in-slices.ts';
import type { WaitingEvent } from '../../store/tables/events.ts';
import type { KnownItem, LearnedItem } from '../../store/tables/items.ts';
import type { LaneSubscription } from '../../store/tables/subscription-row.ts';
import type { Change, PostedAs } from '../model/change.ts';
import type { Excluded } from '../model/exclusion.ts';
import {
  type FilterReason,
  failedFilter,
  isOutsideFolder,
  makePathPasses,
  showsPlace,
} from '../model/filters.ts';
import type { HeldReason } from '../model/held-reason.ts';
import { itemKey } from '../model/item-keys.ts';
import type { MessageKind } from '../model/lane-card.ts';
import type { Notification } from '../model/notification.ts';
import type { Remembered } from '../model/previous-state.ts';
import type { PersonName } from '../model/subscription.ts';
import { isItsOwnDeletion } from './about-itself.ts';
import { isOlder, learnedBefore, previousState } from './learned-before.ts';
import { recalledChange, timed, withinOf } from './recall-changes.ts';
import type { Turn } from './turn.ts';
import { alternates, kindOf } from './turn-kind.ts';
import { isWorthNoting, noteOf } from './turn-notes.ts';
import { acceptedAt, sinceOf } from './turn-times.ts';
import { rememberedAfter, whatChanged } from './what-changed.ts';

/** An event that cannot be read, because it or its subscription is malformed. */
export type Broken = { readonly event: WaitingEvent; readonly error: unknown };

/** Events that have waited longer than this are no longer posted. */
export const staleMs = 7 * dayMs;

type GatherContext = {
  readonly known: ReadonlyMap<string, KnownItem>;
  /** What other channels remember about items that are new to this one. */
  readonly learned: ReadonlyMap<string, LearnedItem>;
  readonly isDuplicate: (event: WaitingEvent) => boolean;
  readonly isPerson: (email: string, person: PersonName) => boolean;
  readonly excluded: Excluded;
  readonly now: Date;
  /** Receives the events that cannot be read. */
  readonly broken: Broken[];
  /** When to let other work run: matching long globs against long paths takes time. */
  readonly pace: Pace;
};

type Judging = GatherContext & {
  /** Whether a message can take an event of its kind although an earlier one of another kind has to wait. */
  readonly mayOvertake: boolean;
  readonly pathPasses: ReturnType<typeof makePathPasses>;
};

/** Where a message goes and what it contains. Events that differ in any of these need separate messages. */
type Place = {
  readonly kind: MessageKind;
  readonly because: HeldReason | null;
  readonly threadTs: string | null;
};

type Gathering = {
  readonly items: Map<string, KnownItem | null>;
  readonly dropped: Map<string, string[]>;
  readonly idsOnly: Set<string>;
  readonly shown: WaitingEvent[];
  readonly postedAs: Map<string, PostedAs>;
  readonly changes: Change[];
  readonly ended: Set<string>;
  readonly endedUnposted: LaneSubscription[];
  readonly notes: Map<string, Turn['notes'][number]>;
  readonly threadKeys: Set<string>;
  /** The message's place, set by the first event to post. */
  place: Place | null;
  /** Items with an event left for the next turn, so their later events have to wait too. */
  readonly left: Set<string>;
  /** Whether nothing more can go to that place in this turn, because it would overtake an event that was left for the next one. */
  closed: boolean;
  more: boolean;
};

/**
 * Sorts the pending events into those that the next message shows, those to drop, and those left for another turn, such as those for which
 * there is no time. Adds events that cannot be read to `given.broken`.
 */
export async function gather(
  waiting: readonly WaitingEvent[],
  given: GatherContext,
): Promise<Omit<Turn, 'broken'>> {
  const gathering: Gathering = {
    items: new Map(),
    dropped: new Map(),
    idsOnly: new Set(),
    shown: [],
    postedAs: new Map(),
    changes: [],
    ended: new Set(),
    endedUnposted: [],
    notes: new Map(),
    threadKeys: new Set(),
    place: null,
    left: new Set(),
    closed: false,
    more: false,
  };
  const mayOvertake = alternates(waiting, given.now);
  const judging = { ...given, mayOvertake, pathPasses: makePathPasses() };
  const isDone = await inSlices(
    waiting,
    (event) => {
      try {
        gatherOne(event, gathering, judging);
      } catch (error) {
        given.broken.push({ event, error });
      }
    },
    given.pace,
  );
  const { items, dropped, shown, postedAs, changes, ended, notes, threadKeys, place, more } = gathering;
  const stale = dropped.get('stale')?.length ?? 0;
  return {
    changes,
    kind: stale > 0 ? 'summary' : (place?.kind ?? 'live'),
    because: place?.because ?? null,
    since: sinceOf(shown, given.now),
    stale,
    posted: shown.map(({ seq }) => seq),
    postedAs,
    acceptedAt: acceptedAt(shown),
    dropped,
    idsOnly: gathering.idsOnly,
    items,
    threadTs: place?.threadTs ?? null,
    threadKeys: [...threadKeys],
    more: more || !isDone,
    notes: [...notes.values()].filter((note) => isWorthNoting(note, waiting)),
    ended: [...ended],
    endedUnposted: gathering.endedUnposted,
  };
}

function addTo(seqs: Map<string, string[]>, reason: string, seq: string): void {
  const known = seqs.get(reason);
  if (known) known.push(seq);
  else seqs.set(reason, [seq]);
}

function gatherOne(event: WaitingEvent, gathering: Gathering, given: Judging): void {
  const { items, dropped, ended, notes, left } = gathering;
  const { notification, subscription } = event;
  const key = itemKey(notification);
  if (key !== null && left.has(key)) {
    gathering.more = true;
    return;
  }
  const { before, last } = lastOf(notification, items, given);
  const isOutside = isOutsideFolder(subscription, notification, before?.idPath ?? null);
  const reason = ended.has(subscription.id) ? 'ended' : reasonToDrop(event, isOutside, given);
  if (reason !== null) {
    addTo(dropped, reason, event.seq);
    // Nothing about it is remembered either: this channel must not see it.
    if (isOutside) {
      gathering.idsOnly.add(event.seq);
      return;
    }
  } else if (!addToMessage({ event, key, before, last }, gathering, given)) {
    gathering.more = true;
    if (key !== null) left.add(key);
    return;
  }
  const ownerUserId = reason === 'covered' ? (before?.ownerUserId ?? null) : subscription.ownerUserId;
  remember(items, key, { event, before, last, ownerUserId });
  notes.set(subscription.id, noteOf(event, notes.get(subscription.id)?.name ?? null));
  if (isItsOwnDeletion(notification, subscription)) noteEnd(subscription, reason, gathering);
}

/** Notes that the followed resource was deleted. `reason`: why the deletion is not posted; null if it is. */
function noteEnd(
  subscription: LaneSubscription,
  reason: string | null,
  { ended, endedUnposted }: Gathering,
): void {
  ended.add(subscription.id);
  if (reason !== null && withoutPost.has(reason)) endedUnposted.push(subscription);
}

/** Reasons why no message in the channel reports a deletion. */
const withoutPost: ReadonlySet<string> = new Set<FilterReason | 'stale'>([
  'type',
  'item',
  'person',
  'path',
  'stale',
]);

/** Adds an event to the message, or returns false to leave it for another turn: a message goes to one place and has one kind of content. */
function addToMessage(
  {
    event,
    key,
    before,
    last,
  }: { event: WaitingEvent; key: string | null; before: KnownItem | null; last: Remembered | null },
  gathering: Gathering,
  given: Judging,
): boolean {
  const { notification, subscription } = event;
  const place = placeOf(event, before, given);
  const within = withinOf(notification, subscription, given.known);
  const change = {
    ...(event.postedAs
      ? recalledChange(event, within)
      : timed(whatChanged(notification, last, within), event.receivedAt)),
    ...(last !== null && !showsPlace(subscription, subscription.filters, notification, last, given.pathPasses)
      ? { previousFolder: null }
      : {}),
    eventId: event.seq,
  };
  gathering.place ??= place;
  // Nothing that came after the end of a subscription can be posted before it.
  const keepsOrder = !given.mayOvertake || isItsOwnDeletion(notification, subscription);
  if (!belongsTo(gathering, place, keepsOrder)) return false;
  if (subscription.threads && place.threadTs === null && key !== null) gathering.threadKeys.add(key);
  gathering.changes.push(change);
  gathering.shown.push(event);
  if (notification.eventType === 'Update') gathering.postedAs.set(event.seq, postedAsOf(change));
  return true;
}

/** Returns the message place for an event. A summary is one message in the channel, even if its items have threads. */
function placeOf(event: WaitingEvent, before: KnownItem | null, { now }: Judging): Place {
  const kind = kindOf(event, now);
  if (kind === 'summary') return { kind, because: event.summary, threadTs: null };
  return { kind, because: null, threadTs: event.subscription.threads ? (before?.threadTs ?? null) : null };
}

/**
 * Returns whether an event goes into the message being gathered. Within the channel and within a thread, messages keep the order of
 * acceptance: once an event that `keepsOrder` has to wait, later ones for its place wait too. Summaries are exempt, because their events
 * have waited anyway.
 */
function belongsTo(gathering: Gathering, { kind, because, threadTs }: Place, keepsOrder: boolean): boolean {
  const { place } = gathering;
  if (place === null) return true;
  if (place.threadTs !== threadTs) return false;
  const isSame = place.kind === kind && place.because === because;
  if (!isSame && keepsOrder) gathering.closed = true;
  return isSame && (!gathering.closed || kind === 'summary');
}

/**
 * Returns what was last known of an event's item: `before` in this channel, including this turn; `last` in this channel or else in
 * another one.
 */
function lastOf(
  notification: Notification,
  items: ReadonlyMap<string, KnownItem | null>,
  { known, learned }: GatherContext,
): { readonly before: KnownItem | null; readonly last: Remembered | null } {
  const key = itemKey(notification);
  if (key === null) return { before: null, last: null };
  const before = (items.has(key) ? items.get(key) : known.get(key)) ?? null;
  return { before, last: before ?? learnedBefore(notification, learned.get(key)) };
}

/** Stores what an event reveals about its item. A duplicate is stored the same way. */
function remember(
  items: Map<string, KnownItem | null>,
  key: string | null,
  {
    event,
    before,
    last,
    ownerUserId,
  }: {
    event: WaitingEvent;
    before: KnownItem | null;
    last: Remembered | null;
    ownerUserId: string | null;
  },
): void {
  if (key === null) return;
  if (isOlder(event, before)) {
    // Its message can still become the item's thread.
    if (before?.threadTs === null) items.set(key, before);
    return;
  }
  const { notification } = event;
  const after = rememberedAfter(notification, before);
  const previous = previousState(notification, last) ?? before?.previous;
  items.set(key, after && { ...after, ownerUserId, previous, threadTs: before?.threadTs ?? null });
}

function reasonToDrop(event: WaitingEvent, isOutside: boolean, given: Judging): string | null {
  if (event.subscription.state === 'ended') return 'ended';
  const waited = given.now.getTime() - event.receivedAt.getTime();
  if (waited > staleMs && !event.replayed) return 'stale';
  const { subscription, notification } = event;
  const { isPerson, excluded, pathPasses } = given;
  const filter = failedFilter(subscription.filters, notification, isPerson, excluded, pathPasses);
  if (filter !== null) return filter;
  if (isOutside) return 'path';
  return given.isDuplicate(event) ? 'covered' : null;
}

function postedAsOf({ verb, previousName, previousFolder }: Change): PostedAs {
  return { verb, previousName, previousFolder };
}
