import { hash } from 'node:crypto';
import { hourMs, later, minuteMs } from '../../lib/durations.ts';
import type { ChangeVerb } from './change.ts';
import type { Channel } from './people.ts';

/** Milliseconds between two posts to a channel. Slack allows about one a second; the rest is a safety margin. */
export const betweenPostsMs = 1_050;

/** A message of a lane, as far as it matters for editing more changes into it. Times are ISO 8601. */
export type LaneCard = {
  readonly ts: string;
  readonly mode: MessageKind;
  readonly begunAt: string;
  /** When it was posted or last edited. */
  readonly touchedAt: string;
  /** How many events it shows, and about how long they are as JSON (missing if an older release posted it). */
  readonly events: number;
  readonly bytes?: number | undefined;
  /** How many items it shows. This and the rest are missing if an older release posted it. */
  readonly items?: number | undefined;
  /** Whose changes it shows, and in which project or session; null if that differs between them. */
  readonly by?: string | null | undefined;
  /** Whether it shows nothing but additions and updates. */
  readonly rolls?: boolean | undefined;
  /** Whether it was posted in a burst, so it shows more than a few items anyway. */
  readonly isBulk?: boolean | undefined;
};

/** What a message contains, never mixed: live events that can be grouped, events that must be noticed, or a summary of held events. */
export type MessageKind = 'live' | 'notable' | 'summary';

/** What decides about joining: `by` is the person with the project or session (null: unknown), `rolls` whether it is an addition or an update. */
export type Joining = Required<Pick<LaneCard, 'by' | 'rolls'>>;

/** How much a message shows. */
export type CardSize = { readonly items: number; readonly events: number; readonly bytes: number };

/** A change that is older than this when it is posted says when it happened. */
export const lateMs = 5 * minuteMs;

/** Additions and updates, as opposed to renames and moves. */
export const rollingVerbs: readonly ChangeVerb[] = ['added', 'updated'];

/**
 * Returns `by` for a change; null if the person is unknown. What is late says when it happened, so only what is late too joins it. A hash,
 * since it is stored for longer than email addresses may be.
 */
export function joiningKey(
  actorEmail: string | null,
  parentId: string | null,
  isLate = false,
): string | null {
  if (actorEmail === null) return null;
  const key = hash('sha256', JSON.stringify([actorEmail.toLowerCase(), parentId]), 'base64url');
  return isLate ? `${late}${key}` : key;
}

const late = 'late ';

/** Whether a message shows what was late. */
export const showsLate = ({ by }: LaneCard): boolean => by?.startsWith(late) === true;

/** CONTRACT, Repeats roll up. */
const joined = { touchedMs: 15 * minuteMs, begunMs: 2 * hourMs, items: 30, events: 1_000 };
/** A new message with this many items is a burst: later changes join it until none has come for a while. */
const bulk = { items: 10, touchedMs: 10_000 };
/** How many events one message shows at most. */
export const mostEvents = 5_000;
/** After how many bytes of events it has room for no more: enough for that many files with long paths. An edit renders all of them again. */
export const mostBytes = 6_000_000;
/** Milliseconds between two edits of one message, and between a post and its first edit. */
const betweenEditsMs = 5_000;
/** How long an event waits if the workspace has no edit left, or Slack refuses it; then it is posted in a new message. */
export const waitsForEditMs = minuteMs;

/** Returns whether a change can be edited into a message, which would then have this size. A burst has more room, but for less time. */
export function takesIn(card: LaneCard, { by, rolls }: Joining, size: CardSize, now: Date): boolean {
  if (card.mode !== 'live' || by == null || card.by !== by || !card.rolls || !rolls) return false;
  const ago = (time: string) => now.getTime() - Date.parse(time);
  if (ago(card.begunAt) >= joined.begunMs || size.bytes > mostBytes) return false;
  if (card.isBulk && ago(card.touchedAt) < bulk.touchedMs) return size.events <= mostEvents;
  const hasRoom = size.items <= joined.items && size.events <= joined.events;
  return hasRoom && ago(card.touchedAt) < joined.touchedMs;
}

/** Returns whether a message is young enough to be joined. Its `ts` is Slack's time of it, in seconds. */
export const mayBeJoined = (ts: string, now: Date): boolean =>
  now.getTime() - Number(ts) * 1_000 < joined.begunMs + minuteMs;

/** Returns when a message may be edited next. */
export const nextEditAt = ({ touchedAt }: LaneCard): Date => later(new Date(touchedAt), betweenEditsMs);

/** Returns the card of a new message. */
export function cardOf(
  mode: MessageKind,
  { by, rolls }: Joining,
  size: CardSize,
  { ts, at }: { readonly ts: string; readonly at: Date },
): LaneCard {
  const when = at.toISOString();
  return { ts, mode, by, rolls, begunAt: when, touchedAt: when, ...size, isBulk: size.items >= bulk.items };
}

/** Lane claims that last longer than they say: claims that end after `since` last until `until` at least. */
export type HeldClaims = { readonly since: Date; readonly until: Date };

/** What one process asks for when it takes lanes. */
export type LaneClaim = {
  readonly now: Date;
  /** When the claim expires. */
  readonly until: Date;
  /** The name of this take. */
  readonly by: string;
  /** Takes whose answer never arrived: their lanes are free again. */
  readonly lost: readonly string[];
  /** Extends the claims of others beyond their expiry. */
  readonly held: HeldClaims | null;
  /** The most lanes to take, and the most events to load for each. */
  readonly most: number;
  readonly eventsEach: number;
  /** The most bytes of events to load for all of them; each brings one event in any case. */
  readonly bytes: number;
};

/** A lane that was asked for and has something pending, but cannot be taken before `ready`. */
export type RestingLane = { readonly lane: Channel; readonly ready: Date };
