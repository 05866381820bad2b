import { dayMs } from '../../lib/durations.ts';
import type { WaitingEvent } from '../../store/tables/events.ts';
import type { MessageKind } from '../model/lane-card.ts';

/** Events that waited longer than this are posted in a summary. */
const summarizedAfterMs = dayMs;

/** The most messages that pending events may be split into by kind. If it would take more, one new message contains all of them. */
const runsMost = 6;

/** Returns whether events that must be noticed and live ones alternate so often that a message for each run would take too long. */
export function alternates(waiting: readonly WaitingEvent[], now: Date): boolean {
  let runs = 0;
  let last: MessageKind | undefined;
  for (const event of waiting) {
    const kind = ownKindOf(event, now);
    if (kind !== last) runs += 1;
    last = kind;
  }
  return runs > runsMost;
}

/** Returns an event's kind. Deletions, finalizing and expiry, and events of a project or session itself must be noticed. */
export function ownKindOf(event: WaitingEvent, now: Date): MessageKind {
  if (isForSummary(event, now)) return 'summary';
  const { eventType, resourceType } = event.notification;
  return eventType === 'Delete' || resourceType === 'Projects' || resourceType === 'Sessions'
    ? 'notable'
    : 'live';
}

/**
 * Returns an event's kind in a mixed message. Such a message contains events that must be noticed, so it is always posted as a new message
 * and never edited. Live events join it.
 */
export function mixedKindOf(event: WaitingEvent, now: Date): MessageKind {
  return isForSummary(event, now) ? 'summary' : 'notable';
}

function isForSummary({ summary, receivedAt }: WaitingEvent, now: Date): boolean {
  return summary !== null || now.getTime() - receivedAt.getTime() > summarizedAfterMs;
}
