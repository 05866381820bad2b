import { hourMs, later, minuteMs } from '../../lib/durations.ts';
import { makeSlots } from '../../lib/later.ts';
import { relinkRequest } from '../../messages/linking/linking.ts';
import { linkStopped } from '../../messages/subscribing/answers.ts';
import * as links from '../../store/tables/links.ts';
import { announceTo } from '../announce.ts';
import { type Bot, inTransaction } from '../bot.ts';
import type { Grant, Link, LinkTokens } from '../model/link.ts';
import { ServiceError, serviceFailure } from '../model/service-error.ts';
import { settleOwned } from '../settling/settle.ts';

/** When tokens are renewed, in milliseconds. */
const tokenLimits = {
  /** Time before an access token expires; calls made with it must arrive while it is still valid. */
  margin: 5 * minuteMs,
  /** Renewals are spread by up to this much either way, so links made together are not renewed together. */
  jitter: 30_000,
  /** Service interface: access tokens live for 60 minutes. Used if a response does not say. */
  accessLife: hourMs,
  /** Concurrent refreshes in a process: each holds one of the pool's connections. */
  refreshesAtOnce: 2,
} as const;

/** A token to call the service with, or `relink`: the person has to link again, and has been asked to. */
type AccessToken =
  | { readonly outcome: 'token'; readonly accessToken: string }
  | { readonly outcome: 'relink' };

export type AccessTokenOptions = {
  /** An access token that the service has just refused with 401: it is not used again, even if it has not expired. */
  readonly refused?: string | undefined;
};

/** The tokens that a process is renewing. */
export type Renewals = ReturnType<typeof makeRenewals>;

/** Makes room for the tokens that a process renews. */
export function makeRenewals() {
  return { slots: makeSlots(tokenLimits.refreshesAtOnce), underWay: new Map<string, Promise<AccessToken>>() };
}

/** The result of one turn under the lock. `spent`: the service refuses that refresh token, so the row has to be read again. */
type TurnDone = AccessToken | { readonly outcome: 'spent'; readonly spent: string };
type RefreshTurn = TurnDone | 'gone' | 'busy';

const relink: AccessToken = { outcome: 'relink' };

/** Turns to take the lock before giving up: another process may hold it for as long as the service takes to answer. */
const mostTurns = 4;
const waitsBeforeStoringAgain = [100, 500, 2_000];

/**
 * Returns a usable access token, renewed in time. Refresh tokens live for 60 days (service interface), but the check of a link uses them every
 * hour. Throws the service's error if tokens cannot be renewed now but may be later.
 *
 * A refresh token works once, and a service may revoke everything if one is used twice, so only one refresh is in flight at a time:
 * callers in one process share it, and processes queue for the link's row and read it again once they have the lock. The lock belongs to
 * a Postgres transaction: it is kept while the answer is pending, and released even if the process is killed. If that happens between the
 * service's answer and the commit, the new tokens are lost; the next caller is refused, and the person is asked to link again.
 */
export async function accessTokenFor(
  bot: Bot,
  linkId: string,
  options: AccessTokenOptions = {},
): Promise<AccessToken> {
  const stored = await links.withTokens(bot.db, bot.sealing, linkId);
  if (stored?.link.state === 'relink') await inTransaction(bot, (bot) => askOnce(bot, stored.link));
  if (stored === null || stored.link.state === 'relink') return relink;
  const accessToken = usableAccessToken({ ...stored, options, now: bot.clock.now() });
  if (accessToken !== null) return { outcome: 'token', accessToken };

  const { slots, underWay } = bot.inProcess.renewals;
  const key = JSON.stringify([linkId, options]);
  let renewal = underWay.get(key);
  if (renewal === undefined) {
    renewal = slots(() => renew(bot, linkId, options)).finally(() => underWay.delete(key));
    underWay.set(key, renewal);
  }
  return renewal;
}

async function renew(bot: Bot, linkId: string, options: AccessTokenOptions): Promise<AccessToken> {
  let spent: string | null = null;
  for (let turn = 1; turn <= mostTurns; turn++) {
    const result = await takeTurn(bot, linkId, { options, spent });
    if (result === 'gone') return relink;
    if (result === 'busy') continue;
    if (result.outcome === 'spent') {
      spent = result.spent;
      continue;
    }
    // What the link made is settled, unless that was removed.
    const link = result.outcome === 'relink' ? await links.byId(bot.db, linkId) : null;
    if (link?.state === 'relink') await settleOwned(bot, link);
    return result;
  }
  throw new Error('The tokens of a link were being renewed elsewhere for too long.');
}

type Sought = {
  readonly options: AccessTokenOptions;
  /** A refresh token that the service has refused. */
  readonly spent: string | null;
};

type Gained = { readonly spent: string; readonly tokens: LinkTokens; readonly now: Date };

/** Reads the row once under its lock, with at most one call to the service. */
async function takeTurn(bot: Bot, linkId: string, { options, spent }: Sought): Promise<RefreshTurn> {
  const { db, sealing, clock, metrics } = bot;
  let gained: Gained | undefined;
  try {
    return await links.inLock(db, sealing, linkId, async (trx, held): Promise<TurnDone> => {
      if (held.link.state === 'relink') return relink;
      const accessToken = usableAccessToken({ ...held, options, now: clock.now() });
      if (accessToken !== null) return { outcome: 'token', accessToken };
      const { refreshToken } = held.tokens;
      // The service refused it, and no other process has stored a new one since.
      if (refreshToken === null || refreshToken === spent) {
        await links.markRelink(trx, linkId);
        await askOnce({ ...bot, db: trx }, held.link);
        metrics.refresh('relink');
        return relink;
      }
      const answer = await askService(bot, held.tokens, { options, refreshToken });
      if ('outcome' in answer) return answer;
      gained = { spent: refreshToken, tokens: tokensOf(answer, held.tokens), now: clock.now() };
      await links.saveTokens(trx, sealing, linkId, gained);
      return { outcome: 'token', accessToken: answer.accessToken };
    });
  } catch (error) {
    if (gained === undefined) throw error;
    return storeAgain(bot, linkId, gained);
  }
}

/** Calls the service once. If it is unavailable, the current access token is used until it expires; the margin exists for that. */
async function askService(
  { service, clock, metrics }: Bot,
  { accessToken, accessExpiresAt }: LinkTokens,
  { options, refreshToken }: { readonly options: AccessTokenOptions; readonly refreshToken: string },
): Promise<Grant | TurnDone> {
  try {
    const answer = await service.oauth.refresh(refreshToken);
    metrics.refresh('refreshed');
    return answer;
  } catch (error) {
    if (serviceFailure(error)?.kind === 'invalid-grant') return { outcome: 'spent', spent: refreshToken };
    metrics.refresh('failed');
    const holds = accessToken !== null && accessExpiresAt !== null && accessExpiresAt > clock.now();
    if (!holds || accessToken === options.refused) throw error;
    return { outcome: 'token', accessToken };
  }
}

/** Returns what to store after a refresh. Without a new refresh token in the answer, the old one stays valid (RFC 6749, 6). */
function tokensOf(answer: Grant, before: LinkTokens): LinkTokens {
  const { accessToken, accessExpiresAt, refreshToken, refreshExpiresAt } = answer;
  return refreshToken === null
    ? { ...before, accessToken, accessExpiresAt }
    : { accessToken, accessExpiresAt, refreshToken, refreshExpiresAt };
}

/** Retries storing the new tokens: the old refresh token is used up. The access token is usable even if all attempts fail. */
async function storeAgain(bot: Bot, linkId: string, gained: Gained): Promise<AccessToken> {
  for (const wait of waitsBeforeStoringAgain) {
    await bot.inProcess.sleep(wait);
    try {
      // If nothing was replaced, the row has changed since, perhaps to these very tokens: a commit can succeed without the answer arriving.
      await links.replaceSpent(bot.db, bot.sealing, linkId, gained.spent, gained);
      break;
    } catch (error) {
      bot.log.warn({ err: error }, 'could not store renewed tokens');
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

/** Returns the stored access token if it can still be used, else null. */
function usableAccessToken({ link, tokens, options, now }: Stored): string | null {
  const { accessToken, accessExpiresAt } = tokens;
  if (accessToken === null || accessToken === options.refused) return null;
  const given = link.refreshedAt.getTime();
  const ends = accessExpiresAt?.getTime() ?? given + tokenLimits.accessLife;
  // Without this limit, a service whose tokens last only a few minutes would be asked for new ones at every call.
  const margin = Math.min(tokenLimits.margin + jitterOf(link.id), (ends - given) / 2);
  return now.getTime() < ends - margin ? accessToken : null;
}

/** Returns a value between minus and plus `jitter`, always the same for a link. */
function jitterOf(linkId: string): number {
  const fraction = Number.parseInt(linkId.slice(0, 4), 16) / 0xffff;
  return (fraction * 2 - 1) * tokenLimits.jitter;
}

/** Asks the person in a direct message to link again, unless that was done already or they are unlinking. The caller is in a transaction. */
async function askOnce(bot: Bot, link: Link): Promise<void> {
  if (await links.claimRelinkAsk(bot.db, link.id, bot.clock.now()))
    await announceTo(bot, link, relinkRequest(link.account, bot.config.copy));
}

/**
 * Calls the service with a person's link. A rejected token is renewed once and the call repeated. Stores how long the service asks to be left
 * alone (`Retry-After`). Throws the service's error: `unauthorized` if only linking again helps.
 */
export async function callService<T>(
  bot: Bot,
  linkId: string,
  call: (accessToken: string) => Promise<T>,
): Promise<T> {
  try {
    return await callOnce(bot, linkId, call);
  } catch (error) {
    const seconds = serviceFailure(error)?.retryAfterSeconds;
    if (seconds) await links.rest(bot.db, linkId, later(bot.clock.now(), seconds * 1_000));
    throw error;
  }
}

async function callOnce<T>(bot: Bot, linkId: string, call: (accessToken: string) => Promise<T>): Promise<T> {
  const first = await tokenFor(bot, linkId);
  try {
    return await call(first);
  } catch (error) {
    if (serviceFailure(error)?.kind !== 'unauthorized') throw error;
  }
  return call(await tokenFor(bot, linkId, { refused: first }));
}

async function tokenFor(bot: Bot, linkId: string, options?: AccessTokenOptions): Promise<string> {
  const found = await accessTokenFor(bot, linkId, options);
  if (found.outcome === 'token') return found.accessToken;
  throw new ServiceError({
    kind: 'unauthorized',
    status: null,
    retryAfterSeconds: null,
    forPerson: linkStopped,
    forLog: 'its person has to link again',
  });
}
