import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { nextMessage } from '../stage/child.ts';
import { startFlags } from '../stage/start-flags.ts';
import type { MemoryReport } from './report-memory.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));
const endWithParent = new URL('../../sandbox/demo/end-with-parent.ts', import.meta.url).href;
const reportMemory = new URL('./report-memory.ts', import.meta.url).href;
const readyWithinMs = 90_000;

/** One of the bots that share the load: it is repeatedly ended and restarted on the same port. */
export type SoakBot = {
  readonly name: string;
  readonly address: string;
  /** Starts it and waits until it is ready. */
  readonly start: () => Promise<void>;
  /** Ends it. Returns its exit code (null if the signal ended it) and how long that took. */
  readonly end: (signal: 'SIGKILL' | 'SIGTERM') => Promise<{ code: number | null; ms: number }>;
  /** Collects its garbage and returns its memory after that; null if it is not running. */
  readonly memory: () => Promise<MemoryReport | null>;
  /** Returns when the current process was started, in epoch milliseconds; null if none is running. */
  readonly since: () => number | null;
  /** Returns how often it has ended without being asked to. */
  readonly fell: () => number;
};

export type SoakBotOptions = {
  readonly name: string;
  readonly port: number;
  readonly env: Readonly<Record<string, string>>;
  /** The file for its output. */
  readonly logFile: string;
};

/** Creates a bot without starting it. */
export function makeSoakBot({ name, port, env, logFile }: SoakBotOptions): SoakBot {
  const address = `http://127.0.0.1:${port}`;
  let running: { child: ChildProcess; since: number } | null = null;
  let fell = 0;

  async function start(): Promise<void> {
    // In its own process group, so that a Ctrl-C in the terminal does not reach it.
    const preloads = ['--import', endWithParent, '--import', reportMemory];
    const child = spawn(process.execPath, [...startFlags, ...preloads, 'src/main.ts'], {
      cwd: root,
      env: { HOST: '127.0.0.1', PORT: String(port), LOG_LEVEL: 'warn', ...env },
      stdio: ['pipe', 'pipe', 'pipe', 'ipc'],
      detached: true,
    });
    const log = createWriteStream(logFile, { flags: 'a' });
    child.stdout?.pipe(log, { end: false });
    child.stderr?.pipe(log, { end: false });
    child.stdin?.on('error', () => undefined);
    const current = { child, since: Date.now() };
    running = current;
    child.once('exit', () => {
      log.end();
      if (running !== current) return;
      fell += 1;
      running = null;
    });
    await ready(child);
  }

  async function ready(child: ChildProcess): Promise<void> {
    const deadline = Date.now() + readyWithinMs;
    while (Date.now() < deadline) {
      if (child.exitCode !== null) throw new Error(`${name} ended with ${child.exitCode}: see ${logFile}`);
      const answer = await fetch(`${address}/readyz`).catch(() => null);
      await answer?.body?.cancel();
      if (answer?.status === 200) return;
      await sleep(100);
    }
    throw new Error(`${name} was not ready in time: see ${logFile}`);
  }

  return {
    name,
    address,
    start,
    async end(signal) {
      const began = Date.now();
      const child = running?.child;
      running = null;
      if (!child || child.exitCode !== null || child.signalCode !== null) return { code: null, ms: 0 };
      const gone = once(child, 'exit');
      child.kill(signal);
      await gone;
      return { code: child.exitCode, ms: Date.now() - began };
    },
    async memory() {
      const child = running?.child;
      if (!child?.connected) return null;
      const report = nextMessage<MemoryReport>(child).catch(() => null);
      child.send('report', () => undefined);
      return report;
    },
    since: () => running?.since ?? null,
    fell: () => fell,
  };
}
