import { isDeepStrictEqual } from 'node:util';
import { quietHoursOff, quietHoursSet } from '../../messages/subscribing/announcements.ts';
import { quietSame } from '../../messages/subscribing/answers.ts';
import * as lanes from '../../store/tables/lanes.ts';
import { type CommandContext, channelOf } from '../access/command-context.ts';
import type { Bot } from '../bot.ts';
import type { RequestOf } from '../model/any-request.ts';
import { isDirect } from '../model/people.ts';
import { quietPeriod } from '../model/quiet-hours.ts';
import { unmutedSubject } from '../model/summary-lead.ts';
import { act } from './act.ts';
import { requireReachable } from './require-postable.ts';

/** Sets the quiet hours of a conversation, in the time zone of whoever asks, or turns them off, which posts what they hold in one summary. */
export async function setQuietHours(
  bot: Bot,
  context: CommandContext,
  { hours: asked }: RequestOf<'quiet'>,
): Promise<void> {
  await requireReachable(bot, context);
  const channel = channelOf(context);
  const { zone } = await bot.slack.profileOf(context.person);
  const hours = asked === 'off' ? null : { ...asked, zone };
  await act(bot, context, async ({ db, clock }, by) => {
    const before = (await lanes.find(db, channel))?.quiet ?? null;
    if (isDeepStrictEqual(before, JSON.parse(JSON.stringify(hours))))
      return { reply: quietSame(hours, isDirect(channel.channelId)) };
    await lanes.setQuiet(db, channel, hours && { hours, ...quietPeriod(hours, clock.now()) });
    return hours
      ? { announcement: quietHoursSet(by, hours), audit: 'set quiet hours' }
      : { announcement: quietHoursOff(by), about: unmutedSubject, audit: 'end quiet hours' };
  });
}
