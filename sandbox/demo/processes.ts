import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** Returns whether a process with this id is running or, with a negative id, any process of that group. */
export function isRunning(pid: number): boolean {
  if (!Number.isInteger(pid) || pid === 0) return false;
  try {
    return process.kill(pid, 0) && !isDead(pid);
  } catch (error) {
    // EPERM: the process exists but belongs to another user.
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}

/** In a container, an ended process can stay in the list forever if nothing collects its exit code. */
function isDead(pid: number): boolean {
  try {
    return /\) [ZX] /.test(readFileSync(`/proc/${pid}/stat`, 'utf8'));
  } catch {
    // Only Linux has this file.
    return false;
  }
}

/** Lists every process whose command line can be read: its id, and its program with arguments. */
export async function runningProcesses(): Promise<{ pid: number; commandLine: string }[]> {
  const { stdout } = await run('ps', ['-A', '-ww', '-o', 'pid=,args='], { maxBuffer: 64 * 1024 * 1024 });
  return stdout.split('\n').flatMap((line) => {
    const [, pid, commandLine = ''] = /^\s*(\d+)\s+(.*)$/.exec(line) ?? [];
    return pid === undefined ? [] : [{ pid: Number(pid), commandLine }];
  });
}

/** Sends a signal to a process or, with a negative id, to a group; does nothing if it has ended. */
export function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name);
  } catch {
    // It has ended in the meantime.
  }
}

/**
 * Resolves when the process or, with a negative id, the group has ended.
 * @param withinMs the timeout
 * @returns false if it is still running then
 */
export async function isGoneWithin(pid: number, withinMs: number): Promise<boolean> {
  const deadline = performance.now() + withinMs;
  while (isRunning(pid)) {
    if (performance.now() > deadline) return false;
    await sleep(20);
  }
  return true;
}
