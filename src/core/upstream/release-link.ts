import type { Link } from '../model/link.ts';
import type { PauseOwned } from './pause-owned.ts';
import type { Upstream } from './upstream.ts';
import type { UpstreamRoomDeps } from './upstream-deps.ts';

type ReleaseLinkDeps = UpstreamRoomDeps & {
  readonly upstream: Pick<Upstream, 'removeRecord'>;
  readonly pauseOwned: PauseOwned;
};

/**
 * Releases what was made with a link, before its tokens are deleted: the remote subscriptions are removed, and the channels'
 * subscriptions wait for a member to take them over.
 */
export function makeReleaseLink(deps: ReleaseLinkDeps) {
  return async (link: Link, signal: AbortSignal): Promise<void> => {
    const running = (await deps.subscriptions.ofOwner(link)).filter(({ state }) => state !== 'paused');
    await deps.pauseOwned(link, running, 'unlinked');
    // Read again: a subscription that was being created may have got its remote subscription before the pause.
    for (const row of await deps.subscriptions.ofOwner(link)) {
      if (signal.aborted) return;
      await deps.upstream.removeRecord(row);
    }
  };
}
