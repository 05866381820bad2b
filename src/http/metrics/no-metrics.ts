import type { Metrics } from './metrics.ts';

/** For a process whose metrics nobody can ask for. */
export const noMetrics: Metrics = {
  notification() {},
  accepted() {},
  settled() {},
  post() {},
  statement() {},
  taken() {},
  refresh() {},
  text: async () => '',
  contentType: 'text/plain; version=0.0.4; charset=utf-8',
};
