import type { Metrics } from './metrics.ts';

/** Metrics that record nothing, for a process that exports none and does not load the module of those that do. */
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
