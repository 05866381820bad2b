import { dayMs } from '../../lib/durations.ts';
import { inSlices, type Pace } from '../../lib/in-slices.ts';
import type { WaitingEvent } from '../../store/tables/events.ts';
import type { KnownItem, LearnedItem } from '../../store/tables/items.ts';
import type { LaneSubscription } from '../../store/tables/subscription-row.ts';
import { digestSince } from '../model/digest-hours.ts';
import {
  type Excluded,
  failedFilter,
  filterReasons,
  type IsPerson,
  isOutsideFollowed,
  type makePathPasses,
  showsPlace,
} from '../model/filters.ts';
import { itemKey, type Remembered } from '../model/items.ts';
import { type Joining, joiningKey, lateMs, rollingVerbs } from '../model/lane-card.ts';
import type { Notification } from '../model/notification.ts';
import {
  choose,
  type EditableCards,
  type Place,
  type PostableEvent,
  type TurnChoice,
} from './join-messages.ts';
import { pingsFor } from './pings.ts';
import { inSight, recalledChange, timed, withinOf } from './recall-changes.ts';
import {
  alternates,
  isAboutItself,
  isItsOwnDeletion,
  kindOf,
  type ShownInTurn,
  type Turn,
  waitsForEdit,
} from './turn.ts';
import {
  beforeChange,
  isOlder,
  learnedBefore,
  previousState,
  rememberedAfter,
  whatChanged,
} from './what-changed.ts';

/** An event that cannot be read, because it or its subscription is malformed. */
export type Broken = { readonly event: WaitingEvent; readonly error: unknown };

/** Events that have waited longer than this are no longer posted. A weekly digest has two days more, to come late. */
export const staleMs = 7 * dayMs;
const staleInWeeklyMs = 9 * dayMs;

type GatherContext = {
  readonly known: ReadonlyMap<string, KnownItem>;
  /** What other channels remember about items that are new to this one. */
  readonly learned: ReadonlyMap<string, LearnedItem>;
  readonly isDuplicate: (event: WaitingEvent) => boolean;
  readonly isPerson: IsPerson;
  readonly excluded: Excluded;
  readonly now: Date;
  /** Receives the events that cannot be read. */
  readonly broken: Broken[];
  readonly cards: EditableCards;
  readonly pathPasses: ReturnType<typeof makePathPasses>;
  /** When to let other work run: matching long globs against long paths takes time. */
  readonly pace: Pace;
};

/** An event, and what was last known of its item: in this channel; and before the event's change, in this channel or else in another one. */
type EventOfItem = {
  readonly event: WaitingEvent;
  readonly key: string | null;
  readonly before: KnownItem | null;
  readonly last: Remembered | null;
};

/** What becomes of an event, if those of its item before it are settled. */
type Judged = {
  readonly event: WaitingEvent;
  readonly key: string | null;
  /** Why it is dropped; null if it is to be posted. */
  readonly reason: string | null;
  /** Whether it lies outside of what is followed, so nothing about it is remembered. */
  readonly isOutside: boolean;
  /** What its item is then remembered as. */
  readonly after: KnownItem | null | undefined;
  readonly candidate: ShownInTurn | null;
};

/** What the events judged so far lead to. */
type Judgment = {
  readonly judged: Judged[];
  readonly items: Map<string, KnownItem | null>;
  /** Subscriptions that end. */
  readonly ended: Set<string>;
};

/** Sorts the pending events into those that the next message shows, those to drop, and those left for another turn; adds broken ones to `given`. */
export async function gather(waiting: readonly WaitingEvent[], given: GatherContext): Promise<Turn> {
  const judgment: Judgment = { judged: [], items: new Map(), ended: new Set() };
  const isDone = await inSlices(
    waiting,
    (event) => {
      try {
        judgment.judged.push(judge(event, judgment, given));
      } catch (error) {
        given.broken.push({ event, error });
      }
    },
    given.pace,
  );
  const { judged } = judgment;
  const candidates = judged.flatMap(({ candidate }) => candidate ?? []);
  const choice = choose(candidates, given.cards, given.now, alternates(waiting, given.now));
  const turn = assembleTurn(judged, choice, waiting, given.now);
  return isDone ? turn : { ...turn, more: true };
}

function judge(event: WaitingEvent, { items, ended }: Judgment, given: GatherContext): Judged {
  const { notification, subscription } = event;
  const key = itemKey(notification);
  const ofItem = { event, key, ...lastOf(notification, items, given) };
  const { before, last } = ofItem;
  const isOutside = isOutsideFollowed(subscription, notification, (before && last)?.idPath ?? null);
  const reason = ended.has(subscription.id) ? 'ended' : reasonToDrop(event, isOutside, given);
  const dropsUnseen = reason !== null && isOutside;
  const candidate = reason === null ? candidateOf(ofItem, given) : null;
  const ownerUserId = reason === 'covered' ? (before?.ownerUserId ?? null) : subscription.ownerUserId;
  const after = key === null || dropsUnseen ? undefined : afterwards(ofItem, ownerUserId);
  if (key !== null && after !== undefined) items.set(key, after);
  if (!dropsUnseen && isItsOwnDeletion(notification, subscription)) ended.add(subscription.id);
  return { event, key, reason, isOutside, after, candidate };
}

/** Works out how an event is shown, and where. */
function candidateOf({ event, key, before, last }: EventOfItem, given: GatherContext): ShownInTurn {
  const { notification, subscription } = event;
  const within = withinOf(notification, subscription, given.known);
  const said = event.postedAs
    ? recalledChange(event, within)
    : timed(whatChanged(notification, last, within), event.receivedAt);
  const change = {
    ...inSight(said, notification, subscription),
    ...(last !== null && !showsPlace(subscription, subscription.filters, notification, last, given.pathPasses)
      ? { previousFolder: null }
      : {}),
    eventId: event.seq,
  };
  const parent = notification.projectId ?? notification.sessionId;
  const isLate = given.now.getTime() - change.happenedAt.getTime() > lateMs;
  const joining = {
    by: joiningKey(notification.actorEmail, parent, isLate),
    rolls: rollingVerbs.includes(change.verb),
  };
  const isReply = before?.threadTs != null && before.messageTs !== before.threadTs;
  const shownIn = subscription.threads && !isReply ? null : (before?.messageTs ?? null);
  const { verb, previousName, previousFolder } = change;
  const postedAs = notification.eventType === 'Update' ? { verb, previousName, previousFolder } : null;
  return { event, key, place: placeOf(event, before, given), joining, shownIn, change, postedAs };
}

/** Returns the message place for an event. A summary is one message in the channel, even if its items have threads. */
function placeOf(event: WaitingEvent, before: KnownItem | null, { now }: GatherContext): Place {
  const kind = kindOf(event, now);
  if (kind === 'summary') return { kind, because: event.summary, threadTs: null };
  return { kind, because: null, threadTs: event.subscription.threads ? (before?.threadTs ?? null) : null };
}

/** Returns what was last known of an event's item, also from this turn. */
function lastOf(
  notification: Notification,
  items: ReadonlyMap<string, KnownItem | null>,
  { known, learned }: GatherContext,
): Pick<EventOfItem, 'before' | 'last'> {
  const key = itemKey(notification);
  if (key === null) return { before: null, last: null };
  const before = (items.has(key) ? items.get(key) : known.get(key)) ?? null;
  if (before === null) return { before, last: learnedBefore(notification, learned.get(key)) };
  return { before, last: beforeChange(notification, before) };
}

/** Returns what an event reveals about its item; undefined if nothing new. A duplicate is remembered the same way. */
function afterwards(
  { event, before, last }: EventOfItem,
  ownerUserId: string | null,
): KnownItem | null | undefined {
  // Its message can still become the item's thread.
  if (isOlder(event, before)) return before ?? undefined;
  const { notification } = event;
  const after = rememberedAfter(notification, before);
  const previous = previousState(notification, last) ?? before?.previous;
  const { threadTs = null, messageTs = null } = before ?? {};
  return after && { ...after, ownerUserId, previous, threadTs, messageTs };
}

function reasonToDrop(event: WaitingEvent, isOutside: boolean, given: GatherContext): string | null {
  if (event.subscription.state === 'ended') return 'ended';
  if (isOutside) return 'path';
  const { subscription, notification } = event;
  const waited = given.now.getTime() - event.receivedAt.getTime();
  const most = subscription.delivery.when === 'weekly' ? staleInWeeklyMs : staleMs;
  if (waited > most && !event.replayed) return 'stale';
  const { isPerson, excluded, pathPasses } = given;
  const filter = failedFilter(subscription.filters, notification, isPerson, excluded, pathPasses);
  return filter ?? (given.isDuplicate(event) ? 'covered' : null);
}

/** Makes the turn of what was chosen of the pending events. */
function assembleTurn(
  judged: readonly Judged[],
  choice: TurnChoice,
  waiting: readonly WaitingEvent[],
  now: Date,
): Turn {
  const { settled, waits, ...left } = split(judged, choice);
  const shown = settled.flatMap(({ candidate }) => candidate ?? []);
  const stale = settled.filter(({ reason }) => reason === 'stale');
  const place = shown[0]?.place;
  // What lies outside of the followed folder is not even remembered: this channel must not see it.
  const seen = settled.filter((each) => !isUnseen(each));
  return {
    ...left,
    ...endsOf(seen),
    shown,
    kind: stale.length > 0 ? 'summary' : (place?.kind ?? 'live'),
    because: (place ? place.because : stale[0]?.event.summary) ?? null,
    since: sinceOf(shown, now),
    stale: stale.length,
    // Edits and summaries mention nobody.
    pings:
      choice.edit === null && stale.length === 0 && place?.kind !== 'summary' ? pingsFor(settled, now) : [],
    others: [...settled.flatMap(droppedMark), ...waits],
    items: new Map(
      seen.flatMap(({ key, after }) => (key === null || after === undefined ? [] : [[key, after] as const])),
    ),
    threadTs: place?.threadTs ?? null,
    joining: joiningOf(shown),
    edit: choice.edit,
    notes: notesOf(seen).filter((note) => isWorthNoting(note, waiting)),
  };
}

const isUnseen = ({ reason, isOutside }: Judged): boolean => reason !== null && isOutside;

type Split = Pick<Turn, 'editAt' | 'more'> & {
  readonly settled: readonly Judged[];
  /** The marks of events that did not know yet when their edit is due. */
  readonly waits: Turn['others'];
};

/** Splits off the events that wait. An event whose item has an earlier one that waits, waits with it. */
function split(judged: readonly Judged[], { posted, waits }: TurnChoice): Split {
  const settled: Judged[] = [];
  const marks: Turn['others'][number][] = [];
  let editAt: Date | null = null;
  let more = false;
  /** Until when the events of an item wait; null for the next turn. */
  const leftUntil = new Map<string | null, Date | null>();
  /** Subscriptions whose end waits for the next turn. */
  const endsLater = new Set<string>();
  for (const each of judged) {
    const { event, key, reason, candidate } = each;
    const before = key === null ? undefined : leftUntil.get(key);
    const isAfterEnd = reason === 'ended' && endsLater.has(event.subscription.id);
    if (before === undefined && !isAfterEnd && (candidate === null || posted.has(candidate))) {
      settled.push(each);
      continue;
    }
    const until = before ?? (candidate && waits.get(candidate)) ?? null;
    leftUntil.set(key, until);
    if (endsSubscription(each)) endsLater.add(event.subscription.id);
    more ||= until === null;
    editAt = earlierOf(editAt, until);
    if (until && event.editAt?.getTime() !== until.getTime()) marks.push(waitsForEdit(event.seq, until));
  }
  return { settled, editAt, waits: marks, more };
}

function earlierOf(one: Date | null, other: Date | null): Date | null {
  if (one === null || other === null) return one ?? other;
  return other < one ? other : one;
}

const endsSubscription = ({ event: { notification, subscription } }: Judged): boolean =>
  isItsOwnDeletion(notification, subscription);

/** Of what is outside of the followed folder, only ids are kept. */
function droppedMark({ event: { seq }, reason, isOutside }: Judged): Turn['others'] {
  return reason === null ? [] : [{ seq, state: 'filtered', reason, postedAs: null, idsOnly: isOutside }];
}

/** Returns the subscriptions whose resource was deleted; `endedUnposted` if the deletion is not posted. */
function endsOf(seen: readonly Judged[]): Pick<Turn, 'ended' | 'endedUnposted'> {
  const ends = seen.filter(endsSubscription);
  const unposted = ends.filter(({ reason }) => reason !== null && withoutPost.has(reason));
  return {
    ended: [...new Set(ends.map(({ event }) => event.subscription.id))],
    endedUnposted: unposted.map(({ event }): LaneSubscription => event.subscription),
  };
}

/** Reasons why no message in the channel reports a deletion. */
const withoutPost: ReadonlySet<string> = new Set([...filterReasons, 'stale']);

function notesOf(seen: readonly Judged[]): Turn['notes'] {
  const notes = new Map<string, Turn['notes'][number]>();
  for (const { event } of seen) {
    const { id } = event.subscription;
    notes.set(id, noteOf(event, notes.get(id)?.name ?? null));
  }
  return [...notes.values()];
}

/** Returns what decides whether more can join the message of these events. */
function joiningOf(shown: readonly PostableEvent[]): Joining {
  const [by = null, ...others] = new Set(shown.map(({ joining }) => joining.by));
  return { by: others.length === 0 ? by : null, rolls: shown.every(({ joining }) => joining.rolls) };
}

/** Returns the start of the period that a summary covers: its first event, or for a digest the previous digest if that is earlier. */
function sinceOf(shown: readonly PostableEvent[], now: Date): Date | null {
  const [first] = shown;
  if (!first) return null;
  const hours = shown.flatMap(({ event: { summary, subscription } }) =>
    summary === 'digest' ? (digestSince(subscription.delivery, subscription.createdAt, now) ?? []) : [],
  );
  return new Date(Math.min(first.event.receivedAt.getTime(), ...hours.map((hour) => hour.getTime())));
}

const notedEveryMs = 10_000;

/** Returns whether a subscription's last event is recorded now; in a burst, doing that from time to time is enough. */
function isWorthNoting({ id, at, name }: Turn['notes'][number], waiting: readonly WaitingEvent[]): boolean {
  const subscription = waiting.find((event) => event.subscription.id === id)?.subscription;
  const last = subscription?.lastEventAt?.getTime() ?? 0;
  return at.getTime() - last > notedEveryMs || (name !== null && name !== subscription?.resourceName);
}

/** Returns what to record about an event's subscription. `before`: a name that an earlier event of the turn has shown. */
function noteOf({ notification, subscription, receivedAt }: WaitingEvent, before: string | null) {
  const name = isAboutItself(notification, subscription) ? notification.name : null;
  return { id: subscription.id, at: receivedAt, name: name ?? before };
}
