import { later } from '../../lib/durations.ts';
import * as attempts from '../../store/tables/link-attempts.ts';
import * as links from '../../store/tables/links.ts';
import { writeAudit } from '../access/write-audit.ts';
import type { Bot } from '../bot.ts';
import { inTransaction } from '../in-transaction.ts';
import { type Grant, type Link, type LinkAttempt, sameAccount } from '../model/link.ts';
import { personOf, type SlackPerson } from '../model/people.ts';
import { linkLimits } from './tickets.ts';

/** A link that was just made, or got new tokens. */
export type LinkMade = {
  readonly outcome: 'linked';
  readonly link: Link;
  /** The account it replaced (null if that has no name); undefined if it replaced none. */
  readonly replaced: string | null | undefined;
};

/** The question whether a new account replaces the linked one. The person answers it in Slack. */
export type ReplaceQuestion = {
  readonly outcome: 'question';
  readonly attemptId: string;
  readonly person: SlackPerson;
  readonly oldAccount: string | null;
  readonly newAccount: string | null;
};

const uuidForm = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/i;

/**
 * Makes the link once the person at the browser is proven to be the one in Slack. A link to another account is replaced only if
 * `mayReplace`; otherwise the tokens wait for the answer to a question. The caller must have taken the attempt (`answered`).
 */
export async function settleLink(
  bot: Bot,
  attempt: LinkAttempt,
  grant: Grant,
  mayReplace: boolean,
): Promise<LinkMade | ReplaceQuestion | { readonly outcome: 'ended' }> {
  const now = bot.clock.now();
  const person = personOf(attempt);
  const replaces = (account: string | null) => mayReplace || sameAccount(account, grant.account);
  // In one transaction, so another process can follow up the link if this one dies.
  const written = await inTransaction(bot, async (bot) => {
    const { db, sealing } = bot;
    const written = await links.write(db, sealing, { person, grant, now, replaces });
    if (!written.written) return written;
    const { link, before } = written;
    const isOther = before !== null && !sameAccount(before.account, link.account);
    const made: LinkMade = { outcome: 'linked', link, replaced: isOther ? before.account : undefined };
    await attempts.finish(db, attempt.id, { replaced: made.replaced }, later(now, linkLimits.followUp));
    // A link is not made in a channel.
    await writeAudit(bot, { person, channelId: '' }, 'link', link.id);
    return { written: true, made } as const;
  });
  if (!written.written) {
    const expiresAt = later(now, linkLimits.question);
    const held = { attempt, step: 'replacing', codeHash: null, grant, expiresAt } as const;
    if (!(await attempts.hold(bot.db, bot.sealing, held))) return { outcome: 'ended' };
    return {
      outcome: 'question',
      attemptId: attempt.id,
      person,
      oldAccount: written.other.account,
      newAccount: grant.account,
    };
  }
  // The person is linked now, whatever fails from here on.
  await bot.followUpLink(attempt.id);
  return written.made;
}

/**
 * Replaces the old account with the new one, or discards the new one, as the person chose in Slack. `kept`: the old account stays;
 * `too-late`: the question belongs to another person, was already answered, or has expired.
 */
export async function confirmReplace(
  bot: Bot,
  {
    person,
    attemptId,
    use,
  }: {
    /** Who clicked the button, according to Slack's signed request. */
    readonly person: SlackPerson;
    /** The button's value. */
    readonly attemptId: string;
    readonly use: 'new' | 'old';
  },
): Promise<LinkMade | { readonly outcome: 'kept' | 'too-late' }> {
  const { db, sealing, clock } = bot;
  if (!uuidForm.test(attemptId)) return { outcome: 'too-late' };
  const waiting = await attempts.takeReplacing(db, sealing, attemptId, person, clock.now());
  if (waiting === null) return { outcome: 'too-late' };
  if (use === 'old') {
    await attempts.end(db, attemptId);
    return { outcome: 'kept' };
  }
  const settled = await settleLink(bot, waiting.attempt, waiting.grant, true);
  return settled.outcome === 'linked' ? settled : { outcome: 'too-late' };
}
