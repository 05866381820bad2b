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
  /** Of the page. */
  readonly url: string;
  /** All it has said so far. */
  readonly said: () => string;
  /** Where it and what it starts keep what is temporary. */
  readonly temporary: string;
  /** The ids of the processes that belong to it now: its own, the bot's, the database's. */
  readonly family: () => Promise<number[]>;
  /** Names of what it has put among what is temporary. */
  readonly leftBehind: () => Promise<string[]>;
  /** Sends a signal and waits for the end. Gives the exit code, null where the signal itself ended it. */
  readonly end: (signal: NodeJS.Signals) => Promise<number | null>;
};

type Options = {
  /** A folder of an earlier demo, to be used again. */
  readonly temporary?: string | undefined;
  /** Starts it as npm does: below a shell, which is then the one that gets the signals. */
  readonly likeNpm?: boolean | undefined;
};

/** Starts the demo and waits for its address. */
export async function startDemoProcess({ temporary, likeNpm = false }: Options = {}): Promise<DemoProcess> {
  const folder = temporary ?? (await mkdtemp(join(tmpdir(), 'demo-test-')));
  // Started as root, the bot runs its database as another user, who must be able to pass through.
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
    closed.then(() => reject(new Error(`The demo has ended: ${said}`)), reject);
  });
  return {
    url,
    said: () => said,
    temporary: folder,
    family: () => familyOf(child.pid ?? 0),
    leftBehind: () => readdir(folder),
    async end(signal) {
      if (child.exitCode === null && child.signalCode === null) child.kill(signal);
      await closed;
      return child.exitCode;
    },
  };
}

/** A process and all that come from it. */
async function familyOf(eldest: number): Promise<number[]> {
  const { stdout } = await promisify(execFile)('ps', ['-A', '-o', 'pid=,ppid=']);
  const pairs = stdout.split('\n').map((line) => line.trim().split(/\s+/).map(Number));
  const below = (parent: number): number[] =>
    pairs.flatMap(([pid = 0, ppid]) => (ppid === parent ? [pid, ...below(pid)] : []));
  return [eldest, ...below(eldest)];
}
