import type { Clock } from '../core/clock.ts';
import type { Linking } from '../core/linking/linking.ts';
import type { Mute } from '../core/mute.ts';
import type { makeReconcile } from '../core/reconcile.ts';
import type { Chore } from '../jobs/chores.ts';
import { sweepExpired } from '../store/keyv-records.ts';
import type { StoreRoom } from './wire-store.ts';

const dayMs = 24 * 3_600_000;

type ChoreDeps = {
  readonly store: Pick<StoreRoom, 'pool' | 'tables' | 'seenRequests' | 'requests'>;
  readonly linking: Pick<Linking, 'keepAlive' | 'cleanAttempts'>;
  readonly reconcile: ReturnType<typeof makeReconcile>;
  readonly mute: Pick<Mute, 'endOver'>;
  readonly postDigests: () => Promise<void>;
  readonly finishPending: () => Promise<void>;
  readonly releaseEnded: () => Promise<void>;
  readonly tidyEvents: () => Promise<void>;
  readonly resumeWorkspaces: () => Promise<void>;
  readonly clock: Clock;
};

/** What comes round by the clock. */
export function wireChores(deps: ChoreDeps): Chore[] {
  const { linking, reconcile, mute, clock } = deps;
  const { postDigests, finishPending, releaseEnded, tidyEvents, resumeWorkspaces } = deps;
  const { pool, tables, seenRequests, requests } = deps.store;
  return [
    { name: 'sweep', cron: '* * * * *', run: sweep },
    { name: 'tidy', cron: '17 * * * *', run: tidy },
    { name: 'resume-workspaces', cron: '*/10 * * * *', run: resumeWorkspaces },
    { name: 'reconcile', cron: '29 * * * *', run: reconcile.reconcileAll, long: true },
    { name: 'keep-links-alive', cron: '41 3 * * *', run: async () => void (await linking.keepAlive()) },
  ];

  /** Ends what is over, and finishes what was cut short. */
  async function sweep(): Promise<void> {
    await mute.endOver(await tables.lanes.mutedBefore(clock.now()));
    await postDigests();
    await finishPending();
    await reconcile.mendInterrupted();
    await releaseEnded();
  }

  async function tidy(): Promise<void> {
    await linking.cleanAttempts();
    await seenRequests.forget(new Date(clock.now().getTime() - dayMs));
    await sweepExpired({ pool, now: new Date() });
    await tidyEvents();
    await requests.removeOld(new Date(clock.now().getTime() - 30 * dayMs));
  }
}
