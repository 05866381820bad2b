import { writeSync } from 'node:fs';

/** How often to retry a line when the reader of a pipe is slow, and the wait between tries in milliseconds. */
const patience = { tries: 20, ms: 5 };

/**
 * Returns a function that writes lines to a file descriptor. Lines that cannot be written (the reader is gone, the disk is full) are
 * dropped, counted, and reported once writing works again. Nothing is buffered and nothing is thrown: the bot must not stop because nobody
 * reads its log.
 */
export function makeLineWriter(fd = 1): (line: string) => void {
  let lost = 0;
  const pause = new Int32Array(new SharedArrayBuffer(4));

  const tryWrite = (line: string, tries: number): boolean => {
    let rest = Buffer.from(line);
    for (let left = tries; ; ) {
      try {
        rest = rest.subarray(writeSync(fd, rest));
        if (rest.length === 0) return true;
      } catch (error) {
        if (!isBusy(error) || left-- === 0) return false;
        Atomics.wait(pause, 0, 0, patience.ms);
      }
    }
  };

  return (line) => {
    if (lost > 0) {
      // Do not retry for a reader that has not come back.
      const report = {
        level: 'warn',
        time: new Date().toISOString(),
        pid: process.pid,
        msg: `${lost} lines of the log could not be written`,
      };
      if (!tryWrite(`${JSON.stringify(report)}\n`, 0)) {
        lost += 1;
        return;
      }
      lost = 0;
    }
    if (!tryWrite(line, patience.tries)) lost += 1;
  };
}

function isBusy(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'EAGAIN';
}
