import { isDeepStrictEqual } from 'node:util';
import { later, minuteMs } from '../../lib/durations.ts';
import {
  channelMuted,
  channelUnmuted,
  quietHoursOff,
  quietHoursSet,
} from '../../messages/subscribing/announcements.ts';
import { formNotOpened, mutedSame, notMuted, quietSame } from '../../messages/subscribing/answers.ts';
import { quietForm } from '../../messages/subscribing/quiet-form.ts';
import * as events from '../../store/tables/events.ts';
import * as lanes from '../../store/tables/lanes.ts';
import { type CommandContext, channelOf } from '../access/command-context.ts';
import type { Bot } from '../bot.ts';
import type { RequestOf } from '../model/any-request.ts';
import { type Channel, isDirect } from '../model/people.ts';
import { endOfMute, quietNow, quietPeriod } from '../model/quiet-hours.ts';
import { quietEndedSubject, unmutedSubject } from '../model/summary-lead.ts';
import { act } from './act.ts';
import { requireReachable } from './channel-facts.ts';

/** Silences the channel for a while: its events are held, and posted in one summary afterwards. */
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
    // Typed or pressed twice.
    if (Math.abs(until.getTime() - (found?.mutedUntil?.getTime() ?? 0)) < minuteMs)
      return { reply: mutedSame(until, isDirect(lane.channelId)) };
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

async function openForm({ db, slack }: Bot, context: CommandContext): Promise<void> {
  const { channelId, responseUrl, madeInChannel } = context;
  const [lane, { zone }] = await Promise.all([
    lanes.find(db, channelOf(context)),
    slack.profileOf(context.person),
  ]);
  const metadata = JSON.stringify({ channelId, responseUrl, madeInChannel });
  const form = quietForm({ hours: lane?.quiet ?? null, zone, channelId, metadata });
  if ((await slack.openForm(context, form)) === null) await context.reply(formNotOpened);
}

/** Sets quiet hours in the time zone of the person who asks, or turns them off. Opens the form for them if no hours are named. */
export async function setQuietHours(
  bot: Bot,
  context: CommandContext,
  { hours: asked }: RequestOf<'quiet'>,
): Promise<void> {
  if (asked === undefined) return openForm(bot, context);
  await requireReachable(bot, context);
  const channel = channelOf(context);
  const { zone } = await bot.slack.profileOf(context.person);
  const hours = asked === 'off' ? null : { ...asked, zone };
  await act(bot, context, async ({ db, clock }, by) => {
    const { quiet: before = null } = (await lanes.find(db, channel)) ?? {};
    if (isDeepStrictEqual(before, JSON.parse(JSON.stringify(hours))))
      return { reply: quietSame(hours, isDirect(channel.channelId)) };
    const now = clock.now();
    const period = hours && quietPeriod(hours, now);
    await lanes.setQuiet(db, channel, period && { hours, ...period });
    const mutedUntil = await moveEndOfMute(db, channel, now);
    return hours
      ? { announcement: quietHoursSet(by, hours), audit: 'set quiet hours' }
      : {
          announcement: quietHoursOff(by, mutedUntil),
          about: quietEndedSubject,
          audit: 'end quiet hours',
        };
  });
}

/** Ends a mute where its lane's quiet hours have it end by now. Returns that time; null if the lane is not muted any more. */
async function moveEndOfMute(db: Bot['db'], channel: Channel, now: Date): Promise<Date | null> {
  const lane = await lanes.find(db, channel);
  if (!lane?.mutedUntil || lane.mutedUntil <= now) return null;
  const asked = lane.muteAskedUntil ?? lane.mutedUntil;
  const until = endOfMute(lane, asked);
  await lanes.mute(db, channel, until, now, asked);
  return until > now ? until : null;
}
