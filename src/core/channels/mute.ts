import { later, minuteMs } from '../../lib/durations.ts';
import { forEachRow } from '../../lib/for-each-row.ts';
import { notMuted } from '../../messages/subscribing/answers.ts';
import { channelMuted, channelUnmuted } from '../../messages/subscribing/channel-announcements.ts';
import { cannotPost } from '../../messages/subscribing/refusals.ts';
import { signalLanes } from '../../store/lane-signals.ts';
import * as events from '../../store/tables/events.ts';
import * as lanes from '../../store/tables/lanes.ts';
import * as subscriptions from '../../store/tables/subscriptions.ts';
import { type CommandContext, channelOf } from '../access/command-context.ts';
import { Refusal } from '../access/refusal.ts';
import { whoActs } from '../access/who-acts.ts';
import { writeAudit } from '../access/write-audit.ts';
import { announce } from '../announce.ts';
import type { Bot } from '../bot.ts';
import { inTransaction } from '../in-transaction.ts';
import { channelFields } from '../model/log-fields.ts';
import { type Channel, isDirect } from '../model/people.ts';
import { unmutedSubject } from '../model/summary-lead.ts';
import { replyIfClosed } from './reply-if-closed.ts';

/**
 * Silences the channel for a while: its events are held, and posted in one summary afterwards. Refuses if the bot cannot post there: there
 * is nothing to mute, and nobody would see the announcement.
 */
export async function mute(
  bot: Bot,
  context: CommandContext,
  { minutes }: { readonly minutes: number },
): Promise<void> {
  const { slack, clock } = bot;
  const lane = channelOf(context);
  const why = await slack.mayPost(lane);
  if (why !== 'yes' && why !== 'unknown') {
    throw new Refusal(context, cannotPost({ why, botName: await slack.botNameOf(lane) }));
  }
  const until = later(clock.now(), minutes * minuteMs);
  const announcement = channelMuted(await whoActs(context, slack.profileOf), until);
  // In one transaction, so a channel is never muted without an announcement.
  await inTransaction(bot, async (bot) => {
    await lanes.mute(bot.db, lane, until);
    await announce(bot, lane, announcement);
    await writeAudit(bot, context, 'mute', lane.channelId);
  });
}

/** Ends a mute early. */
export async function unmute(bot: Bot, context: CommandContext): Promise<void> {
  const lane = channelOf(context);
  const until = await lanes.mutedUntil(bot.db, lane);
  if (until === null || until <= bot.clock.now()) return context.reply(notMuted(isDirect(lane.channelId)));
  const who = await whoActs(context, bot.slack.profileOf);
  // In one transaction, so the summary cannot be posted before its announcement.
  const announcement = await inTransaction(bot, async (bot) => {
    await lanes.mute(bot.db, lane, null);
    // The newest events may not have been held yet.
    await events.hold(bot.db, lane, 'muted');
    const unmuted = channelUnmuted(who, await releaseMuted(bot, lane));
    await announce(bot, lane, unmuted, unmutedSubject);
    await writeAudit(bot, context, 'unmute', lane.channelId);
    return unmuted;
  });
  await replyIfClosed(bot, context, announcement);
}

/** Ends an expired mute. Held events are posted before new ones. */
export async function endMute(bot: Bot, lane: Channel): Promise<void> {
  const waiting = await inTransaction(bot, async (bot) =>
    (await lanes.endMute(bot.db, lane, bot.clock.now())) ? releaseMuted(bot, lane) : 0,
  );
  if (waiting > 0) await signalLanes(bot.db, [lane]);
}

/** Ends mutes that have expired. Runs every minute. */
export async function endMutes(bot: Bot): Promise<void> {
  await forEachRow(
    await lanes.mutedBefore(bot.db, bot.clock.now()),
    (lane) => endMute(bot, lane),
    (error, lane) => bot.log.warn({ err: error, ...channelFields(lane) }, 'could not end an expired mute'),
  );
}

/** Releases what a mute held. Returns how many events are posted in the summary now. */
async function releaseMuted({ db }: Bot, lane: Channel): Promise<number> {
  const ids = (await subscriptions.ofChannel(db, lane)).map(({ id }) => id);
  return events.releaseHeld(db, lane, 'muted', ids);
}
