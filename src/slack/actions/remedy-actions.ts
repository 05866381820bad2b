import type { RequireMayChange, RequireMaySee } from '../../core/access/who-may.ts';
import type { Mute } from '../../core/channels/mute.ts';
import type { Doctor } from '../../core/explaining/doctor.ts';
import type { Why } from '../../core/explaining/why.ts';
import type { LinkCommands } from '../../core/linking/link-commands.ts';
import { alreadyGone } from '../../messages/subscribing/answers.ts';
import { actionIds } from '../../messages/text/action-ids.ts';
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
  const { admitted, requireMayChange, requireMaySee, doctor } = deps;

  const turnWhy: Handler = async ({ context, value }) => {
    const page = /^\d{1,6}$/.test(value) ? Number(value) : 0;
    await requireMaySee(context);
    await deps.why.ofChannel(context, { page, replace: true });
  };

  return {
    [actionIds.whyPrevious]: admitted(turnWhy),
    [actionIds.whyNext]: admitted(turnWhy),
    [actionIds.doctorDetails]: admitted(async ({ context }) => {
      await requireMaySee(context);
      await doctor.report(context, { detailed: true, replace: true });
    }),
    [actionIds.repairLink]: admitted(({ context }) => deps.links.link(context)),
    [actionIds.liftMute]: admitted(async ({ context }) => {
      await requireMayChange(context, { act: 'unmute' });
      await deps.mute.unmute(context);
    }),
    [actionIds.repairPosting]: admitted(async ({ context }) => {
      await requireMaySee(context);
      await doctor.repairPosting(context);
    }),
    [actionIds.repairRemoteSubscription]: admitted(async ({ context, value }) => {
      if (!isUuid(value)) return context.reply(alreadyGone());
      await requireMaySee(context);
      await doctor.repairRemoteSubscription(context, value);
    }),
    [actionIds.replayDeadLetters]: admitted(async ({ context }) => {
      await requireMaySee(context);
      await doctor.replayDeadLetters(context);
    }),
  };
}
