import type { RequireMayChange, RequireMaySee } from '../../core/access/who-may.ts';
import type { Mute } from '../../core/channels/mute.ts';
import type { Doctor } from '../../core/explaining/doctor.ts';
import type { Why } from '../../core/explaining/why.ts';
import type { LinkCommands } from '../../core/linking/link-commands.ts';
import { alreadyGone } from '../../messages/subscribing/answers.ts';
import { actionIds } from '../../messages/text/action-ids.ts';
import { readPage } from '../../messages/text/message.ts';
import { type Handler, type Handlers, isUuid } from './press.ts';

export type RemedyActionDeps = {
  readonly admitted: (handler: Handler) => Handler;
  readonly requireMayChange: RequireMayChange;
  readonly requireMaySee: RequireMaySee;
  readonly links: Pick<LinkCommands, 'link'>;
  readonly mute: Pick<Mute, 'unmute'>;
  readonly doctor: Doctor;
  readonly why: Pick<Why, 'ofChannel'>;
};

/** The buttons in the answers of `why` and `doctor`. */
export function remedyActions(deps: RemedyActionDeps): Handlers {
  const { admitted, doctor } = deps;

  const toReaders = (act: Handler): Handler =>
    admitted(async (press) => {
      await deps.requireMaySee(press.context);
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
      await deps.requireMayChange(context, { act: 'unmute' });
      await deps.mute.unmute(context);
    }),
    [actionIds.repairPosting]: toReaders(({ context }) => doctor.repairPosting(context)),
    [actionIds.repairRemoteSubscription]: toReaders(({ context, value }) =>
      isUuid(value) ? doctor.repairRemoteSubscription(context, value) : context.reply(alreadyGone),
    ),
    [actionIds.replayDeadLetters]: toReaders(({ context }) => doctor.replayDeadLetters(context)),
  };
}
