import { projectInsteadQuestion } from '../../messages/subscribing/questions.ts';
import type { Subscription } from '../../store/tables/subscription-row.ts';
import * as subscriptions from '../../store/tables/subscriptions.ts';
import type { CommandContext } from '../access/command-context.ts';
import { Refusal } from '../access/refusal.ts';
import type { Bot } from '../bot.ts';
import { isDirect } from '../model/people.ts';
import { subscribedOf } from '../model/subscription.ts';
import { projectInstead } from '../model/typed-settings.ts';
import { keepAnswer, keepRequest } from './kept-requests.ts';

/** The most folders and files of one project that a person follows in a channel: each gets the notifications of the whole project. */
const mostItems = 20;

/**
 * Throws a `Refusal`, which offers the project instead, if a person who is to own a subscription follows too many other folders and files of its
 * project there.
 */
export async function requireFewItems(bot: Bot, context: CommandContext, row: Subscription): Promise<void> {
  const { target } = row;
  if (!('itemId' in target)) return;
  const { projectId } = target;
  const items = (await subscriptions.ofChannel(bot.db, row)).filter(
    (each) =>
      (each.id === row.id || each.ownerUserId === context.person.userId) &&
      'itemId' in each.target &&
      each.target.projectId === projectId,
  );
  if (items.length <= mostItems) return;
  const names = items.flatMap(({ resourceName }) => resourceName ?? []);
  const personal = isDirect(row.channelId);
  const instead = projectInstead(projectId, names, personal);
  throw new Refusal(
    context,
    projectInsteadQuestion({
      most: mostItems,
      project: subscribedOf({ ...row, resourceName: null }),
      value: await keepAnswer(bot, instead, { shared: true }),
      form: await keepRequest(bot, { act: 'fill-form', request: instead }),
      personal,
    }),
  );
}
