import type { Subscription } from '../../store/tables/subscription-row.ts';
import * as subscriptions from '../../store/tables/subscriptions.ts';
import type { Bot } from '../bot.ts';
import { subscriptionFields } from '../model/log-fields.ts';

type Ending = Pick<Bot, 'db' | 'clock'> & { readonly log: Pick<Bot['log'], 'info'> };

/**
 * Ends subscriptions because of something other than a person's command, such as a deleted resource. Each is logged, with its owner as
 * `person`; what people do is logged with the audit. Returns those that had not ended.
 */
export async function endFor(
  { db, clock, log }: Ending,
  ids: readonly string[],
  reason: string,
): Promise<Subscription[]> {
  const rows = await subscriptions.end(db, ids, reason, clock.now());
  for (const row of rows) log.info({ ...subscriptionFields(row), reason }, 'removed');
  return rows;
}
