import { dayMs, hourMs } from '../../lib/durations.ts';
import { forEachRow } from '../../lib/for-each-row.ts';
import * as obstacles from '../../store/tables/obstacles.ts';
import { makeRecords } from '../../store/tables/records.ts';
import type { Bot } from '../bot.ts';
import type { Workspace } from '../model/people.ts';
import { uninstalled } from './departures.ts';

/** Long enough for a fault of Slack's to end, or for the event to arrive: Slack repeats it for up to a day. */
const believedAfterMs = dayMs;
/** How long it is remembered since when Slack has refused a token. Forgotten if no check follows in time. */
const refusedSince = { namespace: 'refused-tokens', ttlMs: 3 * hourMs };

/**
 * Finds workspaces that uninstalled the bot although Slack's event never arrived. Only those can be meant in which Slack has refused to
 * post. A token that Slack says is gone at every check of a day counts as uninstalled. Runs every hour.
 */
export async function findLostUninstalls(bot: Bot): Promise<void> {
  const channels = await obstacles.channelsClosedFor(bot.db, 'workspace access');
  await forEachRow(
    new Map(channels.map(({ enterpriseId, teamId }) => [teamId, { enterpriseId, teamId }])).values(),
    (workspace) => check(bot, workspace),
    (error, { teamId: team }) => bot.log.warn({ err: error, team }, 'could not check for a lost uninstall'),
  );
}

async function check(bot: Bot, workspace: Workspace): Promise<void> {
  const { teamId: team } = workspace;
  const refused = makeRecords<number>(bot.db, refusedSince);
  if (!(await bot.slack.isRevoked(workspace))) return refused.delete(team);
  const now = bot.clock.now().getTime();
  const since = (await refused.get(team)) ?? now;
  await refused.set(team, since);
  if (now - since < believedAfterMs) return;
  bot.log.info({ team }, 'Slack has refused the token for a day, so the bot counts as uninstalled');
  await uninstalled(bot, workspace, new Date(since));
}
