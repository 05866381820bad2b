import { dayMs } from '../../lib/durations.ts';
import { forEachRow } from '../../lib/for-each-row.ts';
import type { Workspace } from '../model/people.ts';
import type { Departing } from './departures.ts';
import type { UpstreamRoomDeps } from './upstream-deps.ts';

type FindLostUninstallsDeps = UpstreamRoomDeps & { readonly uninstalled: Departing['uninstalled'] };

/** Long enough for a fault of Slack's to end, or for the event to arrive: Slack repeats it for up to a day. */
const believedAfterMs = dayMs;

/**
 * Finds workspaces that uninstalled the bot although Slack's event never arrived. Only those can be meant in which Slack has refused to
 * post. A token that Slack says is gone at every check of a day counts as uninstalled. Runs every hour.
 */
export function makeFindLostUninstalls(deps: FindLostUninstallsDeps): () => Promise<void> {
  const { clock, refusedSince, log } = deps;

  return async () => {
    const channels = await deps.subscriptions.channelsPausedFor('workspace access');
    await forEachRow(
      new Map(channels.map(({ enterpriseId, teamId }) => [teamId, { enterpriseId, teamId }])).values(),
      check,
      (error, { teamId: team }) => log.warn({ err: error, team }, 'could not check for a lost uninstall'),
    );
  };

  async function check(workspace: Workspace): Promise<void> {
    const { teamId: team } = workspace;
    if (!(await deps.isRevoked(workspace))) return refusedSince.delete(team);
    const now = clock.now().getTime();
    const since = (await refusedSince.get(team)) ?? now;
    await refusedSince.set(team, since);
    if (now - since < believedAfterMs) return;
    log.info({ team }, 'Slack has refused the token for a day, so the bot counts as uninstalled');
    await deps.uninstalled(workspace, new Date(since));
  }
}
