import type { Clock } from '../../lib/durations.ts';
import type { Metrics, MetricsDeps } from './metrics.ts';

/** Metrics that record nothing, for a process that exports none. */
export const noMetrics: Metrics = {
  notification() {},
  accepted() {},
  settled() {},
  givenBack() {},
  post() {},
  refresh() {},
  text: async () => '',
  contentType: 'text/plain; version=0.0.4; charset=utf-8',
};

/** Opens the metrics of this process. Unless they are served, none are kept and their module is not loaded. */
export async function openMetrics({
  isServed,
  backlog,
  clock,
}: Pick<MetricsDeps, 'backlog'> & { readonly isServed: boolean; readonly clock: Clock }): Promise<Metrics> {
  if (!isServed) return noMetrics;
  const { makeMetrics } = await import('./metrics.ts');
  const [now, monotonic] = [() => clock.now(), () => performance.now()];
  return makeMetrics({ backlog, now, monotonic, ofProcess: true });
}
