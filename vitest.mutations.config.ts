import { defineConfig } from 'vitest/config';
import config from './vitest.unit.config.ts';

/** The tests of the code that Stryker mutates, except those with thousands of random texts, which would take hours. */
export default defineConfig({
  test: {
    ...config.test,
    include: [
      'test/core/model/**/*.test.ts',
      'test/core/delivering/what-changed.test.ts',
      'test/messages/activity/{activity,grouping}.test.ts',
      'test/messages/text/{copy,escape,phrase}.test.ts',
      'test/slack/grammar/{corrections,help-entries,parse-command,parse-fields}.test.ts',
    ],
    isolate: false,
    maxWorkers: 1,
  },
});
