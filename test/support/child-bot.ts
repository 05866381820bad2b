import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

/** A bot in a process of its own, as an admin runs it. */
export type ChildBot = {
  readonly publicUrl: string;
  readonly pid: number;
  /** Returns all its output so far. */
  readonly output: () => string;
  /** Sends a signal and waits for the end; returns the exit code, or null if the signal ended it. */
  readonly end: (signal: NodeJS.Signals) => Promise<number | null>;
};

const ownEntry = fileURLToPath(new URL('../../src/main.ts', import.meta.url));
const readyWithinMs = 30_000;

/** Returns a port that was free a moment ago. */
export async function freePort(): Promise<number> {
  const server = createServer();
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  await once(server, 'close');
  return typeof address === 'object' && address !== null ? address.port : 0;
}

/**
 * Starts `node src/main.ts` with only this environment, and waits until it is ready.
 * @param entry the main file of another release
 * @param answers the route that has to answer 200
 * @param flags of Node
 */
export async function startChildBot(
  env: Readonly<Record<string, string>>,
  port: number,
  entry = ownEntry,
  answers: '/readyz' | '/healthz' = '/readyz',
  flags: readonly string[] = [],
): Promise<ChildBot> {
  const publicUrl = `http://127.0.0.1:${port}`;
  const child = spawn(process.execPath, [...flags, entry], {
    env: {
      PATH: process.env.PATH ?? '',
      PUBLIC_URL: publicUrl,
      HOST: '127.0.0.1',
      PORT: String(port),
      ...env,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  child.stdout.on('data', (chunk) => {
    output += chunk;
  });
  child.stderr.on('data', (chunk) => {
    output += chunk;
  });
  await ready(child, `${publicUrl}${answers}`, () => output);
  return {
    publicUrl,
    pid: child.pid ?? 0,
    output: () => output,
    async end(signal) {
      if (child.exitCode !== null || child.signalCode !== null) return child.exitCode;
      const gone = once(child, 'exit');
      child.kill(signal);
      await gone;
      return child.exitCode;
    },
  };
}

async function ready(child: ChildProcess, url: string, output: () => string): Promise<void> {
  const deadline = Date.now() + readyWithinMs;
  while (Date.now() < deadline) {
    if (child.exitCode !== null) throw new Error(`the bot ended with ${child.exitCode}:\n${output()}`);
    const answer = await fetch(url).catch(() => null);
    await answer?.body?.cancel();
    if (answer?.status === 200) return;
    await sleep(50);
  }
  child.kill('SIGKILL');
  throw new Error(`the bot was not ready in time:\n${output()}`);
}
