import { requireMayChange, requireMaySee } from '../../core/access/who-may.ts';
import { alreadyGone } from '../../messages/subscribing/answers.ts';
import { actionIds } from '../../messages/text/action-ids.ts';
import { readPage } from '../../messages/text/message.ts';
import type { AdmittingDeps } from './action-deps.ts';
import { type Handler, type Handlers, isUuid } from './press.ts';

/** The buttons in the answers of `why` and `doctor`. */
export function remedyActions(deps: AdmittingDeps): Handlers {
  const { admitted, doctor } = deps;

  const toReaders = (act: Handler): Handler =>
    admitted(async (press) => {
      await requireMaySee(deps.bot, press.context);
      await act(press);
    });
  const toChangers = (act: Handler): Handler =>
    admitted(async (press) => {
      await requireMayChange(deps.bot, press.context, null);
      await act(press);
    });
  const turnWhy = toReaders(({ context, value }) =>
    deps.why.ofChannel(context, { page: readPage(value), replace: true }),
  );

  return {
    [actionIds.whyPrevious]: turnWhy,
    [actionIds.whyNext]: turnWhy,
    [actionIds.doctorDetails]: toReaders(({ context }) =>
      doctor.report(context, { detailed: true, replace: true }),
    ),
    [actionIds.repairLink]: admitted(({ context }) => deps.links.link(context)),
    [actionIds.liftMute]: admitted(async ({ context }) => {
      await requireMayChange(deps.bot, context, { act: 'unmute' });
      await deps.mute.unmute(context);
    }),
    [actionIds.repairPosting]: toChangers(({ context }) => doctor.repairPosting(context)),
    [actionIds.repairRemoteSubscription]: toReaders(({ context, value }) =>
      isUuid(value) ? doctor.repairRemoteSubscription(context, value) : context.reply(alreadyGone),
    ),
    [actionIds.replayDeadLetters]: toChangers(({ context }) => doctor.replayDeadLetters(context)),
  };
}
