import { later, minuteMs } from '../../lib/durations.ts';
import type { CodeFault } from '../../messages/linking/linking.ts';
import type { OauthCallback } from '../../service/oauth.ts';
import { lookAgain } from '../../store/tables/departures.ts';
import * as attempts from '../../store/tables/link-attempts.ts';
import * as links from '../../store/tables/links.ts';
import { writeAudit } from '../access/audit.ts';
import { type Bot, inTransaction } from '../bot.ts';
import {
  type Grant,
  type Link,
  type LinkAttempt,
  type LinkFailure,
  type LinkFault,
  mayLink,
  sameAccount,
} from '../model/link.ts';
import { personOf, type SlackPerson } from '../model/people.ts';
import { type ServiceErrorKind, serviceFailure } from '../model/service-error.ts';
import { readLinkCode } from '../model/typed-text.ts';
import { type Asker, codeOf, hashOf, linkLimits, namedAsker, sameHash } from './tickets.ts';

// Who is in front of the page: the browser is known by its cookie, the person by their address or by a code that they type in Slack.

/** The form of our states; nothing else reaches the database. */
const stateForm = /^[\w-]{16,512}$/;

/**
 * Handles the service's callback: it ends in a link, a code to type in Slack, or a failure, which is stored.
 * @returns the browser's cookie and for how long to set it anew, so that the browser is shown how its attempt went; null for any other
 * browser, or if the callback was used before. Throws if the database cannot be reached.
 */
export async function finishLink(
  bot: Bot,
  {
    searchParams,
    cookie,
    report,
  }: {
    readonly searchParams: URLSearchParams;
    /** The browser's cookie from the start of the attempt; null if it has none. */
    readonly cookie: string | null;
    /** Logs an error and returns its reference. */
    readonly report: (error: unknown) => string;
  },
): Promise<{ readonly cookie: string; readonly cookieSeconds: number } | null> {
  const { db, sealing, clock, service } = bot;
  const state = stateOf(searchParams);
  if (state === null) return null;
  const answered = await attempts.takeState(db, sealing, hashOf(state), clock.now());
  if (answered === null) return null;

  // The state is used up from here on, whatever happens: the rest of the callback may be in the wrong hands.
  const { attempt, codeVerifier, cookieHash } = answered;
  if (cookie === null || !sameHash(hashOf(cookie), cookieHash)) {
    await attempts.end(db, attempt.id);
    return null;
  }
  const callback = service.oauth.readCallback(searchParams, state);
  const failure = await redeem(bot, codeVerifier, callback)
    .then((granted) => ('fault' in granted ? granted : prove(bot, attempt, granted, cookie)))
    .catch((error: unknown): LinkFailure => ({ fault: 'failure', detail: report(error) }));
  if (failure !== null) await attempts.end(db, attempt.id, failure);
  return { cookie, cookieSeconds: linkLimits.page / 1_000 };
}

function stateOf(searchParams: URLSearchParams): string | null {
  const [state = '', ...more] = searchParams.getAll('state');
  return stateForm.test(state) && more.length === 0 ? state : null;
}

/** Exchanges the code for tokens, or says why it could not. */
async function redeem(
  { service }: Bot,
  codeVerifier: string,
  callback: OauthCallback,
): Promise<Grant | LinkFailure> {
  if (callback.kind === 'error') return refusal(callback.means, callback.description);
  try {
    return await service.oauth.exchange({ ...callback, codeVerifier });
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
  bot: Bot,
  attempt: LinkAttempt,
  grant: Grant,
  cookie: string,
): Promise<LinkFailure | null> {
  // If Slack cannot be asked, the code has to prove who the person is.
  const profile = (await namedAsker(bot, attempt))?.profile;
  if (profile !== undefined && profile.standing !== 'member') return { fault: 'not-a-member', detail: null };
  const { db, sealing, clock } = bot;
  const link = await links.of(db, attempt);
  if (link !== null && !mayLink(attempt, grant.account, link.account)) return otherAccount;
  // Both sides verified that the address is the person's: Slack for the profile, the service for the account.
  if (sameAccount(profile?.email ?? null, grant.account)) {
    return (await settleLink(bot, attempt, grant)) === null ? otherAccount : null;
  }
  const expiresAt = later(clock.now(), linkLimits.code);
  await attempts.hold(db, sealing, { attempt, codeHash: hashOf(codeOf(cookie)), grant, expiresAt });
  return null;
}

const otherAccount: LinkFailure = { fault: 'other-account', detail: null };

/** Takes the code from the browser's page as proof of who is there. A malformed one, which cannot be right, does not count as an attempt. */
export async function enterCode(
  bot: Bot,
  { person, code: typed }: { readonly person: SlackPerson; readonly code: string },
): Promise<Link | CodeFault> {
  const { db, sealing, clock } = bot;
  const code = readLinkCode(typed);
  if (code === null) return { kind: 'malformed' };

  const expected = await attempts.countTry(db, person, clock.now(), linkLimits.codeTries);
  if (expected === null) return whyNone(bot, person);
  const { id, codeHash, triesLeft } = expected;
  if (!sameHash(hashOf(code), codeHash)) {
    if (triesLeft > 0) return { kind: 'wrong', triesLeft };
    await attempts.end(db, id);
    return { kind: 'used up' };
  }

  const proven = await attempts.takeProving(db, sealing, id, clock.now());
  if (proven === null) return whyNone(bot, person);
  const link = await settleLink(bot, proven.attempt, proven.grant);
  if (link !== null) return link;
  await attempts.end(db, id, otherAccount);
  return { kind: 'other account' };
}

async function whyNone({ db, clock }: Bot, person: SlackPerson): Promise<CodeFault> {
  const isExpired = await attempts.lastAttemptExpired(db, person, clock.now());
  return { kind: isExpired ? 'expired' : 'none expected' };
}

/** Who is linked, or about to be, to what. `asker` is null if Slack could not be asked for names; `place` is where the person asked. */
type Tied = {
  readonly account: string | null;
  readonly asker: Asker | null;
  readonly place: { readonly teamId: string; readonly channelId: string | null };
};

export type AttemptShown =
  | (Tied & { readonly outcome: 'linked' })
  /** `code` is for the person who asked to type in Slack, within `minutes`. */
  | (Tied & { readonly outcome: 'code'; readonly code: string; readonly minutes: number })
  | (LinkFailure & { readonly outcome: 'failed' })
  /**
   * - `working`: another request is about to finish the attempt
   * - `ended`: the person has not confirmed it in Slack, or has unlinked since; or an older release was asking which account to use
   * - `stray`: the browser's cookie belongs to no attempt that came back from the service in the last 10 minutes
   */
  | { readonly outcome: 'working' | 'ended' | 'stray' };

/** Returns how the attempt of a browser's cookie went. Changes nothing. Throws if the database cannot be reached. */
export async function showAttempt(bot: Bot, cookie: string | null): Promise<AttemptShown> {
  const { db, sealing, clock } = bot;
  const attempt = cookie === null ? null : await attempts.byCookie(db, sealing, hashOf(cookie));
  const answeredAt = attempt?.answeredAt ?? null;
  const isShown = answeredAt !== null && later(answeredAt, linkLimits.page) > clock.now();
  if (attempt === null || cookie === null || !isShown) return { outcome: 'stray' };

  const { step, account, failure } = attempt;
  if (failure !== null) return { outcome: 'failed', ...failure };
  if (step === 'answered') return { outcome: 'working' };
  const left = attempt.expiresAt.getTime() - clock.now().getTime();
  if (step === 'proving' && left > 0) {
    const minutes = Math.ceil(left / minuteMs);
    return { outcome: 'code', code: codeOf(cookie), minutes, ...(await tied(bot, attempt, account)) };
  }
  const link = step === 'done' ? await links.of(db, attempt) : null;
  return link === null
    ? { outcome: 'ended' }
    : { outcome: 'linked', ...(await tied(bot, attempt, link.account)) };
}

async function tied(bot: Bot, attempt: LinkAttempt, account: string | null): Promise<Tied> {
  const asker = (await namedAsker(bot, attempt))?.asker ?? null;
  // The Home tab has no channel.
  return { account, asker, place: { teamId: attempt.teamId, channelId: attempt.channelId || null } };
}

/**
 * Makes the link once the person at the browser is proven to be the one in Slack, and does what follows it. The caller must have taken the
 * attempt (`answered`). Null if the person is linked to an account that the attempt may not replace: then nothing is stored.
 */
async function settleLink(bot: Bot, attempt: LinkAttempt, grant: Grant): Promise<Link | null> {
  const now = bot.clock.now();
  const person = personOf(attempt);
  const replaces = (linked: string | null) => mayLink(attempt, grant.account, linked);
  // In one transaction, so another process can follow up the link if this one dies.
  const made = await inTransaction(bot, async (bot) => {
    const { db, sealing } = bot;
    const written = await links.write(db, sealing, { person, grant, now, replaces });
    if (!written.written) return null;
    const { link, before } = written;
    const isOther = before !== null && !sameAccount(before.account, link.account);
    const receipt = isOther ? { replaced: before.account } : {};
    await attempts.finish(db, attempt.id, receipt, later(now, linkLimits.followUp));
    // A link is not made in a channel.
    await writeAudit(bot, { person, channelId: '' }, 'link', link.id);
    return link;
  });
  if (made === null) return null;
  await lookAgain(bot.db, person);
  // The person is linked now, and the browser does not wait for what follows.
  bot.later.run(() => bot.followUpLink(attempt.id), 'could not follow up a link');
  return made;
}
