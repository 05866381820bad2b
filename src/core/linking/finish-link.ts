import { later } from '../../lib/durations.ts';
import type { OauthCallback } from '../../service/oauth.ts';
import type { AnsweredAttempt } from '../../store/tables/link-attempt-row.ts';
import {
  type Grant,
  type LinkAttempt,
  type LinkFailure,
  type LinkFault,
  sameAccount,
} from '../model/link.ts';
import { type ServiceErrorKind, serviceFailure } from '../model/service-error.ts';
import { namedAsker } from './asker.ts';
import { linkLimits } from './limits.ts';
import type { LinkingRoomDeps } from './linking-deps.ts';
import type { Notify } from './notify-person.ts';
import { codeOf, hashOf, sameHash } from './secrets.ts';
import type { SettleLink } from './settle-link.ts';

/**
 * Returns the browser's cookie and for how long to set it anew, so that the browser is shown how its attempt went; null for any other
 * browser, or if the callback was used before. Throws if the database cannot be reached.
 */
export type FinishLink = (callback: {
  readonly searchParams: URLSearchParams;
  /** The browser's cookie from the start of the attempt; null if it has none. */
  readonly cookie: string | null;
  /** Logs an error and returns its reference. */
  readonly report: (error: unknown) => string;
}) => Promise<{ readonly cookie: string; readonly cookieSeconds: number } | null>;

type FinishLinkDeps = LinkingRoomDeps & {
  readonly settle: SettleLink;
  readonly notify: Pick<Notify, 'askToReplace'>;
};

/** The form of our states; nothing else reaches the database. */
const stateForm = /^[\w-]{16,512}$/;

/** Handles the service's callback: it ends in a link, a code to type in Slack, a question, or a failure, which is stored. */
export function makeFinishLink(deps: FinishLinkDeps): FinishLink {
  return async ({ searchParams, cookie, report }) => {
    const state = stateOf(searchParams);
    if (state === null) return null;
    const answered = await deps.attempts.takeState(hashOf(state), deps.clock.now());
    if (answered === null) return null;

    // The state is used up from here on, whatever happens: the rest of the callback may be in the wrong hands.
    const { attempt } = answered;
    if (cookie === null || !sameHash(hashOf(cookie), answered.cookieHash)) {
      await deps.attempts.end(attempt.id);
      return null;
    }
    const callback = deps.oauth.readCallback(searchParams, state);
    const code = codeOf(cookie);
    const failure = await redeem(deps, answered, callback)
      .then((granted) => ('fault' in granted ? granted : prove(deps, attempt, { grant: granted, code })))
      .catch((error: unknown): LinkFailure => ({ fault: 'failure', detail: report(error) }));
    if (failure !== null) await deps.attempts.end(attempt.id, failure);
    return { cookie, cookieSeconds: linkLimits.page / 1_000 };
  };
}

function stateOf(searchParams: URLSearchParams): string | null {
  const [state = '', ...more] = searchParams.getAll('state');
  return stateForm.test(state) && more.length === 0 ? state : null;
}

/** Exchanges the code for tokens, or says why it could not. */
async function redeem(
  { oauth }: LinkingRoomDeps,
  { codeVerifier }: AnsweredAttempt,
  callback: OauthCallback,
): Promise<Grant | LinkFailure> {
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

/** Returns the failure with what the service said, where the page cannot say it better. */
function refusal(kind: ServiceErrorKind, said: string): LinkFailure {
  const fault = faultOf(kind);
  return { fault, detail: fault === 'code-expired' || fault === 'unavailable' ? null : said };
}

/** Returns the fault for a refusal of the service. */
export function faultOf(kind: ServiceErrorKind): LinkFault {
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

/** Links if the person at the browser is certainly the one in Slack; otherwise expects a code. Returns why neither is possible. */
async function prove(
  deps: FinishLinkDeps,
  attempt: LinkAttempt,
  { grant, code }: { readonly grant: Grant; readonly code: string },
): Promise<LinkFailure | null> {
  // If Slack cannot be asked, the code has to prove who the person is.
  const profile = (await namedAsker(deps, attempt))?.profile;
  if (profile !== undefined && profile.standing !== 'member') return { fault: 'not-a-member', detail: null };
  // Both sides verified that the address is the person's: Slack for the profile, the service for the account.
  if (sameAccount(profile?.email ?? null, grant.account)) {
    const settled = await deps.settle(attempt, grant, false);
    if (settled.outcome === 'question') await deps.notify.askToReplace(settled);
    return null;
  }
  const expiresAt = later(deps.clock.now(), linkLimits.code);
  await deps.attempts.hold({ attempt, step: 'proving', codeHash: hashOf(code), grant, expiresAt });
  return null;
}
