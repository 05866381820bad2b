import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** Folders and files with tests that mostly wait, for processes and for Slack's second between two posts. All other tests mostly compute. */
const waiting = /\/test\/(?:journeys|contract|core|guards\/start|http|slack\/installing)\b/;

/**
 * Starts files that wait before files that compute, so that no long file runs alone at the end. Vitest orders files by what it remembers of
 * earlier runs, and a fresh clone remembers none.
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
