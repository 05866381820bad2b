import { earlier, later } from '../../lib/durations.ts';
import { type Grant, type LinkAttempt, sameAccount } from '../model/link.ts';
import { personOf, type SlackPerson } from '../model/people.ts';
import { type Request, requestSchema } from '../model/request.ts';
import { linkLimits } from './limits.ts';
import type { LinkOffers } from './link-offers.ts';
import type { LinkMade, ReplaceQuestion } from './link-outcome.ts';
import type { LinkingRoomDeps } from './linking-deps.ts';
import type { Notify } from './notify-person.ts';

/** A command that waited for a link. */
export type AskedBefore = {
  readonly channelId: string | null;
  readonly responseUrl: string | null;
  readonly request: Request;
};

/** Runs the commands that waited for the link, in this order; there are none if the person asked only for the link. Called once per link. */
export type CarryOut = (input: {
  readonly person: SlackPerson;
  readonly asked: readonly AskedBefore[];
}) => Promise<void>;

export type SettleLink = (
  attempt: LinkAttempt,
  grant: Grant,
  mayReplace: boolean,
) => Promise<LinkMade | ReplaceQuestion | { readonly outcome: 'ended' }>;

type SettleLinkDeps = LinkingRoomDeps & {
  readonly notify: Pick<Notify, 'linked'>;
  readonly offers: Pick<LinkOffers, 'replace'>;
  readonly carryOut: CarryOut;
};

/**
 * Makes the link once the person at the browser is proven to be the one in Slack. A link to another account is replaced only if
 * `mayReplace`; otherwise the tokens wait for the answer to a question. The caller must have taken the attempt (`answered`).
 */
export function makeSettleLink(deps: SettleLinkDeps): SettleLink {
  return async (attempt, grant, mayReplace) => {
    const now = deps.clock.now();
    const person = personOf(attempt);
    const replaces = (account: string | null) => mayReplace || sameAccount(account, grant.account);
    const written = await deps.links.write({ person, grant, now, replaces });
    if (!written.written) {
      const expiresAt = later(now, linkLimits.question);
      const held = await deps.attempts.hold({ attempt, step: 'replacing', codeHash: null, grant, expiresAt });
      if (!held) return { outcome: 'ended' };
      return {
        outcome: 'question',
        attemptId: attempt.id,
        person,
        oldAccount: written.other.account,
        newAccount: grant.account,
      };
    }

    const noteFailure = (what: string) => (error: unknown) => deps.noteFailure(what, error);
    // The person is linked now, whatever fails from here on. An attempt that is still open ends when it expires.
    await deps.attempts.end(attempt.id, 'done').catch(noteFailure('end an attempt that made a link'));
    const { link, before } = written;
    deps.noted?.('linked', link);
    const isOther = before !== null && !sameAccount(before.account, link.account);
    const made: LinkMade = { outcome: 'linked', link, replaced: isOther ? before.account : undefined };
    await Promise.all([
      deps.notify.linked(made).catch(noteFailure('notify a person of their link')),
      deps.offers.replace(person, link.account).catch(noteFailure('replace the offer of a link')),
      waitingFor(attempt, now)
        .then((asked) => deps.carryOut({ person, asked }))
        .catch(noteFailure('run the commands that waited for a link')),
    ]);
    return made;
  };

  /** A person who typed another command instead of finishing their link waits for both; the same command is carried out once. */
  async function waitingFor(attempt: LinkAttempt, now: Date): Promise<AskedBefore[]> {
    const since = earlier(now, linkLimits.waitingRequest);
    const others = await deps.attempts.takeOtherRequests(attempt, since).catch((error: unknown) => {
      deps.noteFailure('find what else waited for a link', error);
      return [];
    });
    const asked = new Map<string, AskedBefore>();
    for (const one of [...others.map((other) => ({ ...other, responseUrl: null })), attempt]) {
      const { channelId, responseUrl } = one;
      const request = requestSchema.nullable().catch(null).parse(one.request);
      if (request !== null)
        asked.set(JSON.stringify([channelId, request]), { channelId, responseUrl, request });
    }
    return [...asked.values()];
  }
}
