import type { Copy } from '../../messages/text/copy.ts';
import type { Message } from '../../messages/text/message.ts';
import type { ServiceOAuth } from '../../service/oauth.ts';
import type { LinkAttempts } from '../../store/tables/link-attempts.ts';
import type { Links } from '../../store/tables/links.ts';
import type { Subscriptions } from '../../store/tables/subscriptions.ts';
import type { DirectMessage } from '../access/personal.ts';
import type { Clock } from '../model/clock.ts';
import type { Link } from '../model/link.ts';
import type { ProfileOf, Workspace } from '../model/people.ts';
import { makeAccessTokenFor, type RefreshResult } from './access-token.ts';
import { makeBurnTicket } from './burn-ticket.ts';
import { makeCleanAttempts } from './clean-attempts.ts';
import { makeConfirmReplace } from './confirm-replace.ts';
import { makeEmailsOf } from './emails-of.ts';
import { makeEnterCode } from './enter-code.ts';
import { makeFindTicket } from './find-ticket.ts';
import { makeFinishLink } from './finish-link.ts';
import { makeKeepAlive } from './keep-alive.ts';
import { makeLinkCommands } from './link-commands.ts';
import { makeLinkOffers, type PressedOffers } from './link-offers.ts';
import { makeNotify } from './notify-person.ts';
import type { RandomBytes } from './secrets.ts';
import { type CarryOut, makeSettleLink, type NoteFailure } from './settle-link.ts';
import { makeShowTicket } from './show-ticket.ts';
import { makeStartLink } from './start-link.ts';
import { makeUnlink, type ReleaseSubscriptions } from './unlink.ts';

type LinkingRoomDeps = {
  readonly links: Links;
  readonly attempts: LinkAttempts;
  readonly oauth: ServiceOAuth;
  readonly profileOf: ProfileOf;
  readonly currentProfileOf: ProfileOf;
  /** Returns the workspace's name; throws if Slack cannot be asked. */
  readonly workspaceNameOf: (workspace: Workspace) => Promise<string>;
  readonly directMessage: DirectMessage;
  readonly pressedOffers: PressedOffers;
  readonly answer: (responseUrl: string, message: Message, options: { replace: true }) => Promise<void>;
  readonly subscriptions: Pick<Subscriptions, 'ofOwner'>;
  readonly copy: Copy;
  /** Without a trailing slash. */
  readonly publicUrl: string;
  readonly clock: Clock;
  readonly randomBytes: RandomBytes;
  readonly sleep: (milliseconds: number) => Promise<void>;
  /** `AbortSignal.timeout` in production. */
  readonly signalAfter: (milliseconds: number) => AbortSignal;
  readonly noteFailure: NoteFailure;
  readonly countRefresh: (result: RefreshResult) => void;
  /** Called after each link was made (including one that replaces an older one) or ended. */
  readonly noted?: ((what: 'linked' | 'unlinked', link: Link) => void) | undefined;
};

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
  const settle = makeSettleLink({ ...deps, notify, offers, carryOut: (made) => carryOut(made) });
  const findTicket = makeFindTicket(deps);
  const accessTokenFor = makeAccessTokenFor({ ...deps, notify });
  const startLink = makeStartLink(deps);
  const enterCode = makeEnterCode({ ...deps, settle });
  const confirmReplace = makeConfirmReplace({ ...deps, settle });
  const unlink = makeUnlink({
    ...deps,
    subscriptionsOf: deps.subscriptions.ofOwner,
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
    finishLink: makeFinishLink({ ...deps, settle, notify }),
    enterCode,
    confirmReplace,
    ...unlink,
    accessTokenFor,
    keepAlive: makeKeepAlive({ ...deps, accessTokenFor }),
    cleanAttempts: makeCleanAttempts(deps),
    offers,
    emailsOf: makeEmailsOf(deps),
    commands,
    bareVerbs: { unlink: commands.askUnlink, status: commands.status },

    /** Sets what runs once after each link, in the process that made it. An error it throws is logged and undoes nothing. */
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
