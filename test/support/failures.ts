import { beforeEach } from 'vitest';

/** Whether a test of this file has failed so far. Each file has this module of its own. */
let failed = false;

/** Called once for each file, before its tests. */
export function noticeFailures(): void {
  beforeEach(({ onTestFailed }) => {
    onTestFailed(() => {
      failed = true;
    });
  });
}

/** Whether a test of the file that asks has failed so far. */
export function someTestFailed(): boolean {
  return failed;
}
