import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdtemp, readdir } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const root = fileURLToPath(new URL('../../../', import.meta.url));

/** A demo as a person starts it in a terminal. */
export type DemoProcess = {
  /** URL of the page. */
  readonly url: string;
  /** Returns its output so far. */
  readonly said: () => string;
  /** Folder for temporary files of the demo and its child processes. */
  readonly temporary: string;
  /** Returns the ids of the processes that belong to it now: its own, the bot's, the database's. */
  readonly family: () => Promise<number[]>;
  /** Returns the names of what it has put into the temporary folder. */
  readonly leftBehind: () => Promise<string[]>;
  /** Sends a signal and waits for the end. Returns the exit code; null if the signal itself ended it. */
  readonly end: (signal: NodeJS.Signals) => Promise<number | null>;
};

type Options = {
  /** Folder of an earlier demo, to be used again. */
  readonly temporary?: string | undefined;
  /** Starts it as npm does: below a shell, which then gets the signals. */
  readonly likeNpm?: boolean | undefined;
};

/** Starts the demo and waits until it prints its URL. */
export async function startDemoProcess({ temporary, likeNpm = false }: Options = {}): Promise<DemoProcess> {
  const folder = temporary ?? (await mkdtemp(join(tmpdir(), 'demo-test-')));
  // Started as root, the bot runs its database as another user, who needs access to the folder.
  await chmod(folder, 0o755);
  const [program, ...args] = likeNpm
    ? ['/bin/sh', '-c', `"${process.execPath}" sandbox/demo.ts; :`]
    : [process.execPath, 'sandbox/demo.ts'];
  const child = spawn(program, args, {
    cwd: root,
    env: { PATH: process.env.PATH, TMPDIR: folder, ...(likeNpm && { npm_lifecycle_event: 'demo' }) },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const closed = once(child, 'close');
  let said = '';
  const hear = (chunk: Buffer): void => {
    said += chunk.toString();
  };
  child.stdout.on('data', hear);
  child.stderr.on('data', hear);
  const url = await new Promise<string>((resolve, reject) => {
    const look = (): void => {
      const found = /http:\/\/\S+/.exec(said)?.[0];
      if (found !== undefined) resolve(found);
    };
    child.stdout.on('data', look);
    closed.then(() => reject(new Error(`the demo has ended: ${said}`)), reject);
  });
  return {
    url,
    said: () => said,
    temporary: folder,
    family: () => familyOf(child.pid ?? 0, folder),
    leftBehind: () => readdir(folder),
    async end(signal) {
      if (child.exitCode === null && child.signalCode === null) child.kill(signal);
      await closed;
      return child.exitCode;
    },
  };
}

/** Returns a process, those that work in a folder, such as a database's server, which is nobody's child, and all their descendants. */
async function familyOf(eldest: number, folder: string): Promise<number[]> {
  const { stdout } = await promisify(execFile)('ps', ['-A', '-ww', '-o', 'pid=,ppid=,args=']);
  const all = stdout.split('\n').map((line) => {
    const [pid, ppid, ...args] = line.trim().split(/\s+/);
    return { pid: Number(pid), ppid: Number(ppid), isThere: args.join(' ').includes(folder) };
  });
  const below = (parent: number): number[] =>
    all.flatMap(({ pid, ppid }) => (ppid === parent ? [pid, ...below(pid)] : []));
  const roots = [eldest, ...all.filter(({ isThere }) => isThere).map(({ pid }) => pid)];
  return [...new Set(roots.flatMap((root) => [root, ...below(root)]))];
}
