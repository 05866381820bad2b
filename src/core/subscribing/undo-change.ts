import { alreadyGone, notUndone } from '../../messages/subscribing/answers.ts';
import type { Subscription } from '../../store/tables/subscription-row.ts';
import * as subscriptions from '../../store/tables/subscriptions.ts';
import type { CommandContext } from '../access/command-context.ts';
import type { Bot } from '../bot.ts';
import { subscribedOf } from '../model/subscription.ts';
import { typedWhenOf } from '../model/typed-settings.ts';
import { isTooLate } from '../model/undo.ts';
import { subscribe } from './subscribe.ts';
import { removeSeveral } from './unsubscribe.ts';

/**
 * Undoes what an announcement says was changed, unless that was long ago or the subscription has been changed since: restores the settings
 * before, or removes a new subscription. `key`: of the change; empty for a new one. `at`: when it was made, in milliseconds since 1970.
 */
export async function undoChange(
  bot: Bot,
  context: CommandContext,
  { id }: Pick<Subscription, 'id'>,
  { key, at }: { readonly key: string; readonly at: number },
): Promise<void> {
  // Read again: Slack may have taken seconds to say that the person may do this.
  const row = await subscriptions.ofWorkspace(bot.db, context.person, id);
  if (row === null) return context.reply(alreadyGone);
  const { undo } = row;
  const why = isTooLate(bot.clock.now(), at) ? 'late' : (undo?.key ?? '') !== key && 'changed';
  if (why) return context.reply(notUndone({ id: row.id, subscribed: subscribedOf(row), why }));
  if (undo === null) return removeSeveral(bot, context, [row]);
  const { filters = {}, delivery, threads, ping, comprehensive = row.comprehensive, typedName } = undo.before;
  const when = delivery && typedWhenOf(delivery);
  const request = {
    act: 'subscribe',
    target: row.target,
    comprehensive,
    filters,
    when,
    threads,
    ping,
  } as const;
  // The announcement showed all of it. If the scope changes, the person who presses becomes its owner.
  const answered = { agreed: true, staysPaused: true, quiet: true };
  await subscribe(bot, context, request, { ...answered, delivery, typedName });
}
