import type { CodeFault } from '../../messages/linking/link-code.ts';
import type { SlackPerson } from '../model/people.ts';
import { readLinkCode } from '../model/typed-text.ts';
import { linkLimits } from './limits.ts';
import type { LinkMade, ReplaceQuestion } from './link-outcome.ts';
import type { LinkingRoomDeps } from './linking-deps.ts';
import { hashOf, sameHash } from './secrets.ts';
import type { SettleLink } from './settle-link.ts';

export type CodeEntered =
  | LinkMade
  | ReplaceQuestion
  /** What was wrong with the code, in the terms of `linkCodeErrors` and `codeNotTaken`. */
  | { readonly outcome: 'refused'; readonly fault: CodeFault };

export type EnterCode = (input: {
  readonly person: SlackPerson;
  readonly code: string;
}) => Promise<CodeEntered>;

/**
 * Accepts the code from the browser's page as proof that the person in Slack is the person at the browser. A malformed code does not
 * count as an attempt, because it cannot be the right one.
 */
export function makeEnterCode(deps: LinkingRoomDeps & { readonly settle: SettleLink }): EnterCode {
  const { attempts, settle, clock } = deps;

  async function whyNone(person: SlackPerson): Promise<CodeEntered> {
    const isExpired = await attempts.lastAttemptExpired(person, clock.now());
    return refused({ kind: isExpired ? 'expired' : 'none expected' });
  }

  return async ({ person, code: typed }) => {
    const code = readLinkCode(typed);
    if (code === null) return refused({ kind: 'malformed' });

    const context = await attempts.countTry(person, clock.now(), linkLimits.codeTries);
    if (context === null) return whyNone(person);
    const { id, codeHash, triesLeft } = context;
    if (!sameHash(hashOf(code), codeHash)) {
      if (triesLeft > 0) return refused({ kind: 'wrong', triesLeft });
      await attempts.end(id);
      return refused({ kind: 'used up' });
    }

    const proven = await attempts.takeProving(id, clock.now());
    if (proven === null) return whyNone(person);
    const settled = await settle(proven.attempt, proven.grant, false);
    return settled.outcome === 'ended' ? whyNone(person) : settled;
  };
}

function refused(fault: CodeFault): CodeEntered {
  return { outcome: 'refused', fault };
}
