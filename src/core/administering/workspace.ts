import { z } from 'zod';
import { parseJson } from '../../lib/text.ts';
import { type AuditAct, auditView } from '../../messages/admin/audit.ts';
import { type WorkspaceScreen, workspaceView } from '../../messages/home/workspace.ts';
import { alreadyGone } from '../../messages/subscribing/answers.ts';
import { rowsOfPage, rowsPerPage } from '../../messages/subscribing/lists.ts';
import * as audit from '../../store/tables/audit.ts';
import * as subscriptions from '../../store/tables/subscriptions.ts';
import type { ChannelCount } from '../../store/workspace-subscriptions.ts';
import * as workspaceSubscriptions from '../../store/workspace-subscriptions.ts';
import { auditLinesOf } from '../access/audit.ts';
import type { CommandContext } from '../access/command-context.ts';
import { withNamesFor } from '../access/shown-names.ts';
import type { Bot } from '../bot.ts';
import { pause, resume } from '../channels/pause-subscription.ts';
import { listSubscriptions } from '../home/lists.ts';
import { leaveHome, showHome } from '../home/show-home.ts';
import { noWorkspaceFilter, type WorkspaceFilter, workspaceFilterSchema } from '../model/any-request.ts';
import { isDirect, type SlackPerson } from '../model/people.ts';
import { removeSubscriptions } from '../subscribing/unsubscribe.ts';

/** The unfiltered list, at its first page. */
export const wholeWorkspace: WorkspaceScreen = { filter: noWorkspaceFilter, page: 0 };

/** Shows an admin, in Home, the subscriptions that they may see; others get their own tab. `over`: hash of the list to replace, if still shown. */
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
  const isVisible = ({ channelId }: ChannelCount) => !isDirect(channelId) && ids.has(channelId);
  const [visible, hidden] = [found.filter(isVisible), found.filter((each) => !isVisible(each))];
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
      hidden: hiddenCounts(filter.channelId === null ? hidden : []),
      complete,
      metadata: JSON.stringify({ screen: 'workspace', filter, page }),
    }),
    over,
  );
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

/** Returns the channels that a person can manage from outside: those they are in and, for admins, public ones, as far as Slack says (`complete`). */
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

/** What an admin can do to subscriptions of any channel they are allowed to see, without being in it. */
export type ManageAct = 'pause' | 'resume' | 'remove';

/** Acts on one subscription, or all that a filter shows, as if asked in its channel, which must be one that the admin is allowed to see. */
export async function manage(
  bot: Bot,
  context: CommandContext,
  which: string | WorkspaceFilter,
  act: ManageAct,
): Promise<void> {
  const { db } = bot;
  const { person } = context;
  const { ids } = await visibleChannels(bot, person);
  const found =
    typeof which === 'string'
      ? [await subscriptions.ofWorkspace(db, person, which)].filter((row) => row !== null)
      : await workspaceSubscriptions.list(db, person, which, { channelIds: [...ids] });
  const rows = found.filter(({ channelId }) => ids.has(channelId) && !isDirect(channelId));
  if (rows.length === 0 && typeof which === 'string') return context.reply(alreadyGone);
  for (const [channelId, group] of Map.groupBy(rows, (row) => row.channelId)) {
    // What an admin's screen shows needs no answer.
    const silently = { ...context.about(channelId), reply: async () => undefined };
    if (act === 'pause') await pause(bot, silently, group);
    if (act === 'remove') await removeSubscriptions(bot, silently, group);
    // Each gets a summary of its own.
    if (act === 'resume')
      for (const row of group.filter(({ state }) => state === 'paused')) await resume(bot, silently, row);
  }
}

const linesPerPage = 20;
/** Actions that concern the whole workspace, so admins see them wherever they were done. */
const ofWorkspace: readonly AuditAct[] = [
  'change settings',
  'import subscriptions',
  'remove person',
  'allowed request',
  'declined request',
];

/** Shows an admin the workspace's audit log in their Home tab. `before`: id of an entry, to list older ones than it. */
export async function showAudit(
  bot: Bot,
  { person }: CommandContext,
  { before = null }: { readonly before?: string | null | undefined },
): Promise<void> {
  const { ids, admin } = await visibleChannels(bot, person);
  if (!admin) return showHome(bot, person);
  leaveHome(bot, person);
  const found = await audit.list(bot.db, person, {
    before,
    limit: linesPerPage + 1,
    channelIds: [...ids],
    acts: ofWorkspace,
  });
  const shown = found.slice(0, linesPerPage);
  const lines = await auditLinesOf(
    bot,
    person,
    shown.map((entry) => (ids.has(entry.channelId ?? '') ? entry : { ...entry, channelId: null })),
    (rows) => withNamesFor(bot, person, [...ids], rows),
  );
  await bot.slack.publishHome(
    person,
    auditView({
      lines,
      isNewest: before === null,
      olderValue: found.length > linesPerPage ? (shown.at(-1)?.id ?? null) : null,
      metadata: JSON.stringify({ screen: 'audit' }),
    }),
  );
}
