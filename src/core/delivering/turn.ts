import { dayMs } from '../../lib/durations.ts';
import type { OwnFault } from '../../messages/explaining/dead-reasons.ts';
import type { Message } from '../../messages/text/message.ts';
import type { WaitingAnnouncement } from '../../store/tables/announcements.ts';
import type { WaitingEvent } from '../../store/tables/events.ts';
import type { KnownItem } from '../../store/tables/items.ts';
import type { LaneSubscription } from '../../store/tables/subscription-row.ts';
import type { TakenLane } from '../../store/tables/taken-lane.ts';
import type { TurnMark } from '../../store/tables/turn-mark.ts';
import type { Change, PostedAs } from '../model/change.ts';
import { endsCarried, isOfTypes } from '../model/filters.ts';
import type { CardSize, Joining, LaneCard, MessageKind } from '../model/lane-card.ts';
import { channelFields } from '../model/log-fields.ts';
import type { Notification } from '../model/notification.ts';
import { type QuietHours, quietNow } from '../model/quiet-hours.ts';
import type { Mentioned, Scope } from '../model/subscription.ts';
import { type HeldReason, ledSummary } from '../model/summary-lead.ts';
import type { PostableEvent } from './join-messages.ts';

/** A lane that was claimed for one turn. */
export type ClaimedLane = TakenLane<Message>;

/** An event as a message shows it. `postedAs`: how, if it is an update: the notification alone does not show what it changed. */
export type ShownInTurn = PostableEvent & { readonly change: Change; readonly postedAs: PostedAs | null };

/** What one turn of a lane posts, and what it marks afterwards. */
export type Turn = {
  /** The events to post, in order. */
  readonly shown: readonly ShownInTurn[];
  readonly kind: MessageKind;
  /** In a summary: its cause, and the start of the period it covers. */
  readonly because: HeldReason | null;
  readonly since: Date | null;
  /** How many events were skipped because they waited more than a week. */
  readonly stale: number;
  /** Whom the message mentions, by the event for which a subscription wants it. */
  readonly pings: readonly TurnPing[];
  /** The marks of other events: dropped, broken, or waiting for an edit that they did not know of yet. */
  readonly others: TurnMark['events'];
  readonly items: ReadonlyMap<string, KnownItem | null>;
  /** The thread to post in; null for the channel itself. */
  readonly threadTs: string | null;
  /** What decides whether more can join the message. */
  readonly joining: Joining;
  /** The message into which the events are edited, as it will be but for its time; null if they need a new one. */
  readonly edit: LaneCard | null;
  /** When the next edit that events wait for is due. */
  readonly editAt: Date | null;
  /** Whether pending events were left for the next turn. */
  readonly more: boolean;
  readonly notes: TurnMark['notes'];
  /** Subscriptions whose resource was deleted. */
  readonly ended: readonly string[];
  /** Those of them whose deletion is not posted because a filter excludes it, or it is too old. */
  readonly endedUnposted: readonly LaneSubscription[];
};

/** A mention that a subscription wants for an event. */
export type TurnPing = {
  readonly seq: string;
  readonly subscriptionId: string;
  readonly mentioned: Mentioned;
};

/** What happened to the events that a turn tried to post. */
export type TurnResult =
  | { readonly state: 'posted'; readonly messageTs: string }
  | { readonly state: 'dead'; readonly reason: string };

/**
 * Whether a lane has to be settled before its turn: a mute or quiet hours are over, and the chore that settles channels may be late; or an
 * event was stored just as something began to stand in its way.
 */
export function isUnsettled(
  { mutedUntil, quietUntil, pausedReason, waiting }: ClaimedLane,
  now: Date,
): boolean {
  const isOver = [mutedUntil, quietUntil].some((end) => end !== null && end <= now);
  return (
    isOver || waiting.some(({ subscription }) => pausedReason !== null || subscription.state === 'paused')
  );
}

/** Returns the marks that hold the events that a mute or quiet hours kept from being posted when the lane was taken. */
export function heldBy(taken: ClaimedLane, now: Date): TurnMark['events'] {
  const [isMuted, isQuiet] = [taken.mutedUntil !== null, quietNow(taken, now) !== null];
  return taken.waiting
    .filter((event) => isMuted || (isQuiet && !isExcepted(event, taken.quiet)))
    .map(({ seq }) => ({ seq, state: 'pending', reason: 'muted', postedAs: null }));
}

/** Whether quiet hours let an event pass. What waited for something else is part of a summary, and waits. */
function isExcepted({ summary, notification }: WaitingEvent, quiet: QuietHours | null): boolean {
  return summary === null && isOfTypes(notification, quiet?.except);
}

/** Returns the mark of an event that waits for an edit. */
export const waitsForEdit = (seq: string, editAt: Date): TurnMark['events'][number] => ({
  seq,
  state: 'pending',
  reason: null,
  postedAs: null,
  editAt,
});

/** Returns the mark of an event that cannot be posted because of a fault of ours. */
export const deadMark = ({ seq }: WaitingEvent, reason: OwnFault): TurnMark['events'][number] => ({
  seq,
  state: 'dead',
  reason,
  postedAs: null,
});

/** Returns what a turn settles. `outcome` is null if there was nothing to post. */
export function resultOf(
  turn: Turn,
  outcome: TurnResult | null,
): Pick<TurnMark, 'events' | 'items' | 'notes' | 'ended' | 'messageTs'> {
  const reason = outcome?.state === 'dead' ? outcome.reason : null;
  const posted = turn.shown.flatMap(({ event: { seq }, postedAs }) =>
    outcome === null ? [] : { seq, state: outcome.state, reason, postedAs },
  );
  return {
    events: [...posted, ...turn.others],
    items: shownIn(turn, outcome),
    notes: turn.notes,
    ended: turn.ended,
    messageTs: outcome?.state === 'posted' ? outcome.messageTs : null,
  };
}

/** Returns what to remember of items: which message shows them now, and that it becomes the thread of those that had none. */
function shownIn({ items, shown: events }: Turn, outcome: TurnResult | null): Turn['items'] {
  if (outcome?.state !== 'posted') return items;
  const { messageTs } = outcome;
  const starts = ({ event, place }: ShownInTurn) => event.subscription.threads && place.threadTs === null;
  const shown = new Set(events.map(({ key }) => key));
  const started = new Set(events.filter(starts).map(({ key }) => key));
  return new Map(
    [...items].map(([key, item]) => [
      key,
      item && {
        ...item,
        messageTs: shown.has(key) ? messageTs : item.messageTs,
        threadTs: started.has(key) ? messageTs : item.threadTs,
      },
    ]),
  );
}

/** Returns how much a turn's message shows. */
export function sizeOf({ shown }: Turn, { bytes, waiting }: ClaimedLane): CardSize {
  const share = shown.length / Math.max(1, waiting.length);
  const items = new Set(shown.flatMap(({ key }) => key ?? [])).size;
  return { items, events: shown.length, bytes: Math.round(bytes * share) };
}

/**
 * Returns the announcement ("Dana unmuted this channel") that is one message with the summary of what was held until then; null if there is
 * none. If several announce the same summary, it is the last one, so that none comes after the summary.
 */
export function leadOf({ announcement }: ClaimedLane, turn: Turn): WaitingAnnouncement<Message> | null {
  const reason = ledSummary(announcement?.subject ?? null);
  const isLast = !announcement?.laterSubjects.some((later) => ledSummary(later) === reason);
  const leads = reason !== null && isLast && turn.kind === 'summary' && turn.because === reason;
  return leads && turn.shown.length > 0 ? announcement : null;
}

/** Returns the log fields of a lane's dead letters: their owners are the person. */
export function deadFields({ lane }: Pick<ClaimedLane, 'lane'>, dead: readonly WaitingEvent[]) {
  const owners = new Set(dead.map(({ subscription }) => subscription.ownerUserId));
  const events = dead.map(({ seq }) => seq).join(' ');
  return { ...channelFields(lane), person: [...owners].join(' ') || undefined, events };
}

/** Returns whether a turn has nothing to post. */
export const isSilent = ({ shown, stale }: Turn): boolean => shown.length + stale === 0;

/** Events that waited longer than this are posted in a summary. */
const summarizedAfterMs = dayMs;

/** The most messages in the order of acceptance that pending events may take; beyond, only the events of one item keep their order. */
const runsMost = 6;

/** Returns whether events that must be noticed and live ones alternate so often that a message for each run would take too long. */
export function alternates(waiting: readonly WaitingEvent[], now: Date): boolean {
  let runs = 0;
  let last: MessageKind | undefined;
  for (const event of waiting) {
    const kind = kindOf(event, now);
    if (kind !== last) runs += 1;
    last = kind;
  }
  return runs > runsMost;
}

/** Returns an event's kind. */
export function kindOf(event: WaitingEvent, now: Date): MessageKind {
  if (isForSummary(event, now)) return 'summary';
  return isNotable(event.notification) ? 'notable' : 'live';
}

/** Deletions, finalizing and expiry, and events of a project or session itself must be noticed. */
export function isNotable({ eventType, resourceType }: Notification): boolean {
  return eventType === 'Delete' || resourceType === 'Projects' || resourceType === 'Sessions';
}

function isForSummary({ summary, receivedAt }: WaitingEvent, now: Date): boolean {
  return summary !== null || now.getTime() - receivedAt.getTime() > summarizedAfterMs;
}

/** Returns whether an event is about the followed resource itself, not about something in it. */
export function isAboutItself(notification: Notification, { target }: Pick<Scope, 'target'>): boolean {
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

/** Returns whether an event reports the deletion of what is followed, which ends the subscription. */
export function isItsOwnDeletion(notification: Notification, subscription: LaneSubscription): boolean {
  return (
    endsCarried(subscription, notification) ||
    (notification.eventType === 'Delete' && isAboutItself(notification, subscription))
  );
}
