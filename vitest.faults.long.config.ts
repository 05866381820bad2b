import { defineConfig } from 'vitest/config';
import config from './vitest.faults.config.ts';

/** Whole matrices and hundreds of thousands of requests: each takes longer than all other fault tests together should. */
export default defineConfig({
  test: { ...config.test, include: ['test/**/*.long.test.ts'], exclude: [] },
});
