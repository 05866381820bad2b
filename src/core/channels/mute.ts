import { later, minuteMs } from '../../lib/durations.ts';
import { channelMuted, channelUnmuted } from '../../messages/subscribing/announcements.ts';
import { notMuted } from '../../messages/subscribing/answers.ts';
import type { Message } from '../../messages/text/message.ts';
import * as events from '../../store/tables/events.ts';
import * as lanes from '../../store/tables/lanes.ts';
import { type CommandContext, channelOf } from '../access/command-context.ts';
import { whoActs } from '../access/who-acts.ts';
import { writeAudit } from '../access/write-audit.ts';
import { announce } from '../announce.ts';
import type { Bot } from '../bot.ts';
import { type Channel, isDirect } from '../model/people.ts';
import { quietNow, quietPeriod } from '../model/quiet-hours.ts';
import { unmutedSubject } from '../model/summary-lead.ts';
import { settle } from '../settling/settle.ts';
import { replyIfClosed } from './reply-if-closed.ts';
import { requireReachable } from './require-postable.ts';

/**
 * Silences the channel for a while: its events are held, and posted in one summary afterwards. Refuses if the bot cannot post there.
 */
export async function mute(
  bot: Bot,
  context: CommandContext,
  { minutes }: { readonly minutes: number },
): Promise<void> {
  const { slack, clock, db } = bot;
  const lane = channelOf(context);
  await requireReachable(bot, context);
  const asked = later(clock.now(), minutes * minuteMs);
  const { quiet = null } = (await lanes.find(db, lane)) ?? {};
  const period = quiet && quietPeriod(quiet, asked);
  // A mute that ends within quiet hours ends with them.
  const until = period && period.from <= asked ? period.until : asked;
  const announcement = channelMuted(await whoActs(context, slack.profileOf), until);
  await settle(bot, lane, async (bot) => {
    await lanes.mute(bot.db, lane, until, bot.clock.now());
    await announce(bot, lane, announcement);
    await writeAudit(bot, context, 'mute', lane.channelId);
  });
}

/** Ends a mute early, and tonight's quiet hours. */
export async function unmute(bot: Bot, context: CommandContext): Promise<void> {
  const lane = channelOf(context);
  const who = await whoActs(context, bot.slack.profileOf);
  let announcement: Message | null = null;
  await settle(bot, lane, async (bot) => {
    const now = bot.clock.now();
    // The newest events may not have been held yet.
    await events.settle(bot.db, lane, now);
    const isUnmuted = await lanes.mute(bot.db, lane, null, now);
    const quietAgain = await skipQuiet(bot, lane, now);
    if (!isUnmuted && quietAgain === null) return;
    announcement = channelUnmuted(who, await events.countHeld(bot.db, lane), quietAgain);
    await announce(bot, lane, announcement, unmutedSubject);
    await writeAudit(bot, context, 'unmute', lane.channelId);
  });
  if (announcement === null) return context.reply(notMuted(isDirect(lane.channelId)));
  await replyIfClosed(bot, context, announcement);
}

/** Skips the rest of the quiet hours that are now. Returns when they begin again; null if there are none now. */
async function skipQuiet({ db }: Bot, lane: Channel, now: Date): Promise<Date | null> {
  const found = await lanes.find(db, lane);
  const until = found && quietNow(found, now);
  if (!found?.quiet || !until) return null;
  const next = quietPeriod(found.quiet, until);
  await lanes.setQuiet(db, lane, { hours: found.quiet, ...next });
  return next.from;
}
