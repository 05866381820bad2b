import type { Link } from '../model/link.ts';
import { makeCallService } from './call-service.ts';
import { makeDepartures } from './departures.ts';
import { makeFindLostUninstalls } from './find-lost-uninstalls.ts';
import { makeFinishPending } from './finish-pending.ts';
import { makePauseOwned } from './pause-owned.ts';
import { makeReconcile } from './reconcile.ts';
import { makeReleaseEnded, makeReleaseSoon } from './release-ended.ts';
import { makeUpstream } from './upstream.ts';
import type { UpstreamRoomDeps } from './upstream-deps.ts';

export type UpstreamRoom = ReturnType<typeof makeUpstreamRoom>;

/** Composes the service's side of subscriptions: creating, keeping in sync with what is stored, and removing. */
export function makeUpstreamRoom(deps: UpstreamRoomDeps) {
  const { subscriptions } = deps;
  const { callService, isResting } = makeCallService(deps);
  const upstream = makeUpstream({ ...deps, callService, isResting });
  const pauseOwned = makePauseOwned(deps);
  const reconcile = makeReconcile({ ...deps, callService, isResting, upstream, pauseOwned });
  const departures = makeDepartures({ ...deps, upstream, reconcileLink: reconcile.reconcileLink });
  const releaseEnded = makeReleaseEnded({ ...deps, upstream });
  const { releaseSoon, settled: released } = makeReleaseSoon({ releaseEnded, log: deps.log });
  return {
    callService,
    isResting,
    upstream,
    reconcile,
    departures,
    findLostUninstalls: makeFindLostUninstalls({ ...deps, uninstalled: departures.uninstalled }),
    finishPending: makeFinishPending({ ...deps, isResting, upstream, checkSoon: reconcile.checkSoon }),
    releaseEnded,
    /** Starts removing the remote subscriptions of what has just ended. */
    releaseSoon,

    /**
     * Releases what was made with a link, before its tokens are deleted: the remote subscriptions are removed, and the channels'
     * subscriptions wait for a member to take them over.
     */
    async releaseLink(link: Link, signal: AbortSignal): Promise<void> {
      const running = (await subscriptions.ofOwner(link)).filter(({ state }) => state !== 'paused');
      await pauseOwned(link, running, 'unlinked');
      // Read again: a subscription that was being created may have got its remote subscription before the pause.
      for (const row of await subscriptions.ofOwner(link)) {
        if (signal.aborted) return;
        await upstream.removeRemote(row);
      }
    },

    /** Starts a check of everything if remote subscriptions still send to an address other than this bot's. */
    async reconcileAfterMove(): Promise<void> {
      if (!(await subscriptions.someAreElsewhere(deps.publicUrl))) return;
      reconcile
        .reconcileAll()
        .catch((error: unknown) => deps.log.error({ err: error }, 'the check at startup failed'));
    },

    /** Starts nothing more, and returns once what is running has ended. */
    async stop(): Promise<void> {
      await departures.stop();
      await reconcile.stop();
      await released();
    },
  };
}
