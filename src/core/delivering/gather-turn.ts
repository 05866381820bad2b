import { dayMs } from '../../lib/durations.ts';
import { inSlices, type Pace } from '../../lib/in-slices.ts';
import type { WaitingEvent } from '../../store/tables/events.ts';
import type { KnownItem, LearnedItem } from '../../store/tables/items.ts';
import {
  type Excluded,
  failedFilter,
  type IsPerson,
  isOutsideFollowed,
  makePathPasses,
  showsPlace,
} from '../model/filters.ts';
import { itemKey, type Remembered } from '../model/items.ts';
import { joiningKey, lateMs, rollingVerbs } from '../model/lane-card.ts';
import type { Notification } from '../model/notification.ts';
import { assembleTurn, type Judged } from './assemble-turn.ts';
import { choose, type EditableCards, type Place } from './join-messages.ts';
import { inSight, recalledChange, timed, withinOf } from './recall-changes.ts';
import { alternates, isItsOwnDeletion, kindOf, type ShownInTurn, type Turn } from './turn.ts';
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
  /** When to let other work run: matching long globs against long paths takes time. */
  readonly pace: Pace;
};

type Judging = GatherContext & {
  readonly pathPasses: ReturnType<typeof makePathPasses>;
};

/** What the events judged so far lead to. */
type Judgment = {
  readonly judged: Judged[];
  readonly items: Map<string, KnownItem | null>;
  /** Subscriptions that end. */
  readonly ended: Set<string>;
};

/**
 * Sorts the pending events into those that the next message shows, those to drop, and those left for another turn, such as those for which
 * there is no time. Adds events that cannot be read to `given.broken`.
 */
export async function gather(
  waiting: readonly WaitingEvent[],
  given: GatherContext,
): Promise<Turn> {
  const judgment: Judgment = { judged: [], items: new Map(), ended: new Set() };
  const judging = { ...given, pathPasses: makePathPasses() };
  const isDone = await inSlices(
    waiting,
    (event) => {
      try {
        judgment.judged.push(judge(event, judgment, judging));
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

function judge(event: WaitingEvent, { items, ended }: Judgment, given: Judging): Judged {
  const { notification, subscription } = event;
  const key = itemKey(notification);
  const { before, last } = lastOf(notification, items, given);
  const isOutside = isOutsideFollowed(subscription, notification, (before && last)?.idPath ?? null);
  const reason = ended.has(subscription.id) ? 'ended' : reasonToDrop(event, isOutside, given);
  const dropsUnseen = reason !== null && isOutside;
  const candidate = reason === null ? candidateOf({ event, key, before, last }, given) : null;
  const ownerUserId = reason === 'covered' ? (before?.ownerUserId ?? null) : subscription.ownerUserId;
  const after = key === null || dropsUnseen ? undefined : afterwards({ event, before, last, ownerUserId });
  if (key !== null && after !== undefined) items.set(key, after);
  if (!dropsUnseen && isItsOwnDeletion(notification, subscription)) ended.add(subscription.id);
  return { event, key, reason, isOutside, after, candidate };
}

/** Works out how an event is shown, and where. */
function candidateOf(
  {
    event,
    key,
    before,
    last,
  }: { event: WaitingEvent; key: string | null; before: KnownItem | null; last: Remembered | null },
  given: Judging,
): ShownInTurn {
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
function placeOf(event: WaitingEvent, before: KnownItem | null, { now }: Judging): Place {
  const kind = kindOf(event, now);
  if (kind === 'summary') return { kind, because: event.summary, threadTs: null };
  return { kind, because: null, threadTs: event.subscription.threads ? (before?.threadTs ?? null) : null };
}

/**
 * Returns what was last known of an event's item: `before` in this channel, including this turn; `last` before the event's change, in this
 * channel or else in another one.
 */
function lastOf(
  notification: Notification,
  items: ReadonlyMap<string, KnownItem | null>,
  { known, learned }: GatherContext,
): { readonly before: KnownItem | null; readonly last: Remembered | null } {
  const key = itemKey(notification);
  if (key === null) return { before: null, last: null };
  const before = (items.has(key) ? items.get(key) : known.get(key)) ?? null;
  if (before === null) return { before, last: learnedBefore(notification, learned.get(key)) };
  return { before, last: beforeChange(notification, before) };
}

/** Returns what an event reveals about its item; undefined if nothing new. A duplicate is remembered the same way. */
function afterwards({
  event,
  before,
  last,
  ownerUserId,
}: {
  event: WaitingEvent;
  before: KnownItem | null;
  last: Remembered | null;
  ownerUserId: string | null;
}): KnownItem | null | undefined {
  // Its message can still become the item's thread.
  if (isOlder(event, before)) return before ?? undefined;
  const { notification } = event;
  const after = rememberedAfter(notification, before);
  const previous = previousState(notification, last) ?? before?.previous;
  const { threadTs = null, messageTs = null } = before ?? {};
  return after && { ...after, ownerUserId, previous, threadTs, messageTs };
}

function reasonToDrop(event: WaitingEvent, isOutside: boolean, given: Judging): string | null {
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
