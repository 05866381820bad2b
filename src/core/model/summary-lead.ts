import type { HeldReason } from './held-reason.ts';

/** Subjects of announcements: per subject, only the newest pending one is posted. */
export const unmutedSubject = 'unmuted';
/** The bot can post to the channel again. Withdrawn if the channel turns out to be closed still. */
export const resumedSubject = 'resumed';
/** One subscription was resumed. */
export const resumedOneSubject = (id: string) => `${resumedSubject} ${id}`;

/** Returns the kind of held events that an announcement introduces, so both are posted as one message; null if it introduces no summary. */
export function ledSummary(subject: string | null): HeldReason | null {
  if (subject === unmutedSubject) return 'muted';
  const isResumed = subject === resumedSubject || subject?.startsWith(resumedOneSubject(''));
  return isResumed ? 'paused' : null;
}
