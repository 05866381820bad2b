import type { HeldReason } from './held-reason.ts';

/** Subjects of announcements: per subject, only the newest pending one is posted. */
export const unmutedSubject = 'unmuted';
/** The bot is in the channel again. */
export const resumedSubject = 'resumed';
/** The same, if the channel was archived. Older releases read any subject with this prefix as the end of a pause. */
export const unarchivedSubject = `${resumedSubject} unarchived`;
/** The same, if something else kept the bot from posting, or several causes did. */
export const readmittedSubject = `${resumedSubject} readmitted`;
/** The bot may be able to post again; posting this shows whether it can. */
export const retriedSubject = 'retried';
/** Subjects that are withdrawn if the channel turns out to be still closed. */
export const reopenedSubjects = [resumedSubject, unarchivedSubject, readmittedSubject, retriedSubject];
/** One subscription was resumed. */
export const resumedOneSubject = (id: string) => `${resumedSubject} ${id}`;

/** Returns why the events were held whose summary is posted in one message with this announcement; null if it introduces no summary. */
export function ledSummary(subject: string | null): HeldReason | null {
  if (subject === unmutedSubject) return 'muted';
  if (subject === null) return null;
  const isResumed = reopenedSubjects.includes(subject) || subject.startsWith(resumedOneSubject(''));
  return isResumed ? 'paused' : null;
}
