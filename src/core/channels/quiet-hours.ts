import { isDeepStrictEqual } from 'node:util';
import { quietHoursOff, quietHoursSet } from '../../messages/subscribing/announcements.ts';
import { formNotOpened, quietSame } from '../../messages/subscribing/answers.ts';
import { quietForm } from '../../messages/subscribing/quiet-form.ts';
import * as lanes from '../../store/tables/lanes.ts';
import { type CommandContext, channelOf } from '../access/command-context.ts';
import type { Bot } from '../bot.ts';
import type { RequestOf } from '../model/any-request.ts';
import { isDirect } from '../model/people.ts';
import { endOfMute, quietPeriod } from '../model/quiet-hours.ts';
import type { TypedQuiet } from '../model/request.ts';
import { quietEndedSubject } from '../model/summary-lead.ts';
import { act } from './act.ts';
import { requireReachable } from './require-postable.ts';

/** Sets the quiet hours of a conversation, turns them off, or opens the form for them if no hours are named. */
export function setQuietHours(
  bot: Bot,
  context: CommandContext,
  { hours }: RequestOf<'quiet'>,
): Promise<void> {
  return hours === undefined ? openForm(bot, context) : set(bot, context, hours);
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

/** Sets quiet hours in the time zone of the person who asks, or turns them off, which posts what they hold in one summary. */
async function set(bot: Bot, context: CommandContext, asked: TypedQuiet): Promise<void> {
  await requireReachable(bot, context);
  const channel = channelOf(context);
  const { zone } = await bot.slack.profileOf(context.person);
  const hours = asked === 'off' ? null : { ...asked, zone };
  await act(bot, context, async ({ db, clock }, by) => {
    const { quiet: before = null, mutedUntil = null, muteAskedUntil } = (await lanes.find(db, channel)) ?? {};
    if (isDeepStrictEqual(before, JSON.parse(JSON.stringify(hours))))
      return { reply: quietSame(hours, isDirect(channel.channelId)) };
    const now = clock.now();
    const period = hours && quietPeriod(hours, now);
    await lanes.setQuiet(db, channel, period && { hours, ...period });
    if (mutedUntil && mutedUntil > now) {
      const asked = muteAskedUntil ?? mutedUntil;
      const until = endOfMute({ quiet: hours, quietFrom: period?.from ?? null }, asked);
      await lanes.mute(db, channel, until, now, asked);
    }
    return hours
      ? { announcement: quietHoursSet(by, hours), audit: 'set quiet hours' }
      : { announcement: quietHoursOff(by), about: quietEndedSubject, audit: 'end quiet hours' };
  });
}
