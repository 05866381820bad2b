import type { MayChange } from '../../core/access/may-change.ts';
import type { MaySee } from '../../core/access/who-may.ts';
import type { Mute } from '../../core/channels/mute.ts';
import type { Doctor } from '../../core/explaining/doctor.ts';
import type { Why } from '../../core/explaining/why.ts';
import type { LinkCommands } from '../../core/linking/link-commands.ts';
import { alreadyGone } from '../../messages/subscribing/answers.ts';
import { actionIds } from '../../messages/text/action-ids.ts';
import { type Handler, type Handlers, isUuid } from './press.ts';

export type RemedyActionDeps = {
  readonly admitted: (handler: Handler) => Handler;
  readonly mayChange: MayChange;
  readonly maySee: MaySee;
  readonly links: Pick<LinkCommands, 'link'>;
  readonly mute: Pick<Mute, 'unmute'>;
  readonly doctor: Doctor;
  readonly why: Pick<Why, 'ofChannel'>;
};

/** What the buttons of "why?" and of a channel's check do. */
export function remedyActions(deps: RemedyActionDeps): Handlers {
  const { admitted, mayChange, maySee, doctor } = deps;

  const turnWhy: Handler = async ({ asked, value }) => {
    const page = /^\d{1,6}$/.test(value) ? Number(value) : 0;
    if (await maySee(asked)) await deps.why.ofChannel(asked, { page, replace: true });
  };

  return {
    [actionIds.whyPrevious]: admitted(turnWhy),
    [actionIds.whyNext]: admitted(turnWhy),
    [actionIds.mendLink]: admitted(({ asked }) => deps.links.link(asked)),
    [actionIds.mendMute]: admitted(async ({ asked }) => {
      if (await mayChange(asked, { act: 'unmute' })) await deps.mute.unmute(asked);
    }),
    [actionIds.mendPosting]: admitted(async ({ asked }) => {
      if (await maySee(asked)) await doctor.mendPosting(asked);
    }),
    [actionIds.mendRecord]: admitted(async ({ asked, value }) => {
      if (!isUuid(value)) return asked.reply(alreadyGone());
      if (await maySee(asked)) await doctor.mendRecord(asked, value);
    }),
    [actionIds.mendDead]: admitted(async ({ asked }) => {
      if (await maySee(asked)) await doctor.mendDead(asked);
    }),
  };
}
