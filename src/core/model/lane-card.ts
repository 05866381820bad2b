import { earlier, minuteMs } from '../../lib/durations.ts';
import type { SummaryCause } from './held-reason.ts';

/** The last message of a lane, while it may still be edited to add what happens. Times are ISO 8601. */
export type LaneCard = {
  readonly ts: string;
  readonly mode: MessageKind;
  /** In a summary: what it had waited for. */
  readonly because?: SummaryCause | null | undefined;
  readonly begunAt: string;
  /** When it was posted or last edited. */
  readonly touchedAt: string;
  /** How many events it shows. */
  readonly events: number;
  /** How many messages were posted one soon after the other, this one included. */
  readonly inARow: number;
};

/**
 * What a message is about, since one message does not mix them: what happens and can be gathered, what must be noticed, or what had
 * waited.
 */
export type MessageKind = 'live' | 'notable' | 'summary';

/** A post that is about to be made, so that it can be looked for where its answer never comes. */
export type PostAttempt = {
  /** Goes with the message, and is read by nobody but the bot. */
  readonly key: string;
  readonly seqs: readonly string[];
  /** ISO 8601. */
  readonly at: string;
  readonly threadTs: string | null;
};

/** What is about to be posted. */
export type PendingPost = {
  readonly mode: MessageKind;
  readonly because: SummaryCause | null;
  readonly events: number;
  readonly threadTs: string | null;
  /** Whether it must not be overlooked: an edited message makes no noise. */
  readonly mustBeNoticed: boolean;
};

/** As many changes in one message, or as many messages in a row, are a burst; what is less is worth a message each. */
const burst = { events: 10, inARow: 8 };
/** Messages that follow each other within this time are in a row. */
const inARowMs = 2_000;
/** A burst is over when nothing came for as long. */
const burstOverMs = 5_000;
/** One message is edited for so long, and shows so many events. More would be a card that nobody sees any more. */
const most = { ms: 10 * minuteMs, events: 5_000 };
/** Slack takes about 50 edits a minute and workspace; one every three seconds leaves some for other lanes. */
const betweenUpdatesMs = 3_000;

/** When a card may be edited next; null if the next event is a message of its own. */
export function nextEditAt(card: LaneCard | null, now: Date): Date | null {
  // An edit notifies nobody: what must be noticed is never edited in.
  if (card === null || card.mode === 'notable' || !isBurst(card)) return null;
  const touched = Date.parse(card.touchedAt);
  if (now.getTime() - touched > burstOverMs) return null;
  if (now.getTime() - Date.parse(card.begunAt) > most.ms || card.events >= most.events) return null;
  return new Date(touched + betweenUpdatesMs);
}

/** Whether a card that may be edited by now is the place for what is about to be posted. */
export function takesInto(card: LaneCard | null, pending: PendingPost, now: Date): card is LaneCard {
  const at = nextEditAt(card, now);
  return (
    at !== null &&
    at.getTime() <= now.getTime() &&
    card?.mode === pending.mode &&
    (card.because ?? null) === pending.because &&
    pending.threadTs === null &&
    !pending.mustBeNoticed &&
    card.events + pending.events <= most.events
  );
}

/** The card that a new message is. */
export function cardOf(
  before: LaneCard | null,
  { mode, because, events }: PendingPost,
  { ts, at }: { readonly ts: string; readonly at: Date },
): LaneCard {
  const soon = before !== null && at.getTime() - Date.parse(before.touchedAt) < inARowMs;
  const when = at.toISOString();
  const inARow = soon ? before.inARow + 1 : 1;
  return { ts, mode, because, begunAt: when, touchedAt: when, events, inARow };
}

/** The card once it was edited to show more. */
export function cardWith(card: LaneCard, { events }: PendingPost, at: Date): LaneCard {
  return { ...card, touchedAt: at.toISOString(), events: card.events + events };
}

/** The card after an edit of which nobody knows whether it was made, so that the next try, at `then`, edits it again. */
export function untouchedUntil(card: LaneCard, then: Date): LaneCard {
  return { ...card, touchedAt: earlier(then, betweenUpdatesMs).toISOString() };
}

function isBurst({ events, inARow }: LaneCard): boolean {
  return events >= burst.events || inARow >= burst.inARow;
}
