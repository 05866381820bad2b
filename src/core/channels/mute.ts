import { later, minuteMs } from '../../lib/durations.ts';
import { channelMuted, channelUnmuted } from '../../messages/subscribing/announcements.ts';
import { notMuted } from '../../messages/subscribing/answers.ts';
import * as events from '../../store/tables/events.ts';
import * as lanes from '../../store/tables/lanes.ts';
import { type CommandContext, channelOf } from '../access/command-context.ts';
import type { Bot } from '../bot.ts';
import { type Channel, isDirect } from '../model/people.ts';
import { endOfMute, quietNow, quietPeriod } from '../model/quiet-hours.ts';
import { quietEndedSubject, unmutedSubject } from '../model/summary-lead.ts';
import { act } from './act.ts';
import { requireReachable } from './require-postable.ts';

/**
 * Silences the channel for a while: its events are held, and posted in one summary afterwards. Refuses if the bot cannot post there.
 */
export async function mute(
  bot: Bot,
  context: CommandContext,
  { minutes }: { readonly minutes: number },
): Promise<void> {
  const lane = channelOf(context);
  await requireReachable(bot, context);
  await act(bot, context, async ({ db, clock }, by) => {
    const now = clock.now();
    const asked = later(now, minutes * minuteMs);
    const found = await lanes.find(db, lane);
    const until = found ? endOfMute(found, asked) : asked;
    await lanes.mute(db, lane, until, now, asked);
    return { announcement: channelMuted(by, until), audit: 'mute' };
  });
}

/** Ends a mute early, and tonight's quiet hours. */
export async function unmute(bot: Bot, context: CommandContext): Promise<void> {
  const lane = channelOf(context);
  await act(bot, context, async (bot, by) => {
    const { db } = bot;
    const now = bot.clock.now();
    // The newest events may not have been held yet.
    await events.settle(db, lane, now);
    const isUnmuted = await lanes.mute(db, lane, null, now);
    const quietAgain = await skipQuiet(bot, lane, now);
    if (!isUnmuted && quietAgain === null) return { reply: notMuted(isDirect(lane.channelId)) };
    const announcement = channelUnmuted(by, await events.countHeld(db, lane), quietAgain);
    return { announcement, about: isUnmuted ? unmutedSubject : quietEndedSubject, audit: 'unmute' };
  });
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
