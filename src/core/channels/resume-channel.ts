import { channelResumed } from '../../messages/subscribing/channel-announcements.ts';
import type { TransactionTables } from '../access/in-transaction.ts';
import {
  type ChannelReason,
  type PauseReason,
  pauseReasonOf,
  waitsForChannel,
} from '../model/pause-reason.ts';
import type { Channel } from '../model/people.ts';
import { subscribedOf } from '../model/subscribed-of.ts';
import {
  readmittedSubject,
  resumedSubject,
  retriedSubject,
  unarchivedSubject,
} from '../model/summary-lead.ts';
import type { ChannelsRoomDeps } from './channels-deps.ts';
import { type Closing, closedFor } from './close-channel.ts';
import type { LeaveToOthers } from './leave-to-others.ts';

type ResumeChannelDeps = Pick<ChannelsRoomDeps, 'clock' | 'inTransaction' | 'enqueue'> & {
  readonly leaveToOthers: LeaveToOthers;
};

/**
 * Why the bot may be able to post again: an event of Slack's with its `event_ts`, a direct check of the channel, or a guess, which
 * counts less than what an event has said. `retry`: a guess after Slack refused a post.
 */
type Opening = { readonly ended: Closing; readonly at: string } | 'seen' | 'perhaps' | 'retry';

export type ResumeChannel = (channel: Channel, opening: Opening) => Promise<void>;

/**
 * Resumes a channel's subscriptions if the bot can post there again. The announcement is posted first, followed by one summary of what
 * was missed. If the post fails, nobody sees either, and the next attempt announces it again.
 */
export function makeResumeChannel(deps: ResumeChannelDeps): ResumeChannel {
  const { clock, inTransaction, enqueue } = deps;

  return async (channel, opening) => {
    const leave = await deps.leaveToOthers(channel, waitsForChannel);
    const isOpen = await inTransaction(async (tables) => {
      if (!(await noteOpening(tables, channel, opening))) return false;
      const closed = closedFor(await tables.channels.of(channel));
      if (closed === null) await reopen(tables, channel, { leave, isRetry: opening === 'retry' });
      else await pauseInstead(tables, channel, closed);
      return closed === null;
    });
    if (isOpen) await enqueue(channel);
  };

  /** Records the opening. Returns false if a newer event said otherwise. */
  async function noteOpening(
    { channels }: TransactionTables,
    channel: Channel,
    opening: Opening,
  ): Promise<boolean> {
    if (opening === 'perhaps' || opening === 'retry') return true;
    if (opening !== 'seen') {
      return channels.note(channel, { fact: opening.ended, holds: false, at: opening.at });
    }
    await channels.noteOpen(channel);
    return true;
  }

  async function reopen(
    tables: TransactionTables,
    channel: Channel,
    { leave, isRetry }: { readonly leave: Awaited<ReturnType<LeaveToOthers>>; readonly isRetry: boolean },
  ): Promise<void> {
    const { announce, events, fed, lanes, subscriptions } = tables;
    const now = clock.now();
    await lanes.reopen(channel, now);
    // Slack did not report who left, or became a guest, while the bot was out.
    await fed.forgetLooks(channel);
    await leave(tables);
    // Read after the lane was reopened: a turn that finds the channel closed right now pauses it before that, or not at all.
    const rows = await subscriptions.ofChannel(channel);
    const waiting = rows.filter(waitsForChannel);
    const waitingIds = waiting.map(({ id }) => id);
    const resumed = await subscriptions.resume(waitingIds, now);
    // Nothing else would finish those that were being set up when the channel was closed.
    await subscriptions.setUpAgain(waitingIds, now);
    // Includes subscriptions that a person resumed while the channel was closed.
    const active = rows.filter(({ state }) => state === 'active');
    const ids = [...resumed, ...active].map(({ id }) => id);
    const waited = await events.releaseHeld(channel, 'paused', ids);
    if (resumed.length === 0) return;
    const missed = waiting.some(({ health }) => health?.lostInPause) ? null : waited;
    const message = channelResumed(resumed.map(subscribedOf), missed);
    await announce(
      channel,
      message,
      isRetry ? retriedSubject : subjectFor(new Set(waiting.map(pauseReasonOf))),
    );
  }

  /** One obstacle is gone but another remains: pauses the subscriptions for that one instead. */
  async function pauseInstead(
    { subscriptions }: TransactionTables,
    channel: Channel,
    reason: ChannelReason,
  ): Promise<void> {
    const waiting = (await subscriptions.ofChannel(channel)).filter(waitsForChannel);
    for (const row of waiting) await subscriptions.pauseInstead(row, reason, clock.now());
  }
}

/** Returns the subject of the announcement, which says in the title of the summary what kept the bot from posting. */
function subjectFor(reasons: ReadonlySet<PauseReason | null>): string {
  const [reason] = reasons;
  if (reasons.size === 1 && reason === 'not in channel') return resumedSubject;
  return reasons.size === 1 && reason === 'channel archived' ? unarchivedSubject : readmittedSubject;
}
