import type { AccessTokenFor } from '../linking/access-token.ts';
import { makeCallService } from './call-service.ts';
import { type DeparturesDeps, makeDepartures } from './departures.ts';
import { type FindLostUninstallsDeps, makeFindLostUninstalls } from './find-lost-uninstalls.ts';
import { type FinishPendingDeps, makeFinishPending } from './finish-pending.ts';
import { makePauseOwned, type PauseOwnedDeps } from './pause-owned.ts';
import { makeReconcile, type ReconcileDeps } from './reconcile.ts';
import { makeReleaseEnded, makeReleaseSoon, type ReleaseEndedDeps } from './release-ended.ts';
import { makeReleaseLink } from './release-link.ts';
import { makeUpstream, type UpstreamDeps } from './upstream.ts';

type UpstreamRoomDeps = Omit<UpstreamDeps, 'callService'> &
  PauseOwnedDeps &
  Omit<ReconcileDeps, 'callService' | 'upstream' | 'pauseOwned'> &
  Omit<FinishPendingDeps, 'upstream' | 'checkSoon'> &
  Omit<ReleaseEndedDeps, 'upstream'> &
  Omit<DeparturesDeps, 'upstream' | 'reconcileLink'> &
  Omit<FindLostUninstallsDeps, 'departures'> & {
    readonly accessTokenFor: AccessTokenFor;
  };

export type UpstreamRoom = ReturnType<typeof makeUpstreamRoom>;

/** Composes the service's side of subscriptions: creating, keeping in sync with what is stored, and removing. */
export function makeUpstreamRoom(deps: UpstreamRoomDeps) {
  const callService = makeCallService(deps);
  const upstream = makeUpstream({ ...deps, callService });
  const pauseOwned = makePauseOwned(deps);
  const reconcile = makeReconcile({ ...deps, callService, upstream, pauseOwned });
  const departures = makeDepartures({ ...deps, upstream, reconcileLink: reconcile.reconcileLink });
  const releaseEnded = makeReleaseEnded({ ...deps, upstream });
  const { releaseSoon, settled: released } = makeReleaseSoon({ releaseEnded, log: deps.log });
  return {
    callService,
    upstream,
    reconcile,
    departures,
    findLostUninstalls: makeFindLostUninstalls({ ...deps, departures }),
    releaseLink: makeReleaseLink({ ...deps, upstream, pauseOwned }),
    finishPending: makeFinishPending({ ...deps, upstream, checkSoon: reconcile.checkSoon }),
    releaseEnded,
    /** Starts removing the remote subscriptions of what has just ended. */
    releaseSoon,

    /** Starts a check of everything if remote subscriptions still send to an address other than this bot's. */
    async reconcileAfterMove(): Promise<void> {
      if (!(await deps.subscriptions.someAreElsewhere(deps.publicUrl))) return;
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
