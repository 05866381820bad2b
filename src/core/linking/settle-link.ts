import { later } from '../../lib/durations.ts';
import * as attempts from '../../store/tables/link-attempts.ts';
import * as links from '../../store/tables/links.ts';
import { writeAudit } from '../access/write-audit.ts';
import type { Bot } from '../bot.ts';
import { inTransaction } from '../in-transaction.ts';
import { type Grant, type Link, type LinkAttempt, mayLink, sameAccount } from '../model/link.ts';
import { personOf } from '../model/people.ts';
import { linkLimits } from './tickets.ts';

/** A link that was just made, or got new tokens. */
export type LinkMade = {
  readonly link: Link;
  /** The account it replaced (null if that has no name); undefined if it replaced none. */
  readonly replaced: string | null | undefined;
};

/**
 * Makes the link once the person at the browser is proven to be the one in Slack, and does what follows it. The caller must have taken the
 * attempt (`answered`). Null if the person is linked to an account that the attempt may not replace: then nothing is stored.
 */
export async function settleLink(bot: Bot, attempt: LinkAttempt, grant: Grant): Promise<LinkMade | null> {
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
    const replaced = isOther ? before.account : undefined;
    await attempts.finish(db, attempt.id, { replaced }, later(now, linkLimits.followUp));
    // A link is not made in a channel.
    await writeAudit(bot, { person, channelId: '' }, 'link', link.id);
    return { link, replaced };
  });
  // The person is linked now, whatever fails from here on.
  if (made !== null) await bot.followUpLink(attempt.id);
  return made;
}
