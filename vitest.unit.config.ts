import { defineConfig } from 'vitest/config';
import config from './vitest.config.ts';

/** Only pure code, without a database, a server or a process: takes seconds, to run while writing. `npm test` is the gate. */
export default defineConfig({
  test: {
    ...config.test,
    include: [
      'test/core/model/**/*.test.ts',
      'test/core/delivering/what-changed.test.ts',
      'test/env.test.ts',
      'test/guards/{deploy,docs,lock,manifest,rooms,settings}.test.ts',
      'test/manifest/build-manifest.test.ts',
      'test/messages/**/*.test.ts',
      'test/service/{documented,key-signatures,notifications,resources}.test.ts',
      'test/slack/{grammar,views}/**/*.test.ts',
    ],
    globalSetup: [],
  },
});
