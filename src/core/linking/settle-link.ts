import type { LinkAttempts } from '../../store/tables/link-attempts.ts';
import type { Links } from '../../store/tables/links.ts';
import type { Clock } from '../model/clock.ts';
import { type Grant, type Link, type LinkAttempt, sameAccount } from '../model/link.ts';
import type { SlackPerson } from '../model/people.ts';
import { type Request, requestSchema } from '../model/request.ts';
import { linkLimits } from './limits.ts';
import type { Notify } from './notify-person.ts';

/** A link that has just been made, or given new tokens. */
export type LinkMade = {
  readonly outcome: 'linked';
  readonly link: Link;
  /** The account in whose place it is (null for one without a name); undefined where it is in nobody's. */
  readonly replaced: string | null | undefined;
};

/** Whether one account is to take the place of another. Answered in Slack, by the person themselves. */
export type ReplaceQuestion = {
  readonly outcome: 'question';
  readonly attemptId: string;
  readonly person: SlackPerson;
  readonly oldAccount: string | null;
  readonly newAccount: string | null;
  readonly expiresAt: Date;
};

/** Carries out what somebody had asked for before they were linked; called once a link. */
export type CarryOut = (input: {
  readonly person: SlackPerson;
  readonly channelId: string | null;
  readonly responseUrl: string | null;
  /** Null where linking was all they asked for. */
  readonly request: Request | null;
}) => Promise<void>;

/** Takes note of a failure that must not undo what was done. */
export type NoteFailure = (what: string, error: unknown) => void;

export type SettleLink = (
  attempt: LinkAttempt,
  grant: Grant,
  mayReplace: boolean,
) => Promise<LinkMade | ReplaceQuestion | { readonly outcome: 'ended' }>;

/**
 * Makes the link once it is proven that the person at the browser is the person in Slack. One to another account is replaced only
 * when `mayReplace`; else the tokens wait for the answer to a question. The attempt must be in the caller's hands (`answered`).
 */
export function makeSettleLink(deps: {
  readonly links: Pick<Links, 'write'>;
  readonly attempts: Pick<LinkAttempts, 'hold' | 'end'>;
  readonly clock: Clock;
  readonly notify: Pick<Notify, 'linked'>;
  readonly carryOut: CarryOut;
  readonly noteFailure: NoteFailure;
  readonly noted?: ((what: 'linked', link: Link) => void) | undefined;
}): SettleLink {
  return async (attempt, grant, mayReplace) => {
    const now = deps.clock.now();
    const person = personOf(attempt);
    const replaces = (account: string | null) => mayReplace || sameAccount(account, grant.account);
    const written = await deps.links.write({ person, grant, now, replaces });
    if (!written.written) {
      const expiresAt = new Date(now.getTime() + linkLimits.question);
      const held = await deps.attempts.hold({ attempt, step: 'replacing', codeHash: null, grant, expiresAt });
      if (!held) return { outcome: 'ended' };
      const oldAccount = written.other.account;
      return {
        outcome: 'question',
        attemptId: attempt.id,
        person,
        oldAccount,
        newAccount: grant.account,
        expiresAt,
      };
    }

    await deps.attempts.end(attempt.id, 'done');
    const { link, before } = written;
    deps.noted?.('linked', link);
    const isOther = before !== null && !sameAccount(before.account, link.account);
    const made: LinkMade = { outcome: 'linked', link, replaced: isOther ? before.account : undefined };
    const { channelId, responseUrl } = attempt;
    const request = requestSchema.nullable().catch(null).parse(attempt.request);
    const [told, carriedOut] = await Promise.allSettled([
      deps.notify.linked(made),
      deps.carryOut({ person, channelId, responseUrl, request }),
    ]);
    if (told.status === 'rejected') deps.noteFailure('tell a person that they are linked', told.reason);
    if (carriedOut.status === 'rejected') {
      deps.noteFailure('carry out what was asked for before linking', carriedOut.reason);
    }
    return made;
  };
}

function personOf({ enterpriseId, teamId, userId }: SlackPerson): SlackPerson {
  return { enterpriseId, teamId, userId };
}
