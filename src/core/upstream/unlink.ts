import { dayMs, earlier, later, minuteMs, within } from '../../lib/durations.ts';
import { forEachRow } from '../../lib/for-each-row.ts';
import { nothingToUnlink, unlinked, unlinkQuestion } from '../../messages/linking/linking.ts';
import { whileAlone } from '../../store/locks.ts';
import * as attempts from '../../store/tables/link-attempts.ts';
import * as links from '../../store/tables/links.ts';
import type { StoredRemote } from '../../store/tables/remotes.ts';
import * as remotes from '../../store/tables/remotes.ts';
import * as subscriptions from '../../store/tables/subscriptions.ts';
import { writeAudit } from '../access/audit.ts';
import type { CommandContext } from '../access/command-context.ts';
import { type Bot, inTransaction } from '../bot.ts';
import { callService } from '../linking/access-tokens.ts';
import type { Link } from '../model/link.ts';
import { personFields } from '../model/log-fields.ts';
import type { SlackPerson } from '../model/people.ts';
import { serviceFailure } from '../model/service-error.ts';
import { subscribedOf } from '../model/subscription.ts';
import { settleEverything, settleOwned } from '../settling/settle.ts';
import { checkLinked, compareListed } from './check-link.ts';
import { release } from './sync.ts';

/** How long the answer waits for the service, in milliseconds. */
const answeredAfterMs = 20_000;

/** `/plancast unlink`: lists what stops, and asks. */
export async function askUnlink({ db }: Bot, context: CommandContext): Promise<void> {
  const { copy, person } = context;
  const link = await links.of(db, person);
  if (link === null) return context.reply(nothingToUnlink(copy));
  const stops = await subscriptions.ofOwner(db, person);
  const listed = stops.map((row) => ({ subscribed: subscribedOf(row), channelId: row.channelId }));
  await context.reply(unlinkQuestion(link.account, listed, copy));
}

/** The confirmed unlinking. */
export async function confirmUnlink(bot: Bot, context: CommandContext): Promise<void> {
  const { copy, person } = context;
  const stopped = (await subscriptions.ofOwner(bot.db, person)).length;
  const isDone = await unlink(bot, person);
  await context.reply(isDone ? unlinked(stopped, copy) : nothingToUnlink(copy), { replace: true });
}

/**
 * Ends a person's link, for themselves or an admin. From now on its tokens serve only to delete what was made with it, for minutes. Called
 * only from Slack, which guarantees who is asking. Returns whether there was one.
 */
export async function unlink(bot: Bot, person: SlackPerson, { by = person } = {}): Promise<boolean> {
  // Needed even without a link: tokens may be waiting for a code.
  await attempts.endAll(bot.db, person);
  const link = await links.of(bot.db, person);
  if (link === null) return false;
  const isMine = await inTransaction(bot, async (bot) => {
    if (!(await links.giveUp(bot.db, link.id, bot.clock.now()))) return false;
    await writeAudit(bot, { person: by, channelId: '' }, 'unlink', link.id);
    return true;
  });
  if (!isMine) return false;
  await settleOwned(bot, person);
  await within(answeredAfterMs, finishUnlink(bot, link)).catch((error: unknown) =>
    bot.log.warn(
      { err: error, ...personFields(person) },
      'could not yet delete what was made with a link that was removed',
    ),
  );
  return true;
}

/** Resumes each unlinking that was interrupted, or that the service did not answer. Runs every minute, beside rounds that still wait. */
export async function finishUnlinks(bot: Bot): Promise<void> {
  await forEachRow(
    await links.givenUp(bot.db),
    (link) => whileAlone(bot.db, `unlink ${link.id}`, () => finishUnlink(bot, link)),
    (error, link) =>
      bot.log.warn({ err: error, ...personFields(link), link: link.id }, 'could not finish an unlinking'),
  );
}

async function finishUnlink(bot: Bot, link: Link & { readonly givenUpAt?: Date }): Promise<void> {
  const until = later(link.givenUpAt ?? bot.clock.now(), tokensKeptMs);
  const isOver = () => bot.clock.now() >= until;
  // Where another account was linked instead, what was made with this one is made with that first.
  const remaining = await checkLinked(bot, link)
    .then(() => releaseLink(bot, link, until))
    .catch((error: unknown) => {
      if (!isOver()) throw error;
      return null;
    });
  const isDone = remaining?.length === 0 || isOver();
  if (isDone || (await links.byId(bot.db, link.id))?.state === 'relink') await removeLink(bot, link);
}

/** Tokens are deleted this long after they were given up. CONTRACT allows 5 minutes, of which a call may take one, and the chore's round one. */
export const tokensKeptMs = 3.5 * minuteMs;

/**
 * Deletes at the service, with a link's tokens, what was made or may have been made with it for subscriptions that it is not needed for any
 * more. What was asked for and never answered is looked for in the service's list. Throws the error of asking for that list.
 * @param until when nothing more is asked
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
    await callService(bot, link.id, (token) => service.listSubscriptions(token))
      .then((listed) => compareListed(bot, link, listed, askedAt))
      .catch((error: unknown) => {
        // Of a link without tokens, nothing can be looked for or deleted any more.
        if (serviceFailure(error)?.kind !== 'unauthorized') throw error;
      });
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

/** How long a link of a person who is no longer a full member is kept, in milliseconds. */
const keepFrozenMs = 30 * dayMs;

/** Settles what needs a link that its owner does not have, and gives up links that were frozen for long. Runs every hour. */
export async function tidyLinks(bot: Bot): Promise<void> {
  await settleEverything(bot);
  const now = bot.clock.now();
  for (const { id } of await links.frozenBefore(bot.db, earlier(now, keepFrozenMs)))
    await links.giveUp(bot.db, id, now);
}
