import type { Clock } from '../core/clock.ts';
import { forEachRow } from '../core/for-each-row.ts';
import type { Linking } from '../core/linking/linking.ts';
import type { Mute } from '../core/mute.ts';
import type { makeReconcile } from '../core/reconcile.ts';
import type { Chore } from '../jobs/chores.ts';
import type { Log, Queue } from '../jobs/queue.ts';
import { sweepExpired } from '../store/keyv-records.ts';
import type { StoreRoom } from './wire-store.ts';

const dayMs = 24 * 3_600_000;
/** Lanes that one sweep queues again. */
const lanesSwept = 5_000;

type ChoreDeps = {
  readonly store: Pick<StoreRoom, 'pool' | 'tables' | 'seenRequests' | 'requests'>;
  readonly queue: Queue;
  readonly linking: Pick<Linking, 'keepAlive' | 'cleanAttempts'>;
  readonly reconcile: ReturnType<typeof makeReconcile>;
  readonly mute: Pick<Mute, 'endOver'>;
  readonly postDigests: () => Promise<void>;
  readonly finishPending: () => Promise<void>;
  readonly releaseEnded: () => Promise<void>;
  readonly tidyEvents: () => Promise<void>;
  readonly resumeWorkspaces: () => Promise<void>;
  readonly clock: Clock;
  readonly log: Log;
};

/** What comes round by the clock. */
export function wireChores(deps: ChoreDeps): Chore[] {
  const { queue, linking, reconcile, mute, clock, log } = deps;
  const { postDigests, finishPending, releaseEnded, tidyEvents, resumeWorkspaces } = deps;
  const { pool, tables, seenRequests, requests } = deps.store;
  return [
    { name: 'sweep', cron: '* * * * *', run: sweep },
    { name: 'tidy', cron: '17 * * * *', run: tidy },
    { name: 'resume-workspaces', cron: '*/10 * * * *', run: resumeWorkspaces },
    { name: 'reconcile', cron: '29 * * * *', run: reconcile.reconcileAll, long: true },
    { name: 'keep-links-alive', cron: '41 3 * * *', run: async () => void (await linking.keepAlive()) },
  ];

  /** Queues what waits and has no job, ends what is over, and finishes what was cut short. */
  function sweep(): Promise<void> {
    return each('sweep', [
      async () => mute.endOver(await tables.lanes.mutedBefore(clock.now())),
      postDigests,
      async () => queue.addLanes(await tables.events.lanesWaiting(lanesSwept)),
      async () => queue.addLanes(await tables.announcements.lanesWaiting(lanesSwept)),
      finishPending,
      reconcile.mendInterrupted,
      releaseEnded,
    ]);
  }

  function tidy(): Promise<void> {
    return each('tidy', [
      linking.cleanAttempts,
      () => seenRequests.forget(new Date(clock.now().getTime() - dayMs)),
      () => sweepExpired({ pool, now: new Date() }),
      tidyEvents,
      () => requests.removeOld(new Date(clock.now().getTime() - 30 * dayMs)),
    ]);
  }

  /** Takes the steps of a chore in turn; one that fails does not keep those behind it from being taken. */
  function each(chore: string, steps: readonly (() => Promise<unknown>)[]): Promise<void> {
    return forEachRow(
      steps,
      (step) => step(),
      (error) => log.error({ err: error, chore }, 'a step of a chore failed'),
    );
  }
}
