import type { HeldReason } from './held-reason.ts';

/** Subjects of announcements: of each, only the newest that waits is posted. */
export const unmutedSubject = 'unmuted';
/** The bot may post in the channel again. It is withdrawn when the channel turns out to be closed still. */
export const resumedSubject = 'resumed';
/** One subscription was resumed. */
export const resumedOneSubject = (id: string) => `${resumedSubject} ${id}`;

/**
 * What had been held back until the event that an announcement is about, so that both are one message; null where an announcement
 * leads no summary.
 */
export function ledSummary(subject: string | null): HeldReason | null {
  if (subject === unmutedSubject) return 'muted';
  const isResumed = subject === resumedSubject || subject?.startsWith(resumedOneSubject(''));
  return isResumed ? 'paused' : null;
}
