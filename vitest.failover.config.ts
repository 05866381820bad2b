import { defineConfig } from 'vitest/config';
import config from './vitest.config.ts';

/** A Postgres of three servers that fails over. It brings its own servers, and needs programs that `npm ci` does not install. */
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
