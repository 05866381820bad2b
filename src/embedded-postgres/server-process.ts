import { readFile } from 'node:fs/promises';
import { basename } from 'node:path';
import { codeOf } from '../lib/error-code.ts';
import { runProgram } from './run-program.ts';

/**
 * Whether the process is a running Postgres server on `folder`. A zombie does not count; it has no command line. (A server stays a zombie
 * if nobody waits for it: process 1 of a container may be the bot, which does not wait for processes that pg_ctl started.)
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
    // No /proc (macOS), or the process has ended. `ps` does not separate arguments, but ours come first.
    const line = await runProgram('ps', ['-o', 'command=', '-p', String(pid)]).catch(() => '');
    const [, program = '', folder = ''] = /^(\S*) -D (.*?) -c /.exec(line) ?? [];
    return [program, folder];
  }
}

/** Whether there is a process with this pid, of any user. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return codeOf(error) === 'EPERM';
  }
}
