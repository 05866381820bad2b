import { alreadyGone } from '../../messages/subscribing/answers.ts';
import type { Subscription } from '../../store/tables/subscription-row.ts';
import * as subscriptions from '../../store/tables/subscriptions.ts';
import * as workspaceSubscriptions from '../../store/workspace-subscriptions.ts';
import type { CommandContext } from '../access/command-context.ts';
import type { Bot } from '../bot.ts';
import { pause, resume } from '../channels/pause-subscription.ts';
import type { WorkspaceFilter } from '../model/any-request.ts';
import { removeSubscriptions } from '../subscribing/unsubscribe.ts';
import { split, visibleChannels } from './show-workspace.ts';

/** What an admin can do to subscriptions of any channel they are allowed to see, without being in it. */
export type ManageAct = 'pause' | 'resume' | 'remove';

/** Acts on one subscription, for an admin. Its id proves nothing: it has to be in a channel that the admin is allowed to see. */
export async function manageOne(
  bot: Bot,
  context: CommandContext,
  id: string,
  act: ManageAct,
): Promise<void> {
  const { ids } = await visibleChannels(bot, context.person);
  const row = await subscriptions.ofWorkspace(bot.db, context.person, id);
  if (row === null || !ids.has(row.channelId)) return context.reply(alreadyGone);
  await actIn(bot, context, [row], act);
}

/** Acts on every subscription that the filter shows, for an admin. */
export async function manageAll(
  bot: Bot,
  context: CommandContext,
  filter: WorkspaceFilter,
  act: ManageAct,
): Promise<void> {
  const { person } = context;
  const { ids } = await visibleChannels(bot, person);
  const { visible } = split(await workspaceSubscriptions.channels(bot.db, person, filter), ids);
  const rows = await workspaceSubscriptions.list(bot.db, person, filter, {
    channelIds: visible.map(({ channelId }) => channelId),
  });
  for (const group of Map.groupBy(rows, ({ channelId }) => channelId).values())
    await actIn(bot, context, group, act);
}

/** Acts on rows of one channel, as if the admin had asked there. */
async function actIn(
  bot: Bot,
  context: CommandContext,
  rows: readonly Subscription[],
  act: ManageAct,
): Promise<void> {
  const [first] = rows;
  if (!first) return;
  // What an admin's screen shows needs no answer.
  const silently = { ...context.about(first.channelId), reply: async () => undefined };
  switch (act) {
    case 'pause':
      return pause(bot, silently, rows);
    case 'resume':
      // Each row gets its own summary.
      for (const row of rows.filter(({ state }) => state === 'paused')) {
        await resume(bot, silently, row);
      }
      return;
    case 'remove':
      return removeSubscriptions(bot, silently, rows);
  }
}
