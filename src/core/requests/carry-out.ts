import type { Allowance } from '../../lib/rate-limit.ts';
import { refused, tooManyTries } from '../../messages/subscribing/answers.ts';
import type { ChangeSettings } from '../access/change-settings.ts';
import type { Asked } from '../access/command-context.ts';
import type { MayChange } from '../access/may-change.ts';
import type { MaySee } from '../access/who-may.ts';
import type { Mute } from '../channels/mute.ts';
import type { Doctor } from '../explaining/doctor.ts';
import type { Why } from '../explaining/why.ts';
import type { LinkCommands } from '../linking/link-commands.ts';
import type { ProfileOf, SlackPerson } from '../model/people.ts';
import type { Request } from '../model/request.ts';
import type { ShowForm } from '../subscribing/show-form.ts';
import type { ShowList } from '../subscribing/show-list.ts';
import type { Subscribe, SubscribeOptions } from '../subscribing/subscribe.ts';
import type { Unsubscribe } from '../subscribing/unsubscribe.ts';
import type { ShowHelp } from './show-help.ts';

export type CarryOutDeps = {
  readonly profileOf: ProfileOf;
  /** Counts one more of what a person asked for, in all processes. */
  readonly countCommand: (person: SlackPerson) => Promise<Allowance>;
  readonly mayChange: MayChange;
  readonly maySee: MaySee;
  readonly subscribe: Subscribe;
  readonly unsubscribe: Unsubscribe;
  readonly links: LinkCommands;
  readonly showList: ShowList;
  readonly showHelp: ShowHelp;
  readonly showForm: Pick<ShowForm, 'here'>;
  readonly mute: Mute;
  readonly why: Pick<Why, 'ofChannel'>;
  readonly doctor: Pick<Doctor, 'report'>;
  readonly settings: Pick<ChangeSettings, 'show'>;
};

/** Lets only full members of the workspace do something, and nobody too often; who may not is told. */
export type Admit = (asked: Asked) => Promise<boolean>;

export function makeAdmit({
  profileOf,
  countCommand,
}: Pick<CarryOutDeps, 'profileOf' | 'countCommand'>): Admit {
  return async (asked) => {
    const { person } = asked;
    const allowance = await countCommand(person);
    if (!allowance.allowed) {
      await asked.reply(tooManyTries(allowance.retryInSeconds));
      return false;
    }
    const { standing } = await profileOf(person);
    if (standing === 'member') return true;
    await asked.reply(refused(standing === 'bot' ? 'stranger' : standing));
    return false;
  };
}

/** Carries out what somebody asked for in words. The one way for what was typed, clicked together, and kept while they linked. */
export type CarryOutRequest = (asked: Asked, request: Request, options?: SubscribeOptions) => Promise<void>;

export function makeCarryOut(deps: CarryOutDeps): CarryOutRequest {
  const admit = makeAdmit(deps);
  return async (asked, request, options) => {
    if (!(await admit(asked)) || !(await mayDo(asked, request, deps))) return;
    switch (request.act) {
      case 'subscribe':
        return deps.subscribe(asked, request, options);
      case 'unsubscribe':
        return deps.unsubscribe.one(asked, request.target);
      case 'unsubscribe-all':
        return deps.unsubscribe.askAll(asked);
      case 'unsubscribe-list':
        return deps.showList(asked, { toRemove: true });
      case 'list':
        return deps.showList(asked, { toRemove: false });
      case 'link':
        return request.code === undefined ? deps.links.link(asked) : deps.links.code(asked, request.code);
      case 'unlink':
        return deps.links.askUnlink(asked);
      case 'status':
        return deps.links.status(asked);
      case 'mute':
        return deps.mute.mute(asked, request.minutes);
      case 'unmute':
        return deps.mute.unmute(asked);
      case 'help':
        return deps.showHelp(asked, request.topic);
      case 'open-form':
        return deps.showForm.here(asked);
      case 'settings':
        return deps.settings.show(asked);
      case 'doctor':
        return deps.doctor.report(asked);
      case 'why':
        return deps.why.ofChannel(asked);
    }
  };
}

/** Carries out what an admin has allowed: nothing is asked first, since there is no place in the channel to answer. */
export function makeCarryOutAllowed(
  deps: Pick<CarryOutDeps, 'profileOf' | 'countCommand' | 'subscribe' | 'unsubscribe' | 'mute'>,
): (asked: Asked, request: Request) => Promise<void> {
  const admit = makeAdmit(deps);
  return async (asked, request) => {
    if (!(await admit(asked))) return;
    switch (request.act) {
      case 'subscribe':
        return deps.subscribe(asked, request, { anyway: true, shared: true });
      case 'unsubscribe':
        return deps.unsubscribe.one(asked, request.target);
      case 'unsubscribe-all':
        return deps.unsubscribe.all(asked);
      case 'mute':
        return deps.mute.mute(asked, request.minutes);
      case 'unmute':
        return deps.mute.unmute(asked);
      default:
        throw new Error(`nobody has to allow ${request.act}`);
    }
  };
}

type Gates = Pick<CarryOutDeps, 'mayChange' | 'maySee'>;

/** Lets only those go on who may do that in this channel; the others have been told. */
async function mayDo(asked: Asked, request: Request, { mayChange, maySee }: Gates): Promise<boolean> {
  switch (request.act) {
    case 'subscribe':
      // What a bare id is, is asked first; whoever answers that is looked at then.
      return request.target.kind === 'unknown' ? maySee(asked) : mayChange(asked, request);
    case 'unsubscribe':
    case 'unsubscribe-all':
    case 'mute':
    case 'unmute':
      return mayChange(asked, request);
    case 'unsubscribe-list':
    case 'list':
    case 'doctor':
    case 'why':
      return maySee(asked);
    default:
      // The form is looked at when it is sent: Slack wants it within three seconds.
      return true;
  }
}
