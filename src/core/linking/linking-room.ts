import { makeAccessTokenFor } from './access-token.ts';
import { makeBurnTicket } from './burn-ticket.ts';
import { makeCleanAttempts } from './clean-attempts.ts';
import { makeConfirmReplace } from './confirm-replace.ts';
import { makeEmailsOf } from './emails-of.ts';
import { makeEnterCode } from './enter-code.ts';
import { makeFindTicket } from './find-ticket.ts';
import { makeFinishLink } from './finish-link.ts';
import { type CarryOut, makeFollowUp } from './follow-up.ts';
import { makeKeepAlive } from './keep-alive.ts';
import { makeLinkCommands } from './link-commands.ts';
import { makeLinkOffers } from './link-offers.ts';
import type { LinkingRoomDeps } from './linking-deps.ts';
import { makeNotify } from './notify-person.ts';
import { makeSendNewLink } from './send-new-link.ts';
import { makeSettleLink } from './settle-link.ts';
import { makeShowAttempt } from './show-attempt.ts';
import { makeShowTicket } from './show-ticket.ts';
import { makeStartLink } from './start-link.ts';
import { makeUnlink, type ReleaseSubscriptions } from './unlink.ts';

export type LinkingRoom = ReturnType<typeof makeLinkingRoom>;

/**
 * Composes everything that concerns links. Rooms that need this one define what happens after linking and before unlinking, so the
 * composition root sets these steps later, with `afterLinking` and `beforeUnlinking`, before the bot takes its first request.
 */
export function makeLinkingRoom(deps: LinkingRoomDeps) {
  let carryOut: CarryOut = missing('afterLinking');
  let releaseSubscriptions: ReleaseSubscriptions = missing('beforeUnlinking');
  const notify = makeNotify(deps);
  const offers = makeLinkOffers(deps);
  const { followUp, followUpInterrupted, stop } = makeFollowUp({
    ...deps,
    notify,
    offers,
    carryOut: (made) => carryOut(made),
  });
  const settle = makeSettleLink({ ...deps, followUp });
  const findTicket = makeFindTicket(deps);
  const accessTokenFor = makeAccessTokenFor({ ...deps, notify });
  const startLink = makeStartLink(deps);
  const enterCode = makeEnterCode({ ...deps, settle });
  const confirmReplace = makeConfirmReplace({ ...deps, settle });
  const unlink = makeUnlink({
    ...deps,
    releaseSubscriptions: (link, signal) => releaseSubscriptions(link, signal),
  });
  const commands = makeLinkCommands({
    ...deps,
    startLink,
    enterCode,
    confirmReplace,
    unlink,
  });
  return {
    startLink,
    showTicket: makeShowTicket({ ...deps, findTicket }),
    burnTicket: makeBurnTicket({ ...deps, findTicket }),
    sendNewLink: makeSendNewLink({ ...deps, startLink }),
    finishLink: makeFinishLink({ ...deps, settle, notify }),
    showAttempt: makeShowAttempt(deps),
    enterCode,
    confirmReplace,
    ...unlink,
    accessTokenFor,
    keepAlive: makeKeepAlive({ ...deps, accessTokenFor }),
    cleanAttempts: makeCleanAttempts(deps),
    followUpInterrupted,
    stop,
    offers,
    emailsOf: makeEmailsOf(deps),
    commands,
    bareVerbs: { unlink: commands.askUnlink, status: commands.status },

    /** Sets what runs after each link, in another process if the first one dies. An error it throws is logged and undoes nothing. */
    afterLinking(work: CarryOut): void {
      carryOut = work;
    },

    /** Sets what ends a link's subscriptions, here and at the service. It must stop at the signal. */
    beforeUnlinking(work: ReleaseSubscriptions): void {
      releaseSubscriptions = work;
    },
  };
}

/** Stands for work that was not set, which is a bug in the composition root. */
function missing(step: string): () => Promise<never> {
  return () => Promise.reject(new Error(`linking.${step} was never called`));
}
