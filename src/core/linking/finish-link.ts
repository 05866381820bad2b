import { later, minuteMs } from '../../lib/durations.ts';
import type { OauthCallback } from '../../service/oauth.ts';
import type { AnsweredAttempt } from '../../store/tables/link-attempt-row.ts';
import { type Grant, type LinkAttempt, sameAccount } from '../model/link.ts';
import { type ServiceErrorKind, serviceFailure } from '../model/service-error.ts';
import { type Asker, askerOf } from './asker.ts';
import { linkLimits } from './limits.ts';
import type { LinkingRoomDeps } from './linking-deps.ts';
import type { Notify } from './notify-person.ts';
import { hashOf, newCode, sameHash } from './secrets.ts';
import type { SettleLink } from './settle-link.ts';

/**
 * Why a callback from the service led to no link.
 * - `malformed`: it has no state, several, or one of the wrong form
 * - `unknown-answer`: its state is unknown or was deleted
 * - `expired`: it came too late
 * - `used`: it was used before, or the attempt ended meanwhile
 * - `other-browser`: it came from a browser other than the one that was sent to the service
 * - `denied`: the person pressed Cancel
 * - `refused`: the service or the bot rejected it; `detail` says why in a sentence for the person
 * - `not-set-up`: an admin has to fix the bot's setup first; `detail` as for `refused`
 * - `code-expired`: the service no longer accepts the authorization code
 * - `unavailable`: the service did not answer
 * - `not-a-member`: the person who asked is not a full member of the workspace
 */
export type FinishFault =
  | 'malformed'
  | 'unknown-answer'
  | 'expired'
  | 'used'
  | 'other-browser'
  | 'denied'
  | 'refused'
  | 'not-set-up'
  | 'code-expired'
  | 'unavailable'
  | 'not-a-member';

type Refused = {
  readonly outcome: 'refused';
  readonly fault: FinishFault;
  readonly detail?: string | undefined;
};

/** What the page shows. `asker` is null if Slack could not be asked for names; `place` is where the person asked. */
type LinkPageShown = {
  readonly account: string | null;
  readonly asker: Asker | null;
  readonly place: { readonly teamId: string; readonly channelId: string | null };
};

export type LinkFinished =
  | (LinkPageShown & { readonly outcome: 'linked' | 'question' })
  /** `code` is for the person who asked to type in Slack, within `minutes`. */
  | (LinkPageShown & { readonly outcome: 'code'; readonly code: string; readonly minutes: number })
  | Refused;

export type FinishLink = (callback: {
  readonly searchParams: URLSearchParams;
  /** The browser's cookie from the start of the attempt; null if it has none. */
  readonly cookie: string | null;
}) => Promise<LinkFinished>;

type FinishLinkDeps = LinkingRoomDeps & {
  readonly settle: SettleLink;
  readonly notify: Pick<Notify, 'askToReplace'>;
};

/** The form of our states; nothing else reaches the database. */
const stateForm = /^[\w-]{16,512}$/;

/** Handles the service's callback: it ends in a link, a code to type in Slack, a question, or a refusal. */
export function makeFinishLink(deps: FinishLinkDeps): FinishLink {
  return async ({ searchParams, cookie }) => {
    const state = stateOf(searchParams);
    if (state === null) return refused('malformed');
    const stateHash = hashOf(state);
    const answered = await deps.attempts.takeState(stateHash, deps.clock.now());
    if (answered === null) return refused(await whyNotTaken(deps, stateHash));

    // The state is used up from here on, whatever happens: the rest of the callback may be in the wrong hands.
    if (cookie === null || !sameHash(hashOf(cookie), answered.cookieHash)) {
      await deps.attempts.end(answered.attempt.id, 'dead');
      return refused('other-browser');
    }
    const read = await redeem(deps, answered, deps.oauth.readCallback(searchParams, state));
    if ('outcome' in read) {
      await deps.attempts.end(answered.attempt.id, 'dead');
      return read;
    }
    return prove(deps, answered.attempt, read);
  };
}

function stateOf(searchParams: URLSearchParams): string | null {
  const [state = '', ...more] = searchParams.getAll('state');
  return stateForm.test(state) && more.length === 0 ? state : null;
}

async function whyNotTaken({ attempts, clock }: LinkingRoomDeps, stateHash: Buffer): Promise<FinishFault> {
  const attempt = await attempts.byState(stateHash);
  if (attempt === null) return 'unknown-answer';
  return attempt.step !== 'done' && attempt.expiresAt <= clock.now() ? 'expired' : 'used';
}

/** Exchanges the code for tokens, or says why it could not. */
async function redeem(
  { oauth }: LinkingRoomDeps,
  { codeVerifier }: AnsweredAttempt,
  callback: OauthCallback,
): Promise<Grant | Refused> {
  if (callback.kind === 'error') {
    return refusal(callback.means, callback.description);
  }
  try {
    const { callbackParameters } = callback;
    const tokens = await oauth.exchange({ callbackParameters, codeVerifier });
    return {
      accessToken: tokens.accessToken,
      accessExpiresAt: tokens.accessExpiresAt,
      refreshToken: tokens.refreshToken ?? null,
      refreshExpiresAt: tokens.refreshToken === undefined ? null : tokens.refreshExpiresAt,
      account: tokens.account,
      scope: tokens.scope,
    };
  } catch (error) {
    const failure = serviceFailure(error);
    if (failure === null) throw error;
    return refusal(failure.kind, failure.forPerson);
  }
}

/** Refuses with what the service said, where the page cannot say it better. */
function refusal(kind: ServiceErrorKind, said: string): Refused {
  const fault = faultOf(kind);
  return refused(fault, fault === 'code-expired' || fault === 'unavailable' ? undefined : said);
}

/** Returns the page's fault for a refusal of the service. */
export function faultOf(kind: ServiceErrorKind): FinishFault {
  switch (kind) {
    case 'invalid-grant':
      return 'code-expired';
    case 'denied':
      return 'denied';
    case 'forbidden':
    case 'unreadable':
      return 'not-set-up';
    case 'unavailable':
    case 'rate-limited':
      return 'unavailable';
    default:
      return 'refused';
  }
}

/** Links if the person at the browser is certainly the one in Slack; otherwise asks for a code. */
async function prove(deps: FinishLinkDeps, attempt: LinkAttempt, grant: Grant): Promise<LinkFinished> {
  const context = await whoAsked(deps, attempt);
  if (context !== null && context.profile.standing !== 'member') {
    await deps.attempts.end(attempt.id, 'dead');
    return refused('not-a-member');
  }
  const { teamId, channelId } = attempt;
  const shown: LinkPageShown = {
    account: grant.account,
    asker: context?.asker ?? null,
    // The Home tab has no channel.
    place: { teamId, channelId: channelId || null },
  };
  // Both sides verified that the address is the person's: Slack for the profile, the service for the account.
  if (!sameAccount(context?.profile.email ?? null, grant.account))
    return askForCode(deps, attempt, { grant, shown });

  const settled = await deps.settle(attempt, grant, false);
  switch (settled.outcome) {
    case 'linked':
      return { outcome: 'linked', ...shown };
    case 'question':
      await deps.notify.askToReplace(settled);
      return { outcome: 'question', ...shown };
    case 'ended':
      return refused('used');
  }
}

/** Returns null if Slack cannot be asked; then the code has to prove who the person is. */
async function whoAsked(deps: LinkingRoomDeps, attempt: LinkAttempt) {
  try {
    return await askerOf(deps, attempt);
  } catch (error) {
    deps.noteFailure('look up who asked to be linked', error);
    return null;
  }
}

async function askForCode(
  { attempts, clock, randomBytes }: LinkingRoomDeps,
  attempt: LinkAttempt,
  { grant, shown }: { readonly grant: Grant; readonly shown: LinkPageShown },
): Promise<LinkFinished> {
  const code = newCode(randomBytes);
  const held = await attempts.hold({
    attempt,
    step: 'proving',
    codeHash: hashOf(code),
    grant,
    expiresAt: later(clock.now(), linkLimits.code),
  });
  if (!held) return refused('used');
  return { outcome: 'code', code, minutes: linkLimits.code / minuteMs, ...shown };
}

function refused(fault: FinishFault, detail?: string): Refused {
  return { outcome: 'refused', fault, detail };
}
