import { defineConfig } from 'vitest/config';
import config from './vitest.config.ts';

/** Kills, outages, races and every side of the service: minutes long, so apart from what runs at every change. */
export default defineConfig({
  test: {
    ...config.test,
    include: ['test/faults/**/*.test.ts', 'test/**/*.slow.test.ts'],
    exclude: [],
    testTimeout: 120_000,
  },
});
