import { beforeEach } from 'vitest';

/** Whether a test of the file that is running has failed so far. The files of one worker share this module. */
let failed = false;

/** Called once for each file, before its tests. */
export function noticeFailures(): void {
  failed = false;
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
