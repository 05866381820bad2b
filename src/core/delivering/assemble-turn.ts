import type { WaitingEvent } from '../../store/tables/events.ts';
import type { KnownItem } from '../../store/tables/items.ts';
import type { LaneSubscription } from '../../store/tables/subscription-row.ts';
import { digestSince } from '../model/digest-hours.ts';
import { filterReasons } from '../model/filters.ts';
import type { Joining } from '../model/lane-card.ts';
import type { PostableEvent, TurnChoice } from './join-messages.ts';
import { pingsFor } from './pings.ts';
import { isAboutItself, isItsOwnDeletion, type ShownInTurn, type Turn, waitsForEdit } from './turn.ts';

/** What becomes of an event, if those of its item before it are settled. */
export type Judged = {
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

/** Makes the turn of what was chosen of the pending events. */
export function assembleTurn(
  judged: readonly Judged[],
  choice: TurnChoice,
  waiting: readonly WaitingEvent[],
  now: Date,
): Turn {
  const { settled, waits, ...left } = split(judged, choice);
  const shown = settled.flatMap(({ candidate }) => candidate ?? []);
  const stale = settled.filter(({ reason }) => reason === 'stale').length;
  const place = shown[0]?.place;
  // What lies outside of the followed folder is not even remembered: this channel must not see it.
  const seen = settled.filter((each) => !isUnseen(each));
  return {
    ...left,
    ...endsOf(seen),
    shown,
    kind: stale > 0 ? 'summary' : (place?.kind ?? 'live'),
    because: place?.because ?? null,
    since: sinceOf(shown, now),
    stale,
    // Edits and summaries mention nobody.
    pings: choice.edit === null && stale === 0 && place?.kind !== 'summary' ? pingsFor(settled, now) : [],
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
