import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

/** What `embedded-bot.ts` printed: that it runs, or why not. */
export type BotAnswer = {
  readonly url?: string | undefined;
  readonly ms?: number | undefined;
  readonly said?: readonly string[] | undefined;
  readonly refused?: string | undefined;
  readonly message?: string | undefined;
};

export type BotProcess = {
  readonly pid: number;
  /** Its first line; rejects with its stderr if it ended without one. */
  readonly answer: Promise<BotAnswer>;
  readonly kill: () => Promise<void>;
  /** Sends SIGTERM; returns the exit code. */
  readonly end: () => Promise<number | null>;
};

type BotOptions = {
  readonly dataDir: string;
  readonly homes?: readonly string[] | undefined;
  /** Runs it as another user; only possible if the test runs as root. */
  readonly user?: { readonly uid: number; readonly gid: number } | undefined;
  /** Another copy of the program. */
  readonly program?: string | undefined;
};

const ownProgram = fileURLToPath(new URL('./embedded-bot.ts', import.meta.url));

/** Starts a bot with an embedded database in a process of its own. */
export function startBotProcess({ user, program = ownProgram, ...options }: BotOptions): BotProcess {
  const command = [process.execPath, program, JSON.stringify(options)];
  const [file = '', ...args] = command;
  const child = spawn(file, args, { stdio: ['ignore', 'pipe', 'pipe'], cwd: '/', ...user });
  const closed = once(child, 'close');
  let output = '';
  let errors = '';
  child.stderr.on('data', (chunk) => {
    errors += String(chunk);
  });
  const answer = new Promise<BotAnswer>((resolve, reject) => {
    child.on('error', reject);
    child.stdout.on('data', (chunk) => {
      output += String(chunk);
      if (output.includes('\n')) resolve(JSON.parse(output.slice(0, output.indexOf('\n'))));
    });
    closed.then(() => reject(new Error(`the bot ended: ${errors}`)), reject);
  });
  // A test that kills the bot may never read its answer.
  answer.catch(() => undefined);
  const endWith = async (signal: NodeJS.Signals): Promise<number | null> => {
    if (child.exitCode === null && child.signalCode === null) child.kill(signal);
    await closed;
    return child.exitCode;
  };
  return {
    pid: child.pid ?? 0,
    answer,
    kill: async () => {
      await endWith('SIGKILL');
    },
    end: () => endWith('SIGTERM'),
  };
}
