import { isDeepStrictEqual } from 'node:util';
import { alreadyGone, notUndone, tooLateToUndo } from '../../messages/subscribing/answers.ts';
import type { Subscription } from '../../store/tables/subscription-row.ts';
import * as subscriptions from '../../store/tables/subscriptions.ts';
import type { CommandContext } from '../access/command-context.ts';
import { answerRefusal } from '../access/refusal.ts';
import { requireMayChange } from '../access/who-may.ts';
import type { Bot } from '../bot.ts';
import { subscribedOf } from '../model/subscription.ts';
import { requestOf, subscribeTo } from '../model/typed-settings.ts';
import { isTooLate } from '../model/undo.ts';
import { subscribe } from './subscribe.ts';
import { removeSubscriptions } from './unsubscribe.ts';

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
  if (why) return context.reply(notUndone(why, subscribedOf(row), row.id));
  if (undo === null) return removeSubscriptions(bot, context, [row]);
  const { filters = {}, delivery, threads, ping, comprehensive = row.comprehensive, typedName } = undo.before;
  const request = { ...subscribeTo({ ...row, comprehensive }), filters, when: delivery, threads, ping };
  // The announcement showed all of it. If the scope changes, the person who presses becomes its owner.
  const answered = { agreed: true, staysPaused: true, quiet: true };
  await subscribe(bot, context, request, { ...answered, typedName });
}

/** More than a channel's members remove within the minutes in which a removal can be undone. */
const mostEnded = 500;

/** Restores removed subscriptions of the channel with their settings. The person who asks becomes their owner. */
export async function undoUnsubscribe(
  bot: Bot,
  context: CommandContext,
  { ids }: { readonly ids: readonly string[] },
): Promise<void> {
  const found = await Promise.all(ids.map((id) => subscriptions.byId(bot.db, id)));
  // An id alone proves nothing: a subscription can only be restored in the channel it was removed from.
  const rows = found.filter((row) => row !== null).filter((row) => isRemovedHere(row, context));
  const young = rows.filter(({ endedAt }) => !isTooLate(bot.clock.now(), endedAt?.getTime() ?? Number.NaN));
  if (young.length === 0) return context.reply(tooLateToUndo);
  // Each separately: an admin may have limited which projects can be followed.
  for (const row of young) await answerRefusal(() => again(bot, context, row));
}

async function again(bot: Bot, context: CommandContext, row: Subscription): Promise<void> {
  const live = await subscriptions.ofTarget(bot.db, row, row.target);
  if (live || (await isRemovedAgain(bot, row))) {
    const subscribed = subscribedOf(live ?? row);
    return context.reply(notUndone('changed', subscribed, live?.id ?? null));
  }
  // Keeps the time zone, also if the person must link first.
  const request = { ...requestOf(row), when: row.delivery };
  const settings = await requireMayChange(bot, context, request);
  // Its owner answered every question when they subscribed.
  const { lastEventAt } = row;
  await subscribe(bot, context, request, { shared: true, settings, lastEventAt, quiet: true });
}

/** Returns whether the resource was subscribed to again, and removed again, after this row. Only the last removal can be undone. */
async function isRemovedAgain(
  { db }: Bot,
  { id, target, endedAt, ...channel }: Subscription,
): Promise<boolean> {
  if (endedAt === null) return false;
  const since = await subscriptions.endedOfChannel(db, channel, endedAt, mostEnded);
  return since.some(
    (row) => row.id !== id && row.reason === 'removed' && isDeepStrictEqual(row.target, target),
  );
}

function isRemovedHere({ state, reason, teamId, channelId }: Subscription, context: CommandContext): boolean {
  const isHere = teamId === context.person.teamId && channelId === context.channelId;
  return isHere && state === 'ended' && reason === 'removed';
}
