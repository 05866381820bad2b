import { spawn } from 'node:child_process';
import { chown, mkdir, open, readdir, readlink } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Account } from '../../src/embedded-postgres/run-program.ts';

/**
 * Simulates a machine: a folder, and every process that works in it or below. Postgres works in its data folder, and child processes
 * inherit the folder, so all processes are found, whichever process started them.
 */
export type Machine = {
  readonly folder: string;
  /** Starts a program on it; its output goes to `log` in the folder. */
  readonly run: (program: string, args: readonly string[]) => Promise<void>;
  /** Whether any process runs on it. */
  readonly isUp: () => Promise<boolean>;
  /** Sends a signal to every process on it. */
  readonly signal: (signal: NodeJS.Signals) => Promise<void>;
  /** Pulls the plug: kills every process on it with -9, and waits until all are gone. */
  readonly kill: () => Promise<void>;
};

const goneWithinMs = 10_000;

/** Creates the folder of a machine, owned by `account` if the programs do not run as the test's own user. */
export async function makeMachine(folder: string, account: Account | undefined): Promise<Machine> {
  await mkdir(folder, { mode: 0o700 });
  if (account) await chown(folder, account.uid, account.gid);
  return {
    folder,
    async run(program, args) {
      const log = await open(join(folder, 'log'), 'a', 0o600);
      try {
        const child = spawn(program, args, {
          cwd: folder,
          env: { PATH: process.env.PATH, HOME: folder, LC_ALL: 'C.UTF-8' },
          stdio: ['ignore', log.fd, log.fd],
          // In a process group of its own: Ctrl-C in a terminal reaches only the test, which then ends all of them.
          detached: true,
          ...account,
        });
        await new Promise((resolve, reject) => {
          child.once('spawn', resolve);
          child.once('error', reject);
        });
      } finally {
        await log.close();
      }
    },
    isUp: async () => (await processesIn(folder)).length > 0,
    signal: (signal) => signalAll(folder, signal),
    kill: () => killAll(folder),
  };
}

/** Kills with -9 every process that works in a folder or below, and waits until they are gone. */
export async function killAll(folder: string): Promise<void> {
  for (const end = Date.now() + goneWithinMs; Date.now() < end; await sleep(20)) {
    const pids = await processesIn(folder);
    if (pids.length === 0) return;
    for (const pid of pids) send(pid, 'SIGKILL');
  }
  throw new Error(`processes in ${folder} do not end`);
}

/** Repeats until no new process is found, because one may be starting another meanwhile. */
async function signalAll(folder: string, signal: NodeJS.Signals): Promise<void> {
  const reached = new Set<number>();
  for (;;) {
    const fresh = (await processesIn(folder)).filter((pid) => !reached.has(pid));
    if (fresh.length === 0) return;
    for (const pid of fresh) {
      reached.add(pid);
      send(pid, signal);
    }
  }
}

/** Returns the ids of processes whose working directory is the folder or below it. A zombie has no working directory. */
async function processesIn(folder: string): Promise<number[]> {
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name));
  const found = await Promise.all(
    pids.map(async (pid) => {
      const cwd = await readlink(`/proc/${pid}/cwd`).catch(() => '');
      return cwd === folder || cwd.startsWith(`${folder}/`) ? [Number(pid)] : [];
    }),
  );
  return found.flat();
}

function send(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch {
    // The process has exited meanwhile.
  }
}
