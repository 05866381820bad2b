import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync, openSync } from 'node:fs';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { endChild } from './child.ts';
import { benchTokenKeys, publicUrl } from './keys.ts';
import { startFlags } from './start-flags.ts';
import type { Undo } from './undo.ts';

/** The real bot in its own process. */
export type Bot = {
  readonly port: number;
  readonly pid: number;
  /** Milliseconds from process start to the first 200 of `/readyz`. */
  readonly readyMs: number;
  readonly end: (signal?: NodeJS.Signals) => Promise<void>;
};

export type BotOptions = {
  /** Default: the embedded one in `env.DATA_DIR`. */
  readonly databaseUrl?: string | undefined;
  readonly role: 'web' | 'worker' | 'all';
  readonly slackApiUrl: string;
  readonly env?: Readonly<Record<string, string>> | undefined;
  /** Node's own options, such as `--cpu-prof`. */
  readonly nodeOptions?: readonly string[] | undefined;
};

/** Ends the bot when its pipe to a killed benchmark closes. */
const endWithParent = new URL('../../sandbox/demo/end-with-parent.ts', import.meta.url).href;
const entry = fileURLToPath(new URL('../../src/main.ts', import.meta.url));
const readyWithinMs = 60_000;
const lookEveryMs = 5;

/** Starts `node src/main.ts` as an admin does, with a minimal environment, and waits until it is ready. */
export async function startBot(options: BotOptions, undo: Undo): Promise<Bot> {
  const port = await freePort();
  const folder = await mkdtemp(join(tmpdir(), 'plancast-bench-log-'));
  undo.add(() => rm(folder, { recursive: true, force: true }));
  const logFile = join(folder, 'bot.log');
  const output = openSync(logFile, 'w');
  const started = performance.now();
  const child = spawn(
    process.execPath,
    [...startFlags, ...(options.nodeOptions ?? []), '--import', endWithParent, entry],
    {
      env: environment(options, port),
      stdio: ['pipe', output, output],
    },
  );
  closeSync(output);
  const end = (signal?: NodeJS.Signals): Promise<void> => endChild(child, signal);
  undo.add(() => end());
  await ready(child, port, logFile);
  return { port, pid: child.pid ?? 0, readyMs: performance.now() - started, end };
}

function environment({ databaseUrl, role, slackApiUrl, env }: BotOptions, port: number) {
  return {
    PATH: process.env.PATH ?? '',
    PUBLIC_URL: publicUrl,
    HOST: '127.0.0.1',
    PORT: String(port),
    ...(databaseUrl === undefined ? {} : { DATABASE_URL: databaseUrl, TOKEN_KEYS: benchTokenKeys }),
    ROLE: role,
    SLACK_SIGNING_SECRET: 'bench-signing-secret',
    SLACK_BOT_TOKEN: 'xoxb-bench',
    SLACK_API_URL: slackApiUrl,
    // Nothing listens on the discard port: the service is unreachable, should anything here call it.
    SERVICE_BASE_URL: 'http://127.0.0.1:9',
    SERVICE_AUTH_URL: 'http://127.0.0.1:9',
    SERVICE_CLIENT_ID: 'bench',
    SERVICE_CLIENT_SECRET: 'bench-client-secret',
    ...env,
  };
}

async function ready(child: ChildProcess, port: number, logFile: string): Promise<void> {
  const deadline = performance.now() + readyWithinMs;
  while (performance.now() < deadline && child.exitCode === null) {
    const answer = await fetch(`http://127.0.0.1:${port}/readyz`).catch(() => null);
    await answer?.body?.cancel();
    if (answer?.status === 200) return;
    await sleep(lookEveryMs);
  }
  await endChild(child);
  throw new Error(`the bot did not become ready:\n${await readFile(logFile, 'utf8')}`);
}

/** Returns a port that was free a moment ago. */
async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  return typeof address === 'object' && address !== null ? address.port : 0;
}
