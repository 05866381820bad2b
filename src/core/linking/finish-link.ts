import type { Callback, ServiceOAuth } from '../../service/oauth.ts';
import type { AnsweredAttempt, LinkAttempts } from '../../store/tables/link-attempts.ts';
import type { Clock } from '../model/clock.ts';
import { type Grant, type LinkAttempt, sameAccount } from '../model/link.ts';
import { serviceFailure } from '../model/service-error.ts';
import { type Asker, type AskerDeps, askerOf } from './asker.ts';
import { linkLimits } from './limits.ts';
import type { Notify } from './notify-person.ts';
import { hashOf, newCode, type RandomBytes, sameHash } from './secrets.ts';
import type { NoteFailure, SettleLink } from './settle-link.ts';

/**
 * Why an answer of the service led to no link.
 * - `malformed`: there is no state in it, or more than one, or what cannot be one
 * - `unknown-answer`: its state is none of ours, or long forgotten
 * - `expired`: it came too late
 * - `used`: it was taken before, or ended meanwhile
 * - `other-browser`: the browser is not the one that was sent to the service
 * - `denied`: the person did not agree
 * - `refused`: the service, or the bot, could not take it; `detail` says why in a sentence for the person
 * - `code-expired`: the service's authorization code is no longer taken
 * - `unavailable`: the service did not answer
 * - `not-a-member`: whoever asked is not (any more) a full member of the workspace
 */
export type FinishFault =
  | 'malformed'
  | 'unknown-answer'
  | 'expired'
  | 'used'
  | 'other-browser'
  | 'denied'
  | 'refused'
  | 'code-expired'
  | 'unavailable'
  | 'not-a-member';

type Refused = {
  readonly outcome: 'refused';
  readonly fault: FinishFault;
  readonly detail?: string | undefined;
};

/** What the browser's page is to say. `asker` is null where Slack could not be asked for names. */
export type LinkFinished =
  | { readonly outcome: 'linked'; readonly account: string | null; readonly asker: Asker | null }
  | { readonly outcome: 'question'; readonly account: string | null; readonly asker: Asker | null }
  | {
      readonly outcome: 'code';
      /** To be typed in Slack by the person who asked. */
      readonly code: string;
      readonly minutes: number;
      readonly account: string | null;
      readonly asker: Asker | null;
    }
  | Refused;

export type FinishLink = (callback: {
  readonly searchParams: URLSearchParams;
  /** What the browser gave back of the cookie it was given; null where it gave none. */
  readonly cookie: string | null;
}) => Promise<LinkFinished>;

type FinishLinkDeps = AskerDeps & {
  readonly attempts: Pick<LinkAttempts, 'byState' | 'takeState' | 'hold' | 'end'>;
  readonly oauth: Pick<ServiceOAuth, 'readCallback' | 'exchange'>;
  readonly settle: SettleLink;
  readonly notify: Pick<Notify, 'askToReplace'>;
  readonly clock: Clock;
  readonly randomBytes: RandomBytes;
  readonly noteFailure: NoteFailure;
};

/** What our states are made of; nothing else reaches the database. */
const stateForm = /^[\w-]{16,512}$/;

/** Takes the service's answer from a browser: to a link, to a code that proves who is at the browser, or to what went wrong. */
export function makeFinishLink(deps: FinishLinkDeps): FinishLink {
  return async ({ searchParams, cookie }) => {
    const state = stateOf(searchParams);
    if (state === null) return refused('malformed');
    const stateHash = hashOf(state);
    const answered = await deps.attempts.takeState(stateHash, deps.clock.now());
    if (answered === null) return refused(await whyNotTaken(deps, stateHash));

    // From here on the state is burnt, whatever happens: what else came with it may be in the wrong hands.
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

async function whyNotTaken(
  { attempts, clock }: Pick<FinishLinkDeps, 'attempts' | 'clock'>,
  stateHash: Buffer,
): Promise<FinishFault> {
  const attempt = await attempts.byState(stateHash);
  if (attempt === null) return 'unknown-answer';
  return attempt.step !== 'done' && attempt.expiresAt <= clock.now() ? 'expired' : 'used';
}

/** Trades the code for tokens, or says why there are none. */
async function redeem(
  { oauth }: Pick<FinishLinkDeps, 'oauth'>,
  { codeVerifier }: AnsweredAttempt,
  callback: Callback,
): Promise<Grant | Refused> {
  if (callback.kind === 'error') {
    return refused(callback.error === 'access_denied' ? 'denied' : 'refused', callback.description);
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
    return refusalOf(error);
  }
}

function refusalOf(error: unknown): Refused {
  const failure = serviceFailure(error);
  switch (failure?.kind) {
    case undefined:
      throw error;
    case 'invalid-grant':
      return refused('code-expired');
    case 'denied':
      return refused('denied', failure?.forPerson);
    case 'unavailable':
    case 'rate-limited':
      return refused('unavailable', failure?.forPerson);
    default:
      return refused('refused', failure?.forPerson);
  }
}

/** Links where the person at the browser has shown to be the one in Slack; asks for a code where that is not known. */
async function prove(deps: FinishLinkDeps, attempt: LinkAttempt, grant: Grant): Promise<LinkFinished> {
  const context = await whoAsked(deps, attempt);
  if (context !== null && context.profile.standing !== 'member') {
    await deps.attempts.end(attempt.id, 'dead');
    return refused('not-a-member');
  }
  const asker = context?.asker ?? null;
  // Both sides have checked that the address is the person's: Slack for the profile, the service for the account.
  if (!sameAccount(context?.profile.email ?? null, grant.account))
    return askForCode(deps, attempt, { grant, asker });

  const settled = await deps.settle(attempt, grant, false);
  switch (settled.outcome) {
    case 'linked':
      return { outcome: 'linked', account: grant.account, asker };
    case 'question':
      await deps.notify.askToReplace(settled);
      return { outcome: 'question', account: grant.account, asker };
    case 'ended':
      return refused('used');
  }
}

/** Null where Slack cannot be asked: then nothing is known that would prove anything, and the code has to. */
async function whoAsked(deps: FinishLinkDeps, attempt: LinkAttempt) {
  try {
    return await askerOf(deps, attempt);
  } catch (error) {
    deps.noteFailure('look up who asked to be linked', error);
    return null;
  }
}

async function askForCode(
  { attempts, clock, randomBytes }: FinishLinkDeps,
  attempt: LinkAttempt,
  { grant, asker }: { readonly grant: Grant; readonly asker: Asker | null },
): Promise<LinkFinished> {
  const code = newCode(randomBytes);
  const held = await attempts.hold({
    attempt,
    step: 'proving',
    codeHash: hashOf(code),
    grant,
    expiresAt: new Date(clock.now().getTime() + linkLimits.code),
  });
  if (!held) return refused('used');
  return { outcome: 'code', code, minutes: linkLimits.code / 60_000, account: grant.account, asker };
}

function refused(fault: FinishFault, detail?: string): Refused {
  return { outcome: 'refused', fault, detail };
}
