import { channelResumed } from '../../messages/subscribing/channel-announcements.ts';
import { signalLanes } from '../../store/lane-signals.ts';
import * as channels from '../../store/tables/channels.ts';
import * as events from '../../store/tables/events.ts';
import * as lanes from '../../store/tables/lanes.ts';
import * as subscriptions from '../../store/tables/subscriptions.ts';
import { resumeFrom } from '../access/change-state.ts';
import { announce } from '../announce.ts';
import type { Bot } from '../bot.ts';
import { inTransaction } from '../in-transaction.ts';
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
import { type Closing, closedFor } from './close-channel.ts';
import { leaveToOthers } from './leave-to-others.ts';

/**
 * Why the bot may be able to post again: an event of Slack's with its `event_ts`, or a check of the channel (`seen`). `perhaps` and `retry`
 * are guesses, which do not overrule an event; `retry` follows a refused post.
 */
type Opening = { readonly ended: Closing; readonly at: string } | 'seen' | 'perhaps' | 'retry';

/**
 * Resumes a channel's subscriptions if the bot can post there again. The announcement is posted first, followed by one summary of what
 * was missed. If the post fails, nobody sees either, and the next attempt announces it again.
 */
export async function resumeChannel(bot: Bot, channel: Channel, opening: Opening): Promise<void> {
  const leave = await leaveToOthers(bot, channel, waitsForChannel);
  const isOpen = await inTransaction(bot, async (bot) => {
    if (!(await noteOpening(bot, channel, opening))) return false;
    const closed = closedFor(await channels.of(bot.db, channel));
    if (closed !== null) {
      await pauseInstead(bot, channel, closed);
      return false;
    }
    // Before anything is resumed, so that a turn that finds the channel closed right now pauses it before that, or not at all.
    await lanes.reopen(bot.db, channel, bot.clock.now());
    await leave(bot);
    await resumeWaiting(bot, channel, opening === 'retry');
    return true;
  });
  if (isOpen) await signalLanes(bot.db, [channel]);
}

/** Records the opening. Returns false if a newer event said otherwise. */
async function noteOpening({ db }: Bot, channel: Channel, opening: Opening): Promise<boolean> {
  if (opening === 'perhaps' || opening === 'retry') return true;
  if (opening !== 'seen') {
    return channels.note(db, channel, { fact: opening.ended, holds: false, at: opening.at });
  }
  await channels.noteOpen(db, channel);
  return true;
}

async function resumeWaiting(bot: Bot, channel: Channel, isRetry: boolean): Promise<void> {
  const { db, clock } = bot;
  const rows = await subscriptions.ofChannel(db, channel);
  const waiting = rows.filter(waitsForChannel);
  const waitingIds = waiting.map(({ id }) => id);
  const resumed = await resumeFrom(bot, waitingIds);
  // Nothing else would finish those that were being set up when the channel was closed.
  await subscriptions.setUpAgain(db, waitingIds, clock.now());
  // Includes subscriptions that a person resumed while the channel was closed.
  const active = rows.filter(({ state }) => state === 'active');
  const ids = [...resumed, ...active].map(({ id }) => id);
  const waited = await events.releaseHeld(db, channel, 'paused', ids);
  if (resumed.length === 0) return;
  const missed = waiting.some(({ health }) => health?.lostInPause) ? null : waited;
  const message = channelResumed(resumed.map(subscribedOf), missed);
  const subject = isRetry ? retriedSubject : subjectFor(new Set(waiting.map(pauseReasonOf)));
  await announce(bot, channel, message, subject);
}

/** One obstacle is gone but another remains: pauses the subscriptions for that one instead. */
async function pauseInstead({ db, clock }: Bot, channel: Channel, reason: ChannelReason): Promise<void> {
  const waiting = (await subscriptions.ofChannel(db, channel)).filter(waitsForChannel);
  for (const row of waiting) await subscriptions.pauseInstead(db, row, reason, clock.now());
}

/** Returns the subject of the announcement, which says in the title of the summary what kept the bot from posting. */
function subjectFor(reasons: ReadonlySet<PauseReason | null>): string {
  const [reason] = reasons;
  if (reasons.size === 1 && reason === 'not in channel') return resumedSubject;
  return reasons.size === 1 && reason === 'channel archived' ? unarchivedSubject : readmittedSubject;
}
