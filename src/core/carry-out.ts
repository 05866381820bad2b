import { refused, tooManyTries } from '../messages/answers.ts';
import type { Asked } from './asked.ts';
import type { LinkCommands } from './link-commands.ts';
import type { Mute } from './mute.ts';
import type { ProfileOf } from './people.ts';
import type { RateLimit } from './rate-limit.ts';
import type { Request } from './request.ts';
import type { ShowHelp } from './show-help.ts';
import type { ShowList } from './show-list.ts';
import type { Subscribe } from './subscribe.ts';
import type { Unsubscribe } from './unsubscribe.ts';

export type CarryOutDeps = {
  readonly profileOf: ProfileOf;
  /** By workspace and person. */
  readonly limit: RateLimit;
  readonly subscribe: Subscribe;
  readonly unsubscribe: Unsubscribe;
  readonly links: LinkCommands;
  readonly showList: ShowList;
  readonly showHelp: ShowHelp;
  readonly mute: Mute;
};

/** Lets only full members of the workspace do something, and nobody too often; who may not is told. */
export type Admit = (asked: Asked) => Promise<boolean>;

export function makeAdmit({ profileOf, limit }: Pick<CarryOutDeps, 'profileOf' | 'limit'>): Admit {
  return async (asked) => {
    const { person } = asked;
    const allowance = limit.take(`${person.teamId}/${person.userId}`);
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
export type CarryOutRequest = (asked: Asked, request: Request) => Promise<void>;

export function makeCarryOut(deps: CarryOutDeps): CarryOutRequest {
  const admit = makeAdmit(deps);
  return async (asked, request) => {
    if (!(await admit(asked))) return;
    switch (request.act) {
      case 'subscribe':
        return deps.subscribe(asked, request);
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
        return deps.showHelp(asked, 'subscribe');
      case 'settings':
      case 'doctor':
      case 'why':
        return deps.showHelp(asked, undefined);
    }
  };
}
