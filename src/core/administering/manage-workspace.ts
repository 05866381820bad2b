import { alreadyGone } from '../../messages/subscribing/answers.ts';
import type { Subscription } from '../../store/tables/subscription-row.ts';
import type { CommandContext } from '../access/command-context.ts';
import { requireAdmin } from '../access/who-may.ts';
import type { WorkspaceFilter } from '../model/workspace-filter.ts';
import { removeSeveral } from '../subscribing/unsubscribe.ts';
import { split } from './show-workspace.ts';
import type { VisibleChannelsDeps } from './visible-channels.ts';

/** What an admin can do to subscriptions of any channel they are allowed to see, without being in it. */
export type ManageAct = 'pause' | 'resume' | 'remove';

/** Pauses, resumes and removes subscriptions for admins. An announcement in each channel says who did it. */
export function makeManageWorkspace(deps: VisibleChannelsDeps) {
  /** Acts on rows of one channel, as if the admin had asked there. */
  async function actIn(
    context: CommandContext,
    rows: readonly Subscription[],
    act: ManageAct,
  ): Promise<void> {
    const [first] = rows;
    if (!first) return;
    const there = context.about(first.channelId);
    switch (act) {
      case 'pause':
        return deps.pauseSubscription.pauseSeveral(there, rows);
      case 'resume':
        // Each row gets its own summary.
        for (const row of rows.filter(({ state }) => state === 'paused')) {
          await deps.pauseSubscription.resume({ ...there, reply: async () => undefined }, row);
        }
        return;
      case 'remove':
        return removeSeveral(deps.bot, there, rows);
    }
  }

  async function actOn(
    context: CommandContext,
    rows: readonly Subscription[],
    act: ManageAct,
  ): Promise<void> {
    for (const own of Map.groupBy(rows, ({ channelId }) => channelId).values())
      await actIn(context, own, act);
  }

  async function matching(context: CommandContext, filter: WorkspaceFilter, which: 'visible' | 'hidden') {
    await requireAdmin(deps.bot, context);
    const { ids, complete } = await deps.visibleChannels(context.person);
    const { person } = context;
    // If Slack does not say what is visible, everything else would count as hidden.
    if (which === 'hidden' && !complete) return [];
    const channels = split(await deps.workspaceSubscriptions.channels(person, filter), ids)[which];
    return deps.workspaceSubscriptions.list(person, filter, {
      channelIds: channels.map(({ channelId }) => channelId),
    });
  }

  return {
    /** Acts on one subscription. Its id proves nothing: it has to be in a channel that the admin is allowed to see. */
    async one(context: CommandContext, id: string, act: ManageAct): Promise<void> {
      await requireAdmin(deps.bot, context);
      const { ids } = await deps.visibleChannels(context.person);
      const row = await deps.subscriptions.ofWorkspace(context.person, id);
      if (row === null || !ids.has(row.channelId)) return context.reply(alreadyGone);
      await actIn(context, [row], act);
    },

    /** Acts on every subscription that the filter shows. */
    async all(context: CommandContext, filter: WorkspaceFilter, act: ManageAct): Promise<void> {
      const rows = await matching(context, filter, 'visible');
      await actOn(context, rows, act);
    },

    /** Pauses subscriptions that the admin cannot see. Reveals nothing about where they are. */
    async pauseHidden(context: CommandContext, filter: WorkspaceFilter): Promise<void> {
      const rows = await matching(context, { ...filter, channelId: null }, 'hidden');
      if (rows.length === 0) return;
      // First, since the channels are paused one after the other, and the process may die in between.
      await deps.audit(context, 'pause hidden subscriptions', String(rows.length));
      await actOn(context, rows, 'pause');
    },
  };
}
