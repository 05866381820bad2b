import type { WaitingEvent } from '../../store/tables/events.ts';
import { digestSince } from '../model/digest-hours.ts';

/** Returns the start of the period that a summary covers: its first event, or for a digest the previous digest if that is earlier. */
export function sinceOf(shown: readonly WaitingEvent[], now: Date): Date | null {
  const [first] = shown;
  if (!first) return null;
  const hours = shown.flatMap(({ summary, subscription: { delivery, createdAt } }) =>
    summary === 'digest' ? (digestSince(delivery, createdAt, now) ?? []) : [],
  );
  return new Date(Math.min(first.receivedAt.getTime(), ...hours.map((hour) => hour.getTime())));
}

/** Returns when events were accepted, except those that were held, waited for an edit, or were replayed. */
export function acceptedAt(shown: readonly WaitingEvent[]): Date[] {
  return shown
    .filter(({ summary, replayed, editAt }) => summary === null && !replayed && !editAt)
    .map(({ receivedAt }) => receivedAt);
}
