import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';
import { WaitingFirst } from './test/support/waiting-first.ts';

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    // Kills, outages and whole matrices take minutes; `npm run test:faults` runs them.
    exclude: ['test/faults/**', 'test/failover/**', 'test/**/*.slow.test.ts', 'node_modules/**'],
    globalSetup: ['test/support/global-setup.ts'],
    setupFiles: ['test/support/each-file.ts'],
    restoreMocks: true,
    pool: 'forks',
    // No module is a singleton or does anything when imported, so files can share a worker's loaded modules. That halves the time.
    isolate: false,
    // Tests spend most of their time waiting: for processes, for Postgres, and for the second between two posts in a channel.
    maxWorkers: availableParallelism() + 4,
    sequence: { sequencer: WaitingFirst },
    testTimeout: 40_000,
    hookTimeout: 30_000,
    expect: { poll: { timeout: 10_000 } },
  },
});
