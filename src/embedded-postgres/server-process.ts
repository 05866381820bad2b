import type { ChildProcess } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { basename } from 'node:path';
import { codeOf } from '../lib/error-code.ts';
import { ProgramError, runProgram } from './run-program.ts';

/** Whether a child of this process is still running. */
export function isRunning(child: ChildProcess | undefined): boolean {
  return child?.pid !== undefined && child.exitCode === null && child.signalCode === null;
}

/**
 * Whether the process is a Postgres server on `folder`. One that has ended is not, also where nobody waits for it and it stays on as
 * a zombie, without a command line (process 1 of a container may be the bot, which does not wait for what it has not started).
 */
export async function isServer(pid: number, folder: string): Promise<boolean> {
  if (!isAlive(pid)) return false;
  const [program = '', ...args] = await commandLine(pid);
  return basename(program) === 'postgres' && args.includes(folder);
}

async function commandLine(pid: number): Promise<string[]> {
  try {
    return (await readFile(`/proc/${pid}/cmdline`, 'utf8')).split('\0');
  } catch {
    // No /proc (macOS), or ended since. `ps` does not say where one argument ends, but ours stand at the beginning.
    const line = await runProgram('ps', ['-o', 'command=', '-p', String(pid)]).catch(ignoreFailure);
    const [, program = '', folder = ''] = /^(\S*) -D (.*?) -c /.exec(line) ?? [];
    return [program, folder];
  }
}

function ignoreFailure(error: unknown): string {
  if (error instanceof ProgramError) return '';
  throw error;
}

/** Whether any process has this pid, of whatever user. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return codeOf(error) === 'EPERM';
  }
}

/** Sends a signal to a process; nothing happens if it has ended. */
export function send(pid: number, name: 'SIGINT' | 'SIGQUIT'): void {
  try {
    process.kill(pid, name);
  } catch (error) {
    if (codeOf(error) !== 'ESRCH') throw error;
  }
}
