import { nothingToUnlink, unlinked, unlinkQuestion } from '../../messages/linking/unlinking.ts';
import * as attempts from '../../store/tables/link-attempts.ts';
import * as links from '../../store/tables/links.ts';
import * as subscriptions from '../../store/tables/subscriptions.ts';
import type { CommandContext } from '../access/command-context.ts';
import { writeAudit } from '../access/write-audit.ts';
import type { Bot } from '../bot.ts';
import { inTransaction } from '../in-transaction.ts';
import { personFields } from '../model/log-fields.ts';
import type { SlackPerson } from '../model/people.ts';
import { subscribedOf } from '../model/subscribed-of.ts';

/** How long to wait for the service, in milliseconds, so that tokens are deleted even if it does not answer. */
const releaseMs = 20_000;

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
 * Ends a person's link, for themselves or an admin: first what was made with it, here and at the service, while its tokens still exist. They
 * are deleted when this settles, even if other steps failed. Called only from Slack, which guarantees who is asking.
 * @param options `signal` ends the wait for the service
 */
export async function unlink(
  bot: Bot,
  person: SlackPerson,
  {
    by = person,
    signal = AbortSignal.timeout(releaseMs),
  }: { readonly by?: SlackPerson; readonly signal?: AbortSignal } = {},
): Promise<{ readonly outcome: 'unlinked' | 'not-linked' }> {
  // Needed even without a link: tokens may be waiting for a code.
  await attempts.endAll(bot.db, person);
  const link = await links.of(bot.db, person);
  if (link === null) return { outcome: 'not-linked' };
  try {
    await inTime(signal, bot.upstream.releaseLink(link, signal));
  } catch (error) {
    bot.log.warn(
      { err: error, ...personFields(person) },
      'could not end the subscriptions of a link that is being removed',
    );
  } finally {
    await inTransaction(bot, async (bot) => {
      if (await links.remove(bot.db, link.id))
        await writeAudit(bot, { person: by, channelId: '' }, 'unlink', link.id);
    });
  }
  return { outcome: 'unlinked' };
}

/** Settles with `work`, or rejects at the signal even if `work` ignores it. */
function inTime(signal: AbortSignal, work: Promise<void>): Promise<void> {
  const { promise, reject } = Promise.withResolvers<never>();
  signal.addEventListener('abort', () => reject(signal.reason), { once: true });
  if (signal.aborted) reject(signal.reason);
  return Promise.race([work, promise]);
}
