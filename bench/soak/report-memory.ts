import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/** The memory of a process right after a full garbage collection, in MiB. */
export type MemoryReport = {
  readonly resident: number;
  /** What the program still refers to: objects of JavaScript, and buffers outside of its heap. A leak shows here first. */
  readonly inUse: number;
  /** The most that was ever resident since its start. */
  readonly peak: number;
};

const mib = 1024 ** 2;
const kibPerMib = 1024;

/**
 * Preloaded into the bots of a soak: answers each message of the parent process with a `MemoryReport`. Without the collection, a leak of some
 * hundred kilobytes an hour would be lost in the garbage, which comes and goes by tens of megabytes.
 */
setFlagsFromString('--expose-gc');
const collect: () => void = runInNewContext('gc');

process.on('message', () => {
  collect();
  const { rss, heapUsed, external } = process.memoryUsage();
  const { maxRSS } = process.resourceUsage();
  const report: MemoryReport = {
    resident: rss / mib,
    inUse: (heapUsed + external) / mib,
    peak: maxRSS / kibPerMib,
  };
  process.send?.(report);
});
// Listening would keep the process running after its last work.
process.channel?.unref();
