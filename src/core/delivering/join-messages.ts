import { later } from '../../lib/durations.ts';
import type { WaitingEvent } from '../../store/tables/events.ts';
import {
  type CardSize,
  type Joining,
  type LaneCard,
  type MessageKind,
  nextEditAt,
  takesIn,
  waitsForEditMs,
} from '../model/lane-card.ts';
import type { HeldReason } from '../model/summary-lead.ts';
import { isItsOwnDeletion } from './turn.ts';

/** Where a message goes and what it contains. Events that differ in any of these need separate messages. */
export type Place = {
  readonly kind: MessageKind;
  readonly because: HeldReason | null;
  readonly threadTs: string | null;
};

/** An event that is to be posted. */
export type PostableEvent = {
  readonly event: WaitingEvent;
  readonly key: string | null;
  readonly place: Place;
  readonly joining: Joining;
  /** The newest message that shows its item, if it may be edited to show an update of it. */
  readonly shownIn: string | null;
};

/** The messages that may take in events: the newest of the channel, and by `ts` the newest of each item. */
export type EditableCards = {
  readonly newest: LaneCard | null;
  readonly byTs: ReadonlyMap<string, LaneCard>;
  /** About how long one event is as JSON. */
  readonly eventBytes: number;
};

/** A message with the events that join it. */
type JoinedCard = {
  readonly card: LaneCard;
  readonly candidates: PostableEvent[];
  readonly newItems: Set<string>;
};
/** `byItem`: the message shows the item already, so it does not matter whether it is still the newest. */
type Join = { readonly target: JoinedCard; readonly byItem: boolean };

/** What one turn posts, and what waits for which edit. */
export type TurnChoice = {
  readonly posted: ReadonlySet<PostableEvent>;
  /** The message that is edited, as it will be but for its time; null for a new message. */
  readonly edit: LaneCard | null;
  /** When the edit that an event waits for is due. The events in neither wait for the next turn. */
  readonly waits: ReadonlyMap<PostableEvent, Date>;
};

/**
 * Decides what the next message of a lane shows (CONTRACT, Repeats roll up). Whatever needs a new message comes first, so it never waits
 * for an edit; a new message about an item takes along what waits for one, and so does any new message in the channel with what would have
 * joined the message before it.
 * @param mayOvertake whether a message can take an event of its kind although an earlier one of another kind has to wait
 */
export function choose(
  candidates: readonly PostableEvent[],
  cards: EditableCards,
  now: Date,
  mayOvertake: boolean,
): TurnChoice {
  const joins = joinsOf(candidates, cards, now);
  const renewed = new Set(candidates.flatMap((each) => (joins.has(each) ? [] : (each.key ?? []))));
  const end = candidates.findLastIndex(endsSubscription);
  // Once a subscription has ended, nothing more of it is posted.
  for (const [index, each] of candidates.entries()) {
    if (index < end || renewed.has(each.key ?? '')) joins.delete(each);
  }
  const first = candidates.find((each) => !joins.has(each));
  if (first === undefined) return edit(joins, cards, now);
  return { ...newMessage(candidates, joins, first.place, mayOvertake), edit: null };
}

/** Chooses what goes to a place in a new message. */
function newMessage(
  candidates: readonly PostableEvent[],
  joins: ReadonlyMap<PostableEvent, Join>,
  place: Place,
  mayOvertake: boolean,
): Pick<TurnChoice, 'posted' | 'waits'> {
  const takesAlong = place.kind === 'live' && place.threadTs === null;
  const posted = new Set<PostableEvent>();
  const waits = new Map<PostableEvent, Date>();
  /** Items with an event that waits, so later ones wait too. */
  const left = new Set<string | null>();
  let closed = false;
  for (const each of candidates) {
    const join = joins.get(each);
    const isNext = !left.has(each.key);
    const isKept = join !== undefined && (join.byItem || !takesAlong);
    if (!isKept && isNext && !closed && isAt(place, each)) {
      posted.add(each);
      continue;
    }
    // Below a new message in the channel, the one before it is not the newest any more.
    if (isKept && (join.byItem || place.threadTs !== null)) waits.set(each, dueAt(join.target));
    closed ||= !isKept && isNext && closes(place, each, mayOvertake);
    if (each.key !== null) left.add(each.key);
  }
  return { posted, waits };
}

/**
 * Whether an event that has to wait makes later ones for this place wait too: within the channel and within a thread, messages keep the order
 * of acceptance. Summaries are exempt, because their events have waited anyway.
 */
function closes(place: Place, each: PostableEvent, mayOvertake: boolean): boolean {
  if (place.kind === 'summary' || each.place.threadTs !== place.threadTs || isAt(place, each)) return false;
  return !mayOvertake || endsSubscription(each);
}

const isAt = (place: Place, { place: { kind, because, threadTs } }: PostableEvent): boolean =>
  kind === place.kind && because === place.because && threadTs === place.threadTs;

const endsSubscription = ({ event }: PostableEvent): boolean =>
  isItsOwnDeletion(event.notification, event.subscription);

/** Chooses the edit that is due first, if any is. */
function edit(joins: ReadonlyMap<PostableEvent, Join>, { eventBytes }: EditableCards, now: Date): TurnChoice {
  const targets = [...new Set([...joins.values()].map(({ target }) => target))];
  const [next] = targets.toSorted((a, b) => dueAt(a).getTime() - dueAt(b).getTime());
  const due = next && dueAt(next) <= now ? next : null;
  const waits = new Map<PostableEvent, Date>();
  for (const [candidate, { target }] of joins) if (target !== due) waits.set(candidate, dueAt(target));
  if (due === null) return { posted: new Set(), edit: null, waits };
  return {
    posted: new Set(due.candidates),
    edit: { ...due.card, ...sizeWith(due, eventBytes) },
    waits,
  };
}

/** Returns which events can join which message, each after those before it. */
function joinsOf(
  candidates: readonly PostableEvent[],
  cards: EditableCards,
  now: Date,
): Map<PostableEvent, Join> {
  const joins = new Map<PostableEvent, Join>();
  const targets = new Map<string, JoinedCard>();
  /** What the last event of each item does; null if it needs a new message. */
  const lastOf = new Map<string, Join | null>();

  function joinOf(each: PostableEvent): Join | null {
    const { event, key, place, joining, shownIn } = each;
    if (place.kind !== 'live' || key === null || event.replayed || hasWaited(event, now)) return null;
    const before = lastOf.get(key);
    if (before === null) return null;
    const of = (card: LaneCard | null | undefined, byItem: boolean): Join | null => {
      if (!card) return null;
      const target = targets.get(card.ts) ?? { card, candidates: [], newItems: new Set() };
      const isNew = shownIn !== card.ts && !target.newItems.has(key);
      const size = sizeWith(target, cards.eventBytes, { events: 1, items: isNew ? 1 : 0 });
      if (!takesIn(card, joining, size, now)) return null;
      targets.set(card.ts, target);
      target.candidates.push(each);
      if (isNew) target.newItems.add(key);
      return { target, byItem };
    };
    const isUpdate = event.notification.eventType === 'Update';
    if (before) return of(before.target.card, before.byItem);
    const shown = isUpdate && shownIn !== null ? of(cards.byTs.get(shownIn), true) : null;
    // With threads on, an update joins only the newest reply about its item.
    return shown ?? (isUpdate && event.subscription.threads ? null : of(cards.newest, false));
  }

  for (const each of candidates) {
    const join = joinOf(each);
    if (join) joins.set(each, join);
    if (each.key !== null) lastOf.set(each.key, join);
  }
  return joins;
}

function sizeWith(
  { card, candidates, newItems }: JoinedCard,
  eventBytes: number,
  more: Pick<CardSize, 'events' | 'items'> = { events: 0, items: 0 },
): CardSize {
  const events = candidates.length + more.events;
  return {
    items: (card.items ?? 0) + newItems.size + more.items,
    events: card.events + events,
    bytes: (card.bytes ?? 0) + Math.round(events * eventBytes),
  };
}

/** When a message can be edited, unless an event waits for a later time because an edit was not possible; but not longer than it may wait. */
function dueAt({ card, candidates }: JoinedCard): Date {
  const times = candidates.flatMap(({ event }) => event.editAt ?? []);
  const due = Math.max(nextEditAt(card).getTime(), ...times.map((time) => time.getTime()));
  const most = candidates.flatMap(({ event }) => (event.editAt ? [waitsUntil(event).getTime()] : []));
  return new Date(Math.min(due, ...most));
}

/** Until when an event may wait for an edit; then it needs a new message. */
export const waitsUntil = ({ receivedAt }: WaitingEvent): Date => later(receivedAt, waitsForEditMs);

/** Whether an event has waited for an edit as long as it may. */
function hasWaited(event: WaitingEvent, now: Date): boolean {
  return event.editAt != null && waitsUntil(event) <= now;
}
