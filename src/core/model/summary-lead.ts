/** Why an event is held, to be posted in a summary later. */
export type HeldReason = 'muted' | 'paused' | 'digest';

/** Subjects of announcements: per subject, only the newest pending one is posted. */
export const unmutedSubject = 'unmuted';
/** The same of quiet hours. */
export const quietEndedSubject = 'quiet ended';
/** The bot is in the channel again. */
export const resumedSubject = 'resumed';
/** The same, if the channel was archived. Older releases read any subject with this prefix as the end of a pause. */
export const unarchivedSubject = `${resumedSubject} unarchived`;
/** The same, if something else kept the bot from posting, or several causes did. Posting it may show that it still does. */
export const readmittedSubject = `${resumedSubject} readmitted`;
/** Subjects that are withdrawn if the channel is closed again. */
export const reopenedSubjects = [resumedSubject, unarchivedSubject, readmittedSubject];

/** Returns the subject of the announcement that a channel is open again, which says in the title of the summary what it was closed for. */
export function reopenedSubject(reasons: ReadonlySet<string | null>): string {
  const [reason] = reasons;
  if (reasons.size === 1 && reason === 'not in channel') return resumedSubject;
  return reasons.size === 1 && reason === 'channel archived' ? unarchivedSubject : readmittedSubject;
}

/** One subscription was resumed. */
export const resumedOneSubject = (id: string) => `${resumedSubject} ${id}`;

/** Returns why the events were held whose summary is posted in one message with this announcement; null if it introduces no summary. */
export function ledSummary(subject: string | null): HeldReason | null {
  if (subject === unmutedSubject || subject === quietEndedSubject) return 'muted';
  if (subject === null) return null;
  const isResumed = reopenedSubjects.includes(subject) || subject.startsWith(resumedOneSubject(''));
  return isResumed ? 'paused' : null;
}
