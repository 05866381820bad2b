import { makeSlots } from '../../lib/slots.ts';
import type { ServiceOAuth } from '../../service/oauth.ts';
import type { Tokens } from '../../service/token-answer.ts';
import type { HeldLink, Links } from '../../store/tables/links.ts';
import type { Clock } from '../model/clock.ts';
import type { Link, LinkTokens } from '../model/link.ts';
import { serviceFailure } from '../model/service-error.ts';
import { tokenLimits } from './limits.ts';
import type { Notify } from './notify-person.ts';
import type { NoteFailure } from './settle-link.ts';

/** A token to call the service with, or that the person has to link again (and has been asked to). */
type AccessToken =
  | { readonly outcome: 'token'; readonly accessToken: string }
  | { readonly outcome: 'relink' };

export type AccessTokenOptions = {
  /** An access token that the service has just refused with 401: it is not given out again, however long it was to live. */
  readonly refused?: string | undefined;
};

/** Throws the service's error where tokens could not be renewed now and may be later. */
export type AccessTokenFor = (linkId: string, options?: AccessTokenOptions) => Promise<AccessToken>;

export type AccessTokenDeps = {
  readonly links: Pick<
    Links,
    'withTokens' | 'inLock' | 'replaceSpent' | 'claimRelinkAsk' | 'unclaimRelinkAsk'
  >;
  readonly oauth: Pick<ServiceOAuth, 'refresh'>;
  readonly clock: Clock;
  readonly notify: Pick<Notify, 'askToRelink'>;
  readonly noteFailure: NoteFailure;
  /** Counts what became of each refresh. */
  readonly countRefresh: (result: RefreshResult) => void;
  readonly sleep: (milliseconds: number) => Promise<void>;
};

export type RefreshResult = 'refreshed' | 'relink' | 'failed';

/** What came of one turn under the lock. `spent`: the service does not take that refresh token, and the row needs another look. */
type TurnDone = AccessToken | { readonly outcome: 'spent'; readonly spent: string };
type RefreshTurn = TurnDone | 'gone' | 'busy';

const relink: AccessToken = { outcome: 'relink' };

/** Looks under the lock before giving up: another process may hold it for as long as the service takes to answer. */
const mostTurns = 4;
const waitsBeforeStoringAgain = [100, 500, 2_000];

/**
 * Gives out access tokens, renewed in time.
 *
 * A refresh token works once, and a service may revoke everything when one is used twice, so a renewal is under way once: callers
 * in one process share it, and processes queue for the link's row and look again when they have it. The lock lives in Postgres'
 * transaction, so it is never left behind, nor released while the answer is awaited. Killed between the service's answer and the
 * commit, the new tokens are lost; the next caller is then refused, and the person is asked to link again.
 */
export function makeAccessTokenFor(deps: AccessTokenDeps): AccessTokenFor {
  const slots = makeSlots(tokenLimits.refreshesAtOnce);
  const flights = new Map<string, Promise<AccessToken>>();

  return async (linkId, options = {}) => {
    const stored = await deps.links.withTokens(linkId);
    if (stored === null || stored.link.state === 'frozen') return relink;
    if (stored.link.state === 'relink') {
      await askOnce(deps, stored.link);
      return relink;
    }
    const accessToken = usableAccessToken({ ...stored, options, now: deps.clock.now() });
    if (accessToken !== null) return { outcome: 'token', accessToken };

    const key = JSON.stringify([linkId, options]);
    let flight = flights.get(key);
    if (flight === undefined) {
      flight = slots(() => renew(deps, linkId, options)).finally(() => flights.delete(key));
      flights.set(key, flight);
    }
    return flight;
  };
}

async function renew(
  deps: AccessTokenDeps,
  linkId: string,
  options: AccessTokenOptions,
): Promise<AccessToken> {
  let spent: string | null = null;
  for (let turn = 1; turn <= mostTurns; turn++) {
    const came = await takeTurn(deps, linkId, { options, spent });
    if (came === 'gone') return relink;
    if (came === 'busy') continue;
    if (came.outcome !== 'spent') return came.outcome === 'relink' ? askAfterwards(deps, linkId) : came;
    spent = came.spent;
  }
  throw new Error('The tokens of a link were being renewed elsewhere for too long.');
}

type Sought = {
  readonly options: AccessTokenOptions;
  /** A refresh token that the service has refused. */
  readonly spent: string | null;
};

type Gained = { readonly spent: string; readonly tokens: LinkTokens; readonly now: Date };

/** One look at the row under its lock, with at most one call to the service. */
async function takeTurn(
  deps: AccessTokenDeps,
  linkId: string,
  { options, spent }: Sought,
): Promise<RefreshTurn> {
  const { links, clock, countRefresh } = deps;
  let gained: Gained | undefined;
  try {
    return await links.inLock(linkId, async (held): Promise<TurnDone> => {
      if (held.link.state !== 'active') return relink;
      const accessToken = usableAccessToken({ ...held, options, now: clock.now() });
      if (accessToken !== null) return { outcome: 'token', accessToken };
      const { refreshToken } = held.tokens;
      // Refused, and nobody has stored another one since.
      if (refreshToken === null || refreshToken === spent) {
        await held.markRelink();
        countRefresh('relink');
        return relink;
      }
      const answer = await askService(deps, held, { options, refreshToken });
      if ('outcome' in answer) return answer;
      const now = clock.now();
      gained = { spent: refreshToken, tokens: tokensOf(answer, held.tokens), now };
      await held.save(gained.tokens, now);
      return { outcome: 'token', accessToken: answer.accessToken };
    });
  } catch (error) {
    if (gained === undefined) throw error;
    return storeAgain(deps, linkId, gained);
  }
}

/**
 * One call to the service. Where it cannot be asked now, the access token that there is goes out for as long as it holds: the margin
 * is there for that.
 */
async function askService(
  { oauth, clock, countRefresh }: AccessTokenDeps,
  { tokens }: HeldLink,
  { options, refreshToken }: { readonly options: AccessTokenOptions; readonly refreshToken: string },
): Promise<Tokens | TurnDone> {
  try {
    const answer = await oauth.refresh(refreshToken);
    countRefresh('refreshed');
    return answer;
  } catch (error) {
    if (serviceFailure(error)?.kind === 'invalid-grant') return { outcome: 'spent', spent: refreshToken };
    countRefresh('failed');
    const { accessToken, accessExpiresAt } = tokens;
    const holds = accessToken !== null && accessExpiresAt !== null && accessExpiresAt > clock.now();
    if (!holds || accessToken === options.refused) throw error;
    return { outcome: 'token', accessToken };
  }
}

/** What is stored after a refresh. Where the answer brought no refresh token, the one that was used stays (RFC 6749, 6). */
function tokensOf(answer: Tokens, before: LinkTokens): LinkTokens {
  const { accessToken, accessExpiresAt, refreshToken, refreshExpiresAt } = answer;
  return refreshToken === undefined
    ? { ...before, accessToken, accessExpiresAt }
    : { accessToken, accessExpiresAt, refreshToken, refreshExpiresAt };
}

/**
 * The database was lost between the service's answer and the commit. The old refresh token is used up, so the new one is worth some
 * patience; and the access token is good even if all of it fails.
 */
async function storeAgain(deps: AccessTokenDeps, linkId: string, gained: Gained): Promise<AccessToken> {
  for (const wait of waitsBeforeStoringAgain) {
    await deps.sleep(wait);
    try {
      // Not stored means that something else has been since, which may be these very tokens: a commit can succeed unheard.
      await deps.links.replaceSpent(linkId, gained.spent, gained);
      break;
    } catch (error) {
      deps.noteFailure('store renewed tokens', error);
    }
  }
  return gained.tokens.accessToken === null
    ? relink
    : { outcome: 'token', accessToken: gained.tokens.accessToken };
}

type Stored = {
  readonly link: Link;
  readonly tokens: LinkTokens;
  readonly options: AccessTokenOptions;
  readonly now: Date;
};

/** The stored access token where it can go out as it is, else null. */
function usableAccessToken({ link, tokens, options, now }: Stored): string | null {
  const { accessToken, accessExpiresAt } = tokens;
  if (accessToken === null || accessToken === options.refused) return null;
  const given = link.refreshedAt.getTime();
  const ends = accessExpiresAt?.getTime() ?? given + tokenLimits.accessLife;
  // A service that gives tokens for a few minutes only would otherwise be asked for new ones at every call.
  const margin = Math.min(tokenLimits.margin + jitterOf(link.id), (ends - given) / 2);
  return now.getTime() < ends - margin ? accessToken : null;
}

/** Between minus and plus `jitter`, always the same for a link. */
function jitterOf(linkId: string): number {
  const fraction = Number.parseInt(linkId.slice(0, 4), 16) / 0xffff;
  return (fraction * 2 - 1) * tokenLimits.jitter;
}

async function askAfterwards(deps: AccessTokenDeps, linkId: string): Promise<AccessToken> {
  const stored = await deps.links.withTokens(linkId);
  if (stored?.link.state === 'relink') await askOnce(deps, stored.link);
  return relink;
}

/** Asks the person to link again, if nobody has; tried again by the next caller if Slack cannot be reached. */
async function askOnce(deps: AccessTokenDeps, link: Link): Promise<void> {
  if (!(await deps.links.claimRelinkAsk(link.id, deps.clock.now()))) return;
  try {
    await deps.notify.askToRelink(link);
  } catch (error) {
    deps.noteFailure('ask a person to link again', error);
    await deps.links.unclaimRelinkAsk(link.id);
  }
}
