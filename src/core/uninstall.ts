import type { Links } from '../store/links.ts';
import type { Subscriptions } from '../store/subscriptions.ts';
import type { Clock } from './clock.ts';
import type { Workspace } from './people.ts';
import type { Upstream } from './upstream.ts';

export type UninstallDeps = {
  readonly clock: Clock;
  readonly subscriptions: Pick<Subscriptions, 'ofWholeWorkspace' | 'end'>;
  readonly links: Pick<Links, 'ofWorkspace' | 'remove'>;
  readonly upstream: Pick<Upstream, 'release'>;
  /** Forgets the workspace's token. */
  readonly forgetInstallation: (workspace: Workspace) => Promise<void>;
};

/**
 * Ends all of a workspace that removed the bot: the service's records go while there still are tokens to remove them with, then the
 * links, then the workspace's own token. Run again, it does what was left.
 */
export function makeUninstall(deps: UninstallDeps) {
  return async (workspace: Workspace): Promise<void> => {
    const rows = await deps.subscriptions.ofWholeWorkspace(workspace);
    const ended = await deps.subscriptions.end(
      rows.map(({ id }) => id),
      'uninstalled',
      deps.clock.now(),
    );
    for (const row of ended) await deps.upstream.release(row);
    for (const link of await deps.links.ofWorkspace(workspace)) await deps.links.remove(link.id);
    await deps.forgetInstallation(workspace);
  };
}
