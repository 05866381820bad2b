import type { Mute } from '../core/channels/mute.ts';
import type { Linking } from '../core/linking/linking.ts';
import type { Clock } from '../core/model/clock.ts';
import type { makeDepartures } from '../core/upstream/departures.ts';
import type { makeReconcile } from '../core/upstream/reconcile.ts';
import type { Chore } from '../jobs/chores.ts';
import { type EachStepDeps, eachStep } from '../lib/each-step.ts';
import { sweepExpired } from '../store/tables/keyv-records.ts';
import type { StoreRoom } from './store.ts';

const dayMs = 24 * 3_600_000;

type ChoreDeps = EachStepDeps & {
  readonly store: Pick<StoreRoom, 'pool' | 'tables' | 'seenRequests' | 'requests' | 'commandTries'>;
  readonly linking: Pick<Linking, 'keepAlive' | 'cleanAttempts'>;
  readonly reconcile: ReturnType<typeof makeReconcile>;
  readonly mute: Pick<Mute, 'endOver'>;
  readonly postDigests: () => Promise<void>;
  readonly finishPending: () => Promise<void>;
  readonly releaseEnded: () => Promise<void>;
  readonly tidyEvents: () => Promise<void>;
  readonly tidyItems: () => Promise<void>;
  readonly resumeWorkspaces: () => Promise<void>;
  readonly lookAtChannels: () => Promise<void>;
  readonly departures: Pick<ReturnType<typeof makeDepartures>, 'resumeAll'>;
  readonly clock: Clock;
};

/** What comes round by the clock. */
export function composeChores(deps: ChoreDeps): Chore[] {
  const { linking, reconcile, mute, clock } = deps;
  const { postDigests, finishPending, releaseEnded, tidyEvents, resumeWorkspaces } = deps;
  const { pool, tables, seenRequests, requests, commandTries } = deps.store;
  return [
    { name: 'departures', cron: '* * * * *', run: deps.departures.resumeAll, long: true },
    { name: 'sweep', cron: '* * * * *', run: sweep },
    { name: 'tidy', cron: '17 * * * *', run: tidy },
    { name: 'tidy-items', cron: '47 2 * * *', run: deps.tidyItems },
    { name: 'resume-workspaces', cron: '*/10 * * * *', run: resumeWorkspaces },
    { name: 'look-at-channels', cron: '* * * * *', run: deps.lookAtChannels },
    { name: 'reconcile', cron: '29 * * * *', run: reconcile.reconcileAll, long: true },
    { name: 'keep-links-alive', cron: '41 3 * * *', run: async () => void (await linking.keepAlive()) },
  ];

  /** Ends what is over, and finishes what was interrupted. */
  function sweep(): Promise<void> {
    return eachStep(
      {
        'end mutes': async () => mute.endOver(await tables.lanes.mutedBefore(clock.now())),
        'post digests': postDigests,
        'finish pending': finishPending,
        'finish replacements': reconcile.repairInterrupted,
        'release ended': releaseEnded,
      },
      deps,
    );
  }

  function tidy(): Promise<void> {
    const ago = (milliseconds: number) => new Date(clock.now().getTime() - milliseconds);
    return eachStep(
      {
        'clean attempts': linking.cleanAttempts,
        'forget requests': () => seenRequests.forget(ago(dayMs)),
        'forget tries': () => commandTries.forget(ago(dayMs / 24)),
        'sweep records': () => sweepExpired({ pool, now: clock.now() }),
        'tidy events': tidyEvents,
        'remove requests': () => requests.removeOld(ago(30 * dayMs)),
      },
      deps,
    );
  }
}
