import { dayMs } from '../../lib/durations.ts';
import type { WaitingEvent } from '../../store/tables/events.ts';
import type { MessageKind } from '../model/lane-card.ts';

/** What waited longer is posted in a summary. */
const summarizedAfterMs = dayMs;

/** Messages that what waits may be split into by kind; where it would be more, one new message holds all of it. */
const runsMost = 6;

/** Whether what must be noticed and what can be gathered alternate so often that a message for each run would take too long. */
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

/** Deletions, finalizing and expiry, and what happens to a project or session itself are not to be overlooked. */
export function ownKindOf(event: WaitingEvent, now: Date): MessageKind {
  if (isForSummary(event, now)) return 'summary';
  const { eventType, resourceType } = event.notification;
  return eventType === 'Delete' || resourceType === 'Projects' || resourceType === 'Sessions'
    ? 'notable'
    : 'live';
}

/** In a message that must be noticed for the sake of some, what can be gathered has a place too: it is new, and is never edited. */
export function mixedKindOf(event: WaitingEvent, now: Date): MessageKind {
  return isForSummary(event, now) ? 'summary' : 'notable';
}

function isForSummary({ summary, receivedAt }: WaitingEvent, now: Date): boolean {
  return summary !== null || now.getTime() - receivedAt.getTime() > summarizedAfterMs;
}
