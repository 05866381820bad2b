import { later } from '../../lib/durations.ts';
import { type Grant, type LinkAttempt, sameAccount } from '../model/link.ts';
import { personOf } from '../model/people.ts';
import { type FollowUp, followUpMs } from './follow-up.ts';
import { linkLimits } from './limits.ts';
import type { LinkMade, ReplaceQuestion } from './link-outcome.ts';
import type { LinkingRoomDeps } from './linking-deps.ts';

export type SettleLink = (
  attempt: LinkAttempt,
  grant: Grant,
  mayReplace: boolean,
) => Promise<LinkMade | ReplaceQuestion | { readonly outcome: 'ended' }>;

type SettleLinkDeps = LinkingRoomDeps & { readonly followUp: FollowUp };

/**
 * Makes the link once the person at the browser is proven to be the one in Slack. A link to another account is replaced only if
 * `mayReplace`; otherwise the tokens wait for the answer to a question. The caller must have taken the attempt (`answered`).
 */
export function makeSettleLink(deps: SettleLinkDeps): SettleLink {
  return async (attempt, grant, mayReplace) => {
    const now = deps.clock.now();
    const person = personOf(attempt);
    const replaces = (account: string | null) => mayReplace || sameAccount(account, grant.account);
    // In one transaction, so another process can follow up the link if this one dies.
    const written = await deps.inTransaction(async ({ links, attempts, audit }) => {
      const written = await links.write({ person, grant, now, replaces });
      if (!written.written) return written;
      const { link, before } = written;
      const isOther = before !== null && !sameAccount(before.account, link.account);
      const made: LinkMade = { outcome: 'linked', link, replaced: isOther ? before.account : undefined };
      await attempts.finish(attempt.id, { replaced: made.replaced }, later(now, followUpMs));
      // A link is not made in a channel.
      await audit({ person, channelId: '' }, 'link', link.id);
      return { written: true, made } as const;
    });
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
    // The person is linked now, whatever fails from here on.
    const { made } = written;
    await deps.followUp(attempt, made);
    return made;
  };
}
