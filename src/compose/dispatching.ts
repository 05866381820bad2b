import { randomBytes } from 'node:crypto';
import type { Logger } from 'pino';
import type { Clock } from '../core/model/clock.ts';
import type { Channel } from '../core/model/people.ts';
import type { Metrics } from '../http/metrics/metrics.ts';
import { startDispatch } from '../jobs/dispatch.ts';
import { makeInBatches } from '../lib/in-batches.ts';
import type { Connection } from '../store/database.ts';
import { listenForLanes, signalLanes } from '../store/lane-signals.ts';
import type { composeDelivering } from './delivering.ts';
import type { StoreRoom } from './store.ts';

/** Processes signal waiting lanes to each other no more often than this. */
const betweenSignalsMs = 10;
/** Of more lanes at once it is only said that there are some. */
const lanesSignaled = 1_000;

type DispatchingDeps = {
  /** Whether this process posts; one that does not signals lanes to those that do. */
  readonly works: boolean;
  readonly connection: Connection;
  readonly store: Pick<StoreRoom, 'db'>;
  readonly delivering: Pick<ReturnType<typeof composeDelivering>, 'queue' | 'deliver'>;
  readonly metrics: Metrics;
  /** Called each time the database has answered, before any lane has a turn for that. */
  readonly answered: () => Promise<void>;
  readonly clock: Clock;
  readonly log: Logger;
};

/** What gives lanes their turns, here or in another process. */
export function composeDispatching(deps: DispatchingDeps) {
  const { works, connection, store, delivering, metrics, answered, clock, log } = deps;
  if (!works) return { wake: signalOthers(), lag: () => 0, stop: async () => {} };
  const dispatch = startDispatch({
    queue: delivering.queue,
    deliver: delivering.deliver,
    processId: randomBytes(9).toString('base64url'),
    now: () => clock.now(),
    answered,
    noted: metrics.taken,
    log,
  });
  const listener = listenForLanes({
    connection,
    log,
    onSignal: (lanes) => (lanes === null ? dispatch.wakeAll() : dispatch.wake(lanes)),
  });
  return {
    wake: dispatch.wake,
    lag: dispatch.lag,
    async stop(): Promise<void> {
      await dispatch.stop();
      await listener.close();
    },
  };

  /** Has the processes that post look at lanes. What no signal reaches them of, they find by themselves. */
  function signalOthers(): (lanes: readonly Channel[]) => void {
    const signal = makeInBatches<readonly Channel[]>({
      gapMs: betweenSignalsMs,
      most: lanesSignaled,
      run: async (lanes) => {
        await signalLanes(store.db, lanes.flat());
        return new Set(lanes);
      },
    });
    return (lanes) => {
      signal(lanes).catch((error: unknown) =>
        log.warn({ err: error }, 'other processes were not signaled that events wait'),
      );
    };
  }
}
