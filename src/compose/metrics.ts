import type { Metrics } from '../http/metrics/metrics.ts';
import { openMetrics } from '../http/metrics/open-metrics.ts';
import { backlog } from '../store/tables/events.ts';
import { uncheckedSince } from '../store/tables/links.ts';
import { countUnsettled } from '../store/tables/remotes.ts';
import type { Foundation } from './compose.ts';

/** Opens the metrics of this process, with what they read in the database. */
export function composeMetrics({ env, database, clock }: Foundation): Promise<Metrics> {
  return openMetrics({
    isServed: env.metrics !== undefined,
    backlog: async () => ({
      ...(await backlog(database.db)),
      unsettled: await countUnsettled(database.db),
      uncheckedSince: await uncheckedSince(database.db, clock.now()),
    }),
    clock,
  });
}
