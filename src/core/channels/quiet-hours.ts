import { isDeepStrictEqual } from 'node:util';
import { quietHoursOff, quietHoursSet } from '../../messages/subscribing/announcements.ts';
import { quietSame } from '../../messages/subscribing/answers.ts';
import * as lanes from '../../store/tables/lanes.ts';
import { type CommandContext, channelOf } from '../access/command-context.ts';
import { whoActs } from '../access/who-acts.ts';
import { writeAudit } from '../access/write-audit.ts';
import { announce } from '../announce.ts';
import type { Bot } from '../bot.ts';
import { refreshHome } from '../home/show-home.ts';
import type { RequestOf } from '../model/any-request.ts';
import { isDirect } from '../model/people.ts';
import { quietPeriod } from '../model/quiet-hours.ts';
import { unmutedSubject } from '../model/summary-lead.ts';
import { settle } from '../settling/settle.ts';
import { requireReachable } from './require-postable.ts';

/** Sets the quiet hours of a conversation, in the time zone of whoever asks, or turns them off, which posts what they hold in one summary. */
export async function setQuietHours(
  bot: Bot,
  context: CommandContext,
  { hours: asked }: RequestOf<'quiet'>,
): Promise<void> {
  await requireReachable(bot, context);
  const { slack } = bot;
  const channel = channelOf(context);
  const { zone } = await slack.profileOf(context.person);
  const by = await whoActs(context, slack.profileOf);
  const hours = asked === 'off' ? null : { ...asked, zone };
  let isNew = true;
  await settle(bot, channel, async (bot) => {
    const before = (await lanes.find(bot.db, channel))?.quiet ?? null;
    isNew = !isDeepStrictEqual(before, JSON.parse(JSON.stringify(hours)));
    if (!isNew) return;
    const period = hours && { hours, ...quietPeriod(hours, bot.clock.now()) };
    await lanes.setQuiet(bot.db, channel, period);
    const announcement = hours ? quietHoursSet(by, hours) : quietHoursOff(by);
    await announce(bot, channel, announcement, hours ? undefined : unmutedSubject);
    await writeAudit(bot, context, hours ? 'set quiet hours' : 'end quiet hours', channel.channelId);
  });
  if (!isNew) return context.reply(quietSame(hours, isDirect(channel.channelId)));
  await refreshHome(bot, context.person);
}
