import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';
import { WaitingFirst } from './test/support/waiting-first.ts';

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    // Kills, outages, whole matrices: minutes long, so they are `npm run test:faults`.
    exclude: ['test/faults/**', 'test/failover/**', 'test/**/*.slow.test.ts', 'node_modules/**'],
    globalSetup: ['test/support/global-setup.ts'],
    setupFiles: ['test/support/each-file.ts'],
    restoreMocks: true,
    pool: 'forks',
    // Nothing happens at import here, and no module is a singleton: files can share what a worker has loaded, which halves the time.
    isolate: false,
    // Most of the tests' time is waiting: for processes, for Postgres, and for the second between two posts in a channel.
    maxWorkers: availableParallelism() + 3,
    sequence: { sequencer: WaitingFirst },
    testTimeout: 20_000,
    hookTimeout: 30_000,
    expect: { poll: { timeout: 10_000 } },
  },
});
