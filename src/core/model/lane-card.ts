import { earlier, minuteMs } from '../../lib/durations.ts';
import type { HeldReason } from './held-reason.ts';

/** The last message of a lane, while later events can still be edited into it. Times are ISO 8601. */
export type LaneCard = {
  readonly ts: string;
  readonly mode: MessageKind;
  /** Why the message is a summary; null or missing if it is not one. */
  readonly because?: HeldReason | null | undefined;
  readonly begunAt: string;
  /** When it was posted or last edited. */
  readonly touchedAt: string;
  /** How many events it shows. */
  readonly events: number;
  /** About how long they are as JSON; missing if an older release posted it. */
  readonly bytes?: number | undefined;
  /** How many messages were posted in quick succession, including this one. */
  readonly inARow: number;
};

/**
 * What a message contains. One message never mixes them: live events that can be grouped, events that must be noticed, or a summary of
 * held events.
 */
export type MessageKind = 'live' | 'notable' | 'summary';

/** The post that a turn is about to make. */
export type PendingPost = {
  readonly mode: MessageKind;
  readonly because: HeldReason | null;
  readonly events: number;
  readonly bytes: number;
  readonly threadTs: string | null;
  /** Whether it must notify people: editing a message does not. */
  readonly mustBeNoticed: boolean;
};

/** This many changes in one message, or this many messages in a row, are a burst. Below that, each change gets its own message. */
const burst = { events: 10, inARow: 8 };
/** Messages at most this far apart are in a row. */
const inARowMs = 2_000;
/** A burst is over after this long without a new post or edit. */
const burstOverMs = 5_000;
/** How many events one message shows at most. */
export const mostEvents = 5_000;
/** After how many bytes of events it has room for no more: enough for that many files with long paths. An edit renders all of them again. */
export const mostBytes = 6_000_000;
/** How long one message is edited. A longer one would be too far up for anyone to see. */
const editedMs = 10 * minuteMs;
/** Slack allows about 50 edits a minute in a workspace; one every three seconds leaves some for other lanes. */
const betweenUpdatesMs = 3_000;

/** Returns when a card can be edited next; null if the next event needs a message of its own. */
export function nextEditAt(card: LaneCard | null, now: Date): Date | null {
  // An edit notifies nobody, so what must be noticed is never added by an edit.
  if (card === null || card.mode === 'notable' || !isBurst(card)) return null;
  const touched = Date.parse(card.touchedAt);
  if (now.getTime() - touched > burstOverMs) return null;
  if (now.getTime() - Date.parse(card.begunAt) > editedMs || card.events >= mostEvents) return null;
  if ((card.bytes ?? 0) >= mostBytes) return null;
  return new Date(touched + betweenUpdatesMs);
}

/** Returns how many of the pending post's events can be edited into the card now; 0 if the post needs a message of its own. */
export function eventsThatFit(pending: PendingPost, card: LaneCard | null, now: Date): number {
  const at = nextEditAt(card, now);
  const takesIn =
    at !== null &&
    at.getTime() <= now.getTime() &&
    card?.mode === pending.mode &&
    (card.because ?? null) === pending.because &&
    pending.threadTs === null &&
    !pending.mustBeNoticed;
  return takesIn ? mostEvents - card.events : 0;
}

/** Returns the card for a new message. */
export function cardOf(
  before: LaneCard | null,
  { mode, because, events, bytes }: PendingPost,
  { ts, at }: { readonly ts: string; readonly at: Date },
): LaneCard {
  const soon = before !== null && at.getTime() - Date.parse(before.touchedAt) < inARowMs;
  const when = at.toISOString();
  const inARow = soon ? before.inARow + 1 : 1;
  return { ts, mode, because, begunAt: when, touchedAt: when, events, bytes, inARow };
}

/** Returns the card after an edit that added events. */
export function cardWith(card: LaneCard, { events, bytes }: PendingPost, at: Date): LaneCard {
  const all = { events: card.events + events, bytes: (card.bytes ?? 0) + bytes };
  return { ...card, touchedAt: at.toISOString(), ...all };
}

/** Returns the card after an edit with an unknown outcome, so the next attempt, at `then`, edits it again. */
export function untouchedUntil(card: LaneCard, then: Date): LaneCard {
  return { ...card, touchedAt: earlier(then, betweenUpdatesMs).toISOString() };
}

function isBurst({ events, inARow }: LaneCard): boolean {
  return events >= burst.events || inARow >= burst.inARow;
}
