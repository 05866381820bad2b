import { minuteMs } from '../../lib/durations.ts';
import * as links from '../../store/tables/links.ts';
import type { StoredRemote } from '../../store/tables/remotes.ts';
import * as remotes from '../../store/tables/remotes.ts';
import * as subscriptions from '../../store/tables/subscriptions.ts';
import type { Bot } from '../bot.ts';
import { callService } from '../linking/access-tokens.ts';
import type { Link } from '../model/link.ts';
import { personFields } from '../model/log-fields.ts';
import { compareListed } from './check-link.ts';
import { release } from './sync.ts';

/**
 * Tokens are deleted this long after they were given up at the latest, whatever the service does. CONTRACT allows 5 minutes, of which a call may
 * take almost one, and the next round of a chore one more.
 */
export const tokensKeptMs = 3.5 * minuteMs;

/**
 * Deletes at the service, with a link's tokens, what was made or may have been made with it for subscriptions that it is not needed for any
 * more. What was asked for and never answered is looked for in the service's list. Throws errors that are not the service's.
 * @param until when nothing more is asked
 * @param which the remote subscriptions meant; all of the link by default
 * @returns those that may still be there
 */
export async function releaseLink(
  bot: Bot,
  link: Link,
  until: Date,
  which: (remote: StoredRemote) => boolean = () => true,
): Promise<StoredRemote[]> {
  const { db, service, clock } = bot;
  const left = async () => (await remotes.ofLink(db, link.id)).filter(which);
  const hasTime = () => !bot.later.isStopping() && clock.now() < until;
  if (hasTime() && (await left()).some(({ lostAt, madeAt }) => lostAt !== null && madeAt === null)) {
    const askedAt = clock.now();
    const listed = await callService(bot, link.id, (token) => service.listSubscriptions(token));
    if (listed !== 'relink') await compareListed(bot, link, listed, askedAt);
  }
  for (const remote of await left()) {
    if (!hasTime()) break;
    const row = remote.madeAt === null ? null : await subscriptions.byId(db, remote.subscriptionId);
    if (row !== null) await release(bot, row, [remote]);
  }
  return left();
}

/** Removes a link with its tokens. What may still be at the service cannot be deleted any more, and is logged with its id. */
export async function removeLink(bot: Bot, link: Link): Promise<void> {
  const { db, clock, log } = bot;
  for (const { serviceId, subscriptionId } of await remotes.abandon(db, link.id, clock.now())) {
    log.warn(
      { ...personFields(link), link: link.id, subscription: subscriptionId, record: serviceId ?? undefined },
      'a remote subscription stays at the service: its link is removed',
    );
  }
  await links.remove(db, link.id);
}
