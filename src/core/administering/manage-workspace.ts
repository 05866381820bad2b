import { alreadyGone } from '../../messages/subscribing/answers.ts';
import type { Subscription } from '../../store/tables/subscription-row.ts';
import * as subscriptions from '../../store/tables/subscriptions.ts';
import * as workspaceSubscriptions from '../../store/workspace-subscriptions.ts';
import type { CommandContext } from '../access/command-context.ts';
import { writeAudit } from '../access/write-audit.ts';
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
  const rows = await matching(bot, context, filter, 'visible');
  await actOn(bot, context, rows, act);
}

/** Pauses subscriptions that the admin cannot see. Reveals nothing about where they are. */
export async function pauseHidden(bot: Bot, context: CommandContext, filter: WorkspaceFilter): Promise<void> {
  const rows = await matching(bot, context, { ...filter, channelId: null }, 'hidden');
  if (rows.length === 0) return;
  // First, since the channels are paused one after the other, and the process may die in between.
  await writeAudit(bot, context, 'pause hidden subscriptions', String(rows.length));
  await actOn(bot, context, rows, 'pause');
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
  const there = context.about(first.channelId);
  // What an admin's screen shows needs no answer.
  const silently = { ...there, reply: async () => undefined };
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
      return void (await removeSubscriptions(bot, there, rows));
  }
}

async function actOn(
  bot: Bot,
  context: CommandContext,
  rows: readonly Subscription[],
  act: ManageAct,
): Promise<void> {
  for (const group of Map.groupBy(rows, ({ channelId }) => channelId).values())
    await actIn(bot, context, group, act);
}

async function matching(
  bot: Bot,
  context: CommandContext,
  filter: WorkspaceFilter,
  which: 'visible' | 'hidden',
) {
  const { ids, complete } = await visibleChannels(bot, context.person);
  const { person } = context;
  // If Slack does not say what is visible, everything else would count as hidden.
  if (which === 'hidden' && !complete) return [];
  const channels = split(await workspaceSubscriptions.channels(bot.db, person, filter), ids)[which];
  return workspaceSubscriptions.list(bot.db, person, filter, {
    channelIds: channels.map(({ channelId }) => channelId),
  });
}
