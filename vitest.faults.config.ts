import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';
import config from './vitest.config.ts';

/** Kills, outages and races. They take minutes, so they do not run with every change. */
export default defineConfig({
  test: {
    ...config.test,
    include: ['test/faults/**/*.test.ts', 'test/**/*.slow.test.ts'],
    exclude: ['test/**/*.long.test.ts'],
    // Fewer than for the quick tests, because these start processes of their own and limit how long an answer may take.
    maxWorkers: availableParallelism() + 1,
    testTimeout: 120_000,
  },
});
