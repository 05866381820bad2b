import { randomBytes } from 'node:crypto';
import type { Channel } from '../core/model/people.ts';
import { startDispatch } from '../jobs/dispatch.ts';
import { makeInBatches } from '../lib/in-batches.ts';
import type { Connection } from '../store/database.ts';
import { listenForLanes, signalLanes } from '../store/lane-signals.ts';
import type { Base } from './base.ts';
import type { composeDelivering } from './delivering.ts';

/** Processes signal waiting lanes to each other no more often than this. */
const betweenSignalsMs = 10;
/** Of more lanes at once it is only said that there are some. */
const lanesSignaled = 1_000;

type DispatchingUses = {
  /** Whether this process posts; one that does not signals lanes to those that do. */
  readonly works: boolean;
  readonly connection: Connection;
  readonly delivering: Pick<ReturnType<typeof composeDelivering>, 'queue' | 'deliver'>;
  /** Called each time the database has answered, before any lane has a turn for that. */
  readonly answered: () => Promise<void>;
};

/** What gives lanes their turns, here or in another process. */
export function composeDispatching({ store, metrics, clock, log }: Base, uses: DispatchingUses) {
  const { works, connection, delivering, answered } = uses;
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
