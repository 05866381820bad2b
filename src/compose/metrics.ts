import type { Clock } from '../core/model/clock.ts';
import type { Env } from '../env.ts';
import type { Metrics } from '../http/metrics/metrics.ts';
import { noMetrics } from '../http/metrics/no-metrics.ts';
import type { StoreRoom } from './store.ts';

type MetricsRoomDeps = {
  readonly env: Pick<Env, 'metrics'>;
  readonly tables: Pick<StoreRoom['tables'], 'events'>;
  readonly dispatchLag: () => number;
  readonly clock: Clock;
};

/** Composes the metrics of this process. Without a port to serve them, none are kept and their module is not loaded. */
export async function composeMetrics({ env, tables, dispatchLag, clock }: MetricsRoomDeps): Promise<Metrics> {
  if (env.metrics === undefined) return noMetrics;
  const { makeMetrics } = await import('../http/metrics/metrics.ts');
  return makeMetrics({
    backlog: tables.events.backlog,
    now: () => clock.now(),
    monotonic: () => performance.now(),
    dispatchLag,
    ofProcess: true,
  });
}
