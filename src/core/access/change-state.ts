import type { Subscription } from '../../store/tables/subscription-row.ts';
import * as subscriptions from '../../store/tables/subscriptions.ts';
import type { Bot } from '../bot.ts';
import { subscriptionFields } from '../model/log-fields.ts';
import type { PauseReason } from '../model/pause-reason.ts';

/*
 * Subscriptions that are removed, paused or resumed by something other than a person's command: a closed channel, a lost link, a deleted
 * resource. Each is logged, with its owner as `person`; what people do is logged with the audit.
 */

type Changing = Pick<Bot, 'db' | 'clock'> & { readonly log: Pick<Bot['log'], 'info'> };

/** Ends subscriptions. Returns those that had not ended. */
export async function endFor(bot: Changing, ids: readonly string[], reason: string): Promise<Subscription[]> {
  return logged(bot, 'removed', await subscriptions.end(bot.db, ids, reason, bot.clock.now()), reason);
}

/** Pauses those that are active. Returns them. */
export async function pauseFor(
  bot: Changing,
  ids: readonly string[],
  reason: PauseReason,
): Promise<Subscription[]> {
  return logged(bot, 'paused', await subscriptions.pause(bot.db, ids, reason, bot.clock.now()), reason);
}

/** Resumes those that are paused, or of these those that are for `reason`. Returns them. */
export async function resumeFrom(
  bot: Changing,
  ids: readonly string[],
  reason?: string,
): Promise<Subscription[]> {
  return logged(bot, 'resumed', await subscriptions.resume(bot.db, ids, bot.clock.now(), reason), reason);
}

function logged(
  { log }: Changing,
  what: string,
  rows: Subscription[],
  reason: string | undefined,
): Subscription[] {
  for (const row of rows) log.info({ ...subscriptionFields(row), reason }, what);
  return rows;
}
