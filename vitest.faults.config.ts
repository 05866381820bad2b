import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';
import config from './vitest.config.ts';

/** Kills, outages and races: these take minutes, so they are separate from the tests for every change. */
export default defineConfig({
  test: {
    ...config.test,
    include: ['test/faults/**/*.test.ts', 'test/**/*.slow.test.ts'],
    exclude: ['test/**/*.long.test.ts'],
    // Fewer workers than for the quick tests: these start processes of their own and check response times.
    maxWorkers: availableParallelism() + 1,
    testTimeout: 120_000,
  },
});
