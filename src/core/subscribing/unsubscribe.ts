import { subscriptionsRemoved } from '../../messages/subscribing/announcements.ts';
import { alreadyGone, nothingToRemove } from '../../messages/subscribing/answers.ts';
import { emptyList } from '../../messages/subscribing/lists.ts';
import { unsubscribeAllQuestion } from '../../messages/subscribing/questions.ts';
import type { Who } from '../../messages/text/copy.ts';
import * as events from '../../store/tables/events.ts';
import type { Subscription } from '../../store/tables/subscription-row.ts';
import * as subscriptions from '../../store/tables/subscriptions.ts';
import { type CommandContext, channelOf } from '../access/command-context.ts';
import { keepRequest } from '../access/kept-requests.ts';
import type { Bot } from '../bot.ts';
import { type Acted, act } from '../channels/act.ts';
import type { RequestOf } from '../model/any-request.ts';
import { followedWords } from '../model/format-request.ts';
import { isDirect } from '../model/people.ts';
import { targetsOf } from '../model/service-urls.ts';
import { subscribedOf } from '../model/subscription.ts';
import { releaseUnwanted } from '../upstream/sync.ts';
import { askWhatKind } from './read-with-known.ts';

/** Removes the subscription to a resource, with or without its contents. */
export async function unsubscribeOne(
  bot: Bot,
  context: CommandContext,
  request: RequestOf<'unsubscribe'>,
): Promise<void> {
  const channel = channelOf(context);
  const { target } = request;
  const targets = targetsOf(target);
  const found = await Promise.all(targets.map((each) => subscriptions.ofTarget(bot.db, channel, each)));
  const rows = found.filter((row) => row !== null);
  if (rows.length > 1) return askWhatKind(bot, context, request, targets);
  if (rows.length > 0) return removeSubscriptions(bot, context, rows);
  await context.reply(nothingToRemove(followedWords(target), isDirect(context.channelId)));
}

/** Asks for confirmation before all subscriptions of the channel are removed. */
export async function askUnsubscribeAll(bot: Bot, context: CommandContext): Promise<void> {
  const { length } = await subscriptions.ofChannel(bot.db, channelOf(context));
  const personal = isDirect(context.channelId);
  return context.reply(length === 0 ? emptyList(personal) : unsubscribeAllQuestion(length, personal));
}

/** Removes all subscriptions of the channel, after the confirmation. */
export async function unsubscribeAll(bot: Bot, context: CommandContext): Promise<void> {
  return removeSubscriptions(bot, context, await subscriptions.ofChannel(bot.db, channelOf(context)));
}

/** Removes subscriptions of the channel. `canUndo`: whether a button can restore them for a while. */
export async function removeSubscriptions(
  bot: Bot,
  context: CommandContext,
  rows: readonly Subscription[],
  { canUndo = true }: { readonly canUndo?: boolean } = {},
): Promise<void> {
  const given = rows.map(({ id }) => id);
  const undoValue = canUndo ? await keepRequest(bot, { act: 'undo-removal', ids: given }) : undefined;
  const change = async ({ db, clock }: Bot, by: Who): Promise<Acted> => {
    const ended = await subscriptions.end(db, given, 'removed', clock.now());
    if (ended.length === 0) return { reply: alreadyGone };
    const ids = ended.map(({ id }) => id);
    await events.dropEnded(db, ids);
    const announcement = subscriptionsRemoved(by, ended.map(subscribedOf), undoValue);
    return { announcement, audit: 'unsubscribe', changed: ids };
  };
  await act(bot, context, change, rows[0]?.ownerUserId);
  // Where the service does not answer, `syncRound` deletes the remote subscription later.
  for (const { id } of rows) await releaseUnwanted(bot, id);
}
