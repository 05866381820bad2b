import { randomBytes } from 'node:crypto';
import type { Channel } from '../core/model/people.ts';
import { startDispatch } from '../jobs/dispatch.ts';
import { makeInBatches } from '../lib/in-batches.ts';
import type { Connection } from '../store/database.ts';
import { listenForLanes, signalLanes } from '../store/lane-signals.ts';
import type { Base } from './base.ts';
import type { composeDelivering } from './delivering.ts';

/** The least time between two signals to other processes, in milliseconds. */
const betweenSignalsMs = 10;
/** The most groups of lanes in one signal. If their names are too long for Postgres, it names none of them. */
const groupsPerSignal = 1_000;

type DispatchingUses = {
  /** Whether this process posts; one that does not signals lanes to those that do. */
  readonly works: boolean;
  readonly connection: Connection;
  readonly delivering: Pick<ReturnType<typeof composeDelivering>, 'queue' | 'deliver'>;
  /** Called whenever the database has answered, before the lanes it returned have their turns. */
  readonly answered: () => Promise<void>;
};

/** Composes what runs the turns of lanes, here or in another process. */
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

  /** Signals lanes to the processes that post. Their sweep finds lanes that no signal reached. */
  function signalOthers(): (lanes: readonly Channel[]) => void {
    const signal = makeInBatches<readonly Channel[]>({
      gapMs: betweenSignalsMs,
      most: groupsPerSignal,
      run: async (lanes) => {
        await signalLanes(store.db, lanes.flat());
        return new Set(lanes);
      },
    });
    return (lanes) => {
      signal(lanes).catch((error: unknown) =>
        log.warn({ err: error }, 'could not signal pending lanes to other processes'),
      );
    };
  }
}
