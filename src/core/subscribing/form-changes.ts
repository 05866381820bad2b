import * as seenRequests from '../../store/tables/seen-requests.ts';
import type { Bot } from '../bot.ts';

// Slack sends each change of a form to any process, in any order.

/** Records when Slack saw a change of a form, in seconds; false if any process has already recorded a newer one. */
export const noteChange = ({ db }: Bot, viewId: string, at: number): Promise<boolean> =>
  seenRequests.noteChange(db, viewId, at);

/** Records that More options was pressed in a form. */
export const noteMore = ({ db, clock }: Bot, viewId: string): Promise<void> =>
  seenRequests.noteMore(db, viewId, clock.now());

/** Returns whether it was pressed, even if the form no longer shows it. */
export const hasMore = ({ db }: Bot, viewId: string): Promise<boolean> => seenRequests.hasMore(db, viewId);
