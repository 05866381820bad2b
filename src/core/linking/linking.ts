import type { Copy } from '../../messages/text/copy.ts';
import type { Message } from '../../messages/text/message.ts';
import type { ServiceOAuth } from '../../service/oauth.ts';
import type { LinkAttempts } from '../../store/tables/link-attempts.ts';
import type { Links } from '../../store/tables/links.ts';
import type { Subscription } from '../../store/tables/subscriptions.ts';
import type { Clock } from '../model/clock.ts';
import type { Link } from '../model/link.ts';
import type { ProfileOf, SlackPerson, Workspace } from '../model/people.ts';
import { makeAccessTokenFor, type RefreshResult } from './access-token.ts';
import { makeBurnTicket } from './burn-ticket.ts';
import { makeCleanAttempts } from './clean-attempts.ts';
import { makeConfirmReplace } from './confirm-replace.ts';
import { makeEnterCode } from './enter-code.ts';
import { makeFindTicket } from './find-ticket.ts';
import { makeFinishLink } from './finish-link.ts';
import { makeKeepAlive } from './keep-alive.ts';
import { makeLinkOffers, type PressedOffers } from './link-offers.ts';
import { type DirectMessage, makeNotify } from './notify-person.ts';
import type { RandomBytes } from './secrets.ts';
import { type CarryOut, makeSettleLink, type NoteFailure } from './settle-link.ts';
import { makeShowTicket } from './show-ticket.ts';
import { makeStartLink } from './start-link.ts';
import { makeUnlink } from './unlink.ts';

export type LinkingDeps = {
  readonly links: Links;
  readonly attempts: LinkAttempts;
  readonly oauth: ServiceOAuth;
  readonly profileOf: ProfileOf;
  /** The workspace's name; throws where Slack cannot be asked. */
  readonly workspaceNameOf: (workspace: Workspace) => Promise<string>;
  readonly directMessage: DirectMessage;
  readonly pressedOffers: PressedOffers;
  readonly answer: (responseUrl: string, message: Message, options: { replace: true }) => Promise<void>;
  /** Called once a link, in the process that made it. What it throws is noted and undoes nothing. */
  readonly carryOut: CarryOut;
  /** The person's subscriptions that have not ended. */
  readonly subscriptionsOf: (person: SlackPerson) => Promise<readonly Subscription[]>;
  /** Ends a link's subscriptions, here and at the service. Gives up at the signal. */
  readonly releaseSubscriptions: (link: Link, signal: AbortSignal) => Promise<void>;
  readonly copy: Copy;
  /** Without a slash at its end. */
  readonly publicUrl: string;
  readonly clock: Clock;
  readonly randomBytes: RandomBytes;
  readonly sleep: (milliseconds: number) => Promise<void>;
  /** `AbortSignal.timeout` in a running bot. */
  readonly signalAfter: (milliseconds: number) => AbortSignal;
  readonly noteFailure: NoteFailure;
  readonly countRefresh: (result: RefreshResult) => void;
};

export type Linking = ReturnType<typeof makeLinking>;

/** All that has to do with links, put together. */
export function makeLinking(deps: LinkingDeps) {
  const notify = makeNotify(deps);
  const offers = makeLinkOffers(deps);
  const settle = makeSettleLink({ ...deps, notify, offers });
  const findTicket = makeFindTicket(deps);
  const accessTokenFor = makeAccessTokenFor({ ...deps, notify });
  return {
    startLink: makeStartLink(deps),
    showTicket: makeShowTicket({ ...deps, findTicket }),
    burnTicket: makeBurnTicket({ ...deps, findTicket }),
    finishLink: makeFinishLink({ ...deps, settle, notify }),
    enterCode: makeEnterCode({ ...deps, settle }),
    confirmReplace: makeConfirmReplace({ ...deps, settle }),
    ...makeUnlink(deps),
    accessTokenFor,
    keepAlive: makeKeepAlive({ ...deps, accessTokenFor }),
    cleanAttempts: makeCleanAttempts(deps),
    offers,
  };
}
