import { beforeEach } from 'vitest';

/** Whether a test of the current file has failed so far. All files of one worker share this module. */
let failed = false;

/** Resets the flag and watches for failures; called once for each file, before its tests. */
export function noticeFailures(): void {
  failed = false;
  beforeEach(({ onTestFailed }) => {
    onTestFailed(() => {
      failed = true;
    });
  });
}

/** Returns whether a test of the current file has failed so far. */
export function someTestFailed(): boolean {
  return failed;
}
