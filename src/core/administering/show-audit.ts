import { type AuditAct, auditView } from '../../messages/admin/audit.ts';
import * as audit from '../../store/tables/audit.ts';
import { auditLinesOf } from '../access/audit.ts';
import type { CommandContext } from '../access/command-context.ts';
import { withNamesFor } from '../access/shown-names.ts';
import type { Bot } from '../bot.ts';
import { leaveHome, showHome } from '../home/show-home.ts';
import { visibleChannels } from './show-workspace.ts';

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
