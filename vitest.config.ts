import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    // Minutes long: `npm run test:faults`.
    exclude: ['test/faults/**', 'node_modules/**'],
    globalSetup: ['test/support/global-setup.ts'],
    setupFiles: ['test/support/each-file.ts'],
    restoreMocks: true,
    pool: 'forks',
    // Vitest leaves one core free, which of two is half: much of the tests' time is waiting for processes and Postgres.
    maxWorkers: Math.max(2, availableParallelism() - 1),
    testTimeout: 20_000,
    hookTimeout: 30_000,
    expect: { poll: { timeout: 10_000 } },
    coverage: { provider: 'v8', include: ['src/**/*.ts'] },
  },
});
