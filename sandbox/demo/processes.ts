import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** Whether there is a process with this id, or with a negative one: any in that group. */
export function isRunning(pid: number): boolean {
  if (!Number.isInteger(pid) || pid === 0) return false;
  try {
    return process.kill(pid, 0) && !isDead(pid);
  } catch (error) {
    // EPERM: there is one, but it belongs to another user.
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}

/** In a container, what has ended can stay in the list forever if nothing collects its exit code. */
function isDead(pid: number): boolean {
  try {
    return /\) [ZX] /.test(readFileSync(`/proc/${pid}/stat`, 'utf8'));
  } catch {
    // Only Linux has it here.
    return false;
  }
}

/** Every process of this machine that may be looked at: its id, and its program with its arguments. */
export async function runningProcesses(): Promise<{ pid: number; commandLine: string }[]> {
  const { stdout } = await run('ps', ['-A', '-ww', '-o', 'pid=,args='], { maxBuffer: 64 * 1024 * 1024 });
  return stdout.split('\n').flatMap((line) => {
    const [, pid, commandLine = ''] = /^\s*(\d+)\s+(.*)$/.exec(line) ?? [];
    return pid === undefined ? [] : [{ pid: Number(pid), commandLine }];
  });
}

/** Sends a signal to a process, or with a negative id to a group; nothing happens where there is none any more. */
export function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name);
  } catch {
    // It has ended by itself meanwhile.
  }
}

/**
 * Resolves once the process, or with a negative id the group, is gone.
 * @param withinMs how long that may take
 * @returns false where it is still there then
 */
export async function isGoneWithin(pid: number, withinMs: number): Promise<boolean> {
  const deadline = performance.now() + withinMs;
  while (isRunning(pid)) {
    if (performance.now() > deadline) return false;
    await sleep(20);
  }
  return true;
}
