import { requireMayChange, requireMaySee } from '../../core/access/who-may.ts';
import type { Bot } from '../../core/bot.ts';
import { unmute } from '../../core/channels/mute.ts';
import {
  doctor,
  repairPosting,
  repairRemoteSubscription,
  replayDeadLetters,
} from '../../core/explaining/doctor.ts';
import { whyChannel } from '../../core/explaining/why.ts';
import { link } from '../../core/linking/link-commands.ts';
import { alreadyGone } from '../../messages/subscribing/answers.ts';
import { actionIds } from '../../messages/text/action-ids.ts';
import { readPage } from '../../messages/text/message.ts';
import { admitting, type Handler, type Handlers, isUuid } from './press.ts';

/** The buttons in the answers of `why` and `doctor`. */
export function remedyActions(bot: Bot): Handlers {
  const admitted = admitting(bot);

  const toReaders = (act: Handler): Handler =>
    admitted(async (press) => {
      await requireMaySee(bot, press.context);
      await act(press);
    });
  const toChangers = (act: Handler): Handler =>
    admitted(async (press) => {
      await requireMayChange(bot, press.context, null);
      await act(press);
    });
  const turnWhy = toReaders(({ context, value }) =>
    whyChannel(bot, context, { page: readPage(value), replace: true }),
  );

  return {
    [actionIds.whyPrevious]: turnWhy,
    [actionIds.whyNext]: turnWhy,
    [actionIds.doctorDetails]: toReaders(({ context }) =>
      doctor(bot, context, { detailed: true, replace: true }),
    ),
    [actionIds.repairLink]: admitted(({ context }) => link(bot, context)),
    [actionIds.liftMute]: admitted(async ({ context }) => {
      await requireMayChange(bot, context, { act: 'unmute' });
      await unmute(bot, context);
    }),
    [actionIds.repairPosting]: toChangers(({ context }) => repairPosting(bot, context)),
    [actionIds.repairRemoteSubscription]: toReaders(({ context, value }) =>
      isUuid(value) ? repairRemoteSubscription(bot, context, value) : context.reply(alreadyGone),
    ),
    [actionIds.replayDeadLetters]: toChangers(({ context }) => replayDeadLetters(bot, context)),
  };
}
