import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** Folders whose tests wait for processes and for Slack's second between two posts. The others only reckon. */
const waiting = /\/test\/(?:journeys|contract|core|http|slack\/installing)\//;

/**
 * Starts the files that wait before those that reckon, so that no long one is alone at the end. Vitest does so by what it remembers of
 * earlier runs, of which a fresh clone has none.
 */
export class WaitingFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    const { first = [], last = [] } = Object.groupBy(sorted, ({ moduleId }) =>
      waiting.test(moduleId) ? 'first' : 'last',
    );
    return [...first, ...last];
  }
}
