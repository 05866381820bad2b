import { z } from 'zod';
import { parseJson } from '../../lib/text.ts';
import { type WorkspaceScreen, workspaceView } from '../../messages/home/workspace.ts';
import { rowsOfPage, rowsPerPage } from '../../messages/subscribing/lists.ts';
import type { ChannelCount } from '../../store/workspace-subscriptions.ts';
import * as workspaceSubscriptions from '../../store/workspace-subscriptions.ts';
import { withNamesFor } from '../access/shown-names.ts';
import type { Bot } from '../bot.ts';
import { listSubscriptions } from '../home/lists.ts';
import { leaveHome, showHome } from '../home/show-home.ts';
import { noWorkspaceFilter, workspaceFilterSchema } from '../model/any-request.ts';
import { isDirect, type SlackPerson } from '../model/people.ts';

/** The unfiltered list, at its first page. */
export const wholeWorkspace: WorkspaceScreen = { filter: noWorkspaceFilter, page: 0 };

/**
 * Shows an admin, in their Home tab, every subscription of the workspace that they are allowed to see. Everyone else gets their own Home
 * tab.
 * @param over hash of the list that this one replaces; nothing is replaced if the person has left that list
 */
export async function showWorkspace(
  bot: Bot,
  person: SlackPerson,
  screen: WorkspaceScreen,
  over?: string,
): Promise<void> {
  const { ids, admin, complete } = await visibleChannels(bot, person);
  if (!admin) return showHome(bot, person);
  if (over === undefined) leaveHome(bot, person);
  const { filter } = screen;
  const found = await workspaceSubscriptions.channels(bot.db, person, filter);
  const { visible, hidden } = split(found, ids);
  const count = sumOf(visible);
  const { page, from } = rowsOfPage(count, screen.page);
  const rows = await workspaceSubscriptions.list(bot.db, person, filter, {
    channelIds: visible.map(({ channelId }) => channelId),
    offset: from,
    limit: rowsPerPage,
  });
  const named = await withNamesFor(bot, person, [...ids], rows);
  const listed = await listSubscriptions(bot, named, { from: 0, to: rows.length });
  await bot.slack.publishHome(
    person,
    workspaceView({
      screen: { filter, page },
      rows: listed.map((row, index) => ({ ...row, channelId: rows[index]?.channelId ?? '' })),
      count,
      channels: visible.length,
      // While the list is filtered by a channel, hidden ones are not counted.
      hidden: filter.channelId === null ? hiddenCounts(hidden) : { privateChannels: 0, directMessages: 0 },
      complete,
      metadata: JSON.stringify({ screen: 'workspace', filter, page }),
    }),
    over,
  );
}

/** Splits channels into those a person is allowed to see and the hidden ones. */
export function split(
  found: readonly ChannelCount[],
  ids: ReadonlySet<string>,
): { readonly visible: readonly ChannelCount[]; readonly hidden: readonly ChannelCount[] } {
  const isVisible = ({ channelId }: ChannelCount) => !isDirect(channelId) && ids.has(channelId);
  return { visible: found.filter(isVisible), hidden: found.filter((each) => !isVisible(each)) };
}

function hiddenCounts(hidden: readonly ChannelCount[]) {
  return {
    privateChannels: sumOf(hidden.filter(({ channelId }) => !isDirect(channelId))),
    directMessages: sumOf(hidden.filter(({ channelId }) => isDirect(channelId))),
  };
}

function sumOf(counts: readonly ChannelCount[]): number {
  return counts.reduce((sum, { count }) => sum + count, 0);
}

const screenSchema = z.object({
  screen: z.literal('workspace'),
  filter: workspaceFilterSchema,
  page: z.number().int().min(0).max(1_000_000),
});

/** Parses the metadata of the list; returns the unfiltered list if it is not ours. */
export function readScreen(metadata: string): WorkspaceScreen {
  const read = screenSchema.safeParse(parseJson(metadata));
  return read.success ? { filter: read.data.filter, page: read.data.page } : wholeWorkspace;
}

/**
 * Returns the channels whose subscriptions a person can see and manage from outside the channel: those they are in and, for admins, all
 * public ones. `complete` is false if Slack could not say everything; unknown channels are not visible.
 */
export async function visibleChannels(
  { slack }: Bot,
  person: SlackPerson,
): Promise<{ readonly ids: ReadonlySet<string>; readonly admin: boolean; readonly complete: boolean }> {
  const admin = await slack.isAdmin(person);
  const [memberOf, open] = await Promise.all([
    slack.channelsOf(person),
    admin ? slack.publicChannelsOf(person) : new Set<string>(),
  ]);
  return {
    ids: new Set([...(memberOf ?? []), ...(open ?? [])]),
    admin,
    complete: memberOf !== null && open !== null,
  };
}
