import { defineConfig } from 'vitest/config';
import config from './vitest.config.ts';

/** Failover of a Postgres cluster with three servers. Starts its own servers, with programs that `npm ci` does not install. */
export default defineConfig({
  test: {
    ...config.test,
    include: ['test/failover/**/*.test.ts'],
    exclude: [],
    globalSetup: [],
    testTimeout: 240_000,
    hookTimeout: 240_000,
  },
});
