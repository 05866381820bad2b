import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';
import { WaitingFirst } from './test/support/waiting-first.ts';

/** What runs without `--project`. Stryker cannot pass that option, so its script sets the variable. */
const usual = { project: [process.env.TEST_PROJECT ?? 'default'] };

const withPostgres = { globalSetup: ['test/support/global-setup.ts'] };
/** Properties with random cases, of which the quick tests try a tenth; see test/support/many-runs.ts. */
const properties = [
  'test/core/model/{digest-hours,glob,quiet-hours}.test.ts',
  'test/core/subscribing/brief.test.ts',
  'test/messages/text/{escape,limits}.test.ts',
  'test/slack/grammar/grammar-properties.test.ts',
];
const whatChanged = 'test/core/delivering/what-changed.test.ts';

export default defineConfig({
  test: {
    ...usual,
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
    projects: [
      {
        // Everything that does not take minutes: `npm test`.
        test: {
          ...withPostgres,
          name: 'default',
          include: ['test/**/*.test.ts'],
          exclude: ['test/faults/**', 'test/failover/**', 'test/**/*.{slow,long,ci}.test.ts'],
        },
      },
      {
        // What takes longest of the quick tests and seldom breaks, such as pages in Chromium: `.ci/run` runs it after `npm test`.
        test: {
          ...withPostgres,
          name: 'ci',
          include: ['test/**/*.ci.test.ts'],
        },
      },
      {
        // Only pure code, without a database, a server or a process: takes seconds, to run while writing.
        test: {
          name: 'unit',
          include: [
            'test/core/model/**/*.test.ts',
            'test/core/receiving/key-signatures.test.ts',
            whatChanged,
            'test/env.test.ts',
            'test/guards/{deploy,docs,lock,manifest,rooms,settings}.test.ts',
            'test/manifest/build-manifest.test.ts',
            'test/messages/**/*.test.ts',
            'test/service/{documented,notifications,resources}.test.ts',
            'test/slack/{grammar,views}/**/*.test.ts',
          ],
          exclude: ['test/**/*.slow.test.ts'],
        },
      },
      {
        // Kills, outages and races. They take minutes, so they do not run with every change.
        test: {
          ...withPostgres,
          name: 'faults',
          include: ['test/faults/**/*.test.ts', 'test/**/*.slow.test.ts', ...properties],
          env: { ALL_RUNS: 'yes' },
          exclude: ['test/**/*.long.test.ts'],
          // Fewer than for the quick tests, because these start processes of their own and limit how long an answer may take.
          maxWorkers: availableParallelism() + 1,
          testTimeout: 120_000,
          // Dropping a database waits for a checkpoint, and these databases are on a disk that others write to.
          hookTimeout: 120_000,
        },
      },
      {
        // Whole matrices and hundreds of thousands of requests: each takes longer than all other fault tests together should.
        test: {
          ...withPostgres,
          name: 'long',
          include: ['test/**/*.long.test.ts'],
          maxWorkers: availableParallelism() + 1,
          testTimeout: 120_000,
        },
      },
      {
        // Failover of a Postgres cluster with three servers. Starts its own servers, with programs that `npm ci` does not install.
        test: {
          name: 'failover',
          include: ['test/failover/**/*.test.ts'],
          testTimeout: 240_000,
          hookTimeout: 240_000,
        },
      },
      {
        // The tests of the code that Stryker mutates, except those with thousands of random texts, which would take hours.
        test: {
          name: 'mutations',
          include: [
            'test/core/model/**/*.test.ts',
            'test/core/receiving/key-signatures.test.ts',
            whatChanged,
            'test/messages/activity/{activity,grouping}.test.ts',
            'test/messages/text/{copy,escape,phrase}.test.ts',
            'test/slack/grammar/{help,lines,parse-command}.test.ts',
          ],
          exclude: ['test/**/*.slow.test.ts'],
          maxWorkers: 1,
        },
      },
    ],
  },
});
