import { defineConfig } from 'vitest/config';
import config from './vitest.faults.config.ts';

/** Whole matrices and hundred thousands of requests: more minutes each than all other faults together should take. */
export default defineConfig({
  test: { ...config.test, include: ['test/**/*.long.test.ts'], exclude: [] },
});
