import { later, within } from '../../lib/durations.ts';
import { forEachRow } from '../../lib/for-each-row.ts';
import { nothingToUnlink, unlinked, unlinkQuestion } from '../../messages/linking/linking.ts';
import { whileAlone } from '../../store/locks.ts';
import * as attempts from '../../store/tables/link-attempts.ts';
import * as links from '../../store/tables/links.ts';
import * as subscriptions from '../../store/tables/subscriptions.ts';
import { writeAudit } from '../access/audit.ts';
import type { CommandContext } from '../access/command-context.ts';
import { type Bot, inTransaction } from '../bot.ts';
import type { Link } from '../model/link.ts';
import { personFields } from '../model/log-fields.ts';
import type { SlackPerson } from '../model/people.ts';
import { subscribedOf } from '../model/subscription.ts';
import { settleOwned } from '../settling/settle.ts';
import { releaseLink, removeLink, tokensKeptMs } from './remove-link.ts';

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
  const { outcome } = await unlink(bot, person);
  const answer = outcome === 'unlinked' ? unlinked(stopped, copy) : nothingToUnlink(copy);
  await context.reply(answer, { replace: true });
}

/**
 * Ends a person's link, for themselves or an admin. From now on its tokens serve only to delete what was made with it, for minutes. Called
 * only from Slack, which guarantees who is asking.
 */
export async function unlink(
  bot: Bot,
  person: SlackPerson,
  { by = person }: { readonly by?: SlackPerson } = {},
): Promise<{ readonly outcome: 'unlinked' | 'not-linked' }> {
  // Needed even without a link: tokens may be waiting for a code.
  await attempts.endAll(bot.db, person);
  const link = await links.of(bot.db, person);
  if (link === null) return { outcome: 'not-linked' };
  const isMine = await inTransaction(bot, async (bot) => {
    if (!(await links.giveUp(bot.db, link.id, bot.clock.now()))) return false;
    await writeAudit(bot, { person: by, channelId: '' }, 'unlink', link.id);
    return true;
  });
  if (!isMine) return { outcome: 'not-linked' };
  await settleOwned(bot, person);
  await within(answeredAfterMs, finishUnlink(bot, link)).catch((error: unknown) =>
    bot.log.warn(
      { err: error, ...personFields(person) },
      'could not yet delete what was made with a link that was removed',
    ),
  );
  return { outcome: 'unlinked' };
}

/**
 * Resumes each unlinking that was interrupted, or that the service did not answer. Runs every minute, beside rounds that still wait for the
 * service.
 */
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
  const isOverdue = () => bot.clock.now() >= until;
  const remaining = await releaseLink(bot, link, until).catch((error: unknown) => {
    if (!isOverdue()) throw error;
    return null;
  });
  const canGoOn = (await links.byId(bot.db, link.id))?.state === 'active';
  if (remaining?.length === 0 || isOverdue() || !canGoOn) await removeLink(bot, link);
}
