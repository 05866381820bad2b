import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { isGoneWithin, signal } from './processes.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));
const endWithParent = new URL('./end-with-parent.ts', import.meta.url).href;

/** A stop that takes longer than this is cut short. */
const stopWithinMs = 10_000;
/** What was killed is gone a moment later. */
const groupWithinMs = 1_000;
/** How much of what the bot says is kept for the case that it ends. */
const keptLines = 30;

export type BotProcess = {
  /** Resolves when the bot has ended, with one sentence that says how. */
  readonly ended: Promise<string>;
  /** Ends it as Ctrl-C does, which does not wait for requests to drain. Resolves when it is gone. */
  readonly stop: () => Promise<void>;
  /** The last it said. */
  readonly lastLines: () => readonly string[];
};

/**
 * Starts the real bot as a process of its own.
 * @param settings its environment variables; of this process's own it gets none but where programs and temporary files are
 * @param logFile where all that it says is written
 */
export function startBot(settings: Readonly<Record<string, string>>, logFile: string): BotProcess {
  const { PATH = '', TMPDIR } = process.env;
  const child = spawn(process.execPath, ['--import', endWithParent, 'src/main.ts'], {
    cwd: root,
    env: { PATH, ...(TMPDIR === undefined ? {} : { TMPDIR }), ...settings },
    stdio: ['pipe', 'pipe', 'pipe'],
    // In a group of its own, so that a Ctrl-C in the terminal reaches it once, from us.
    detached: true,
  });
  const said: string[] = [];
  const complaints: string[] = [];
  const keep = (lines: string[]) => (chunk: Buffer) => {
    lines.push(...chunk.toString().split('\n').filter(Boolean));
    lines.splice(0, lines.length - keptLines);
  };
  const log = createWriteStream(logFile);
  // What cannot be written is no reason to end: the folder may just have been removed.
  log.on('error', () => undefined);
  child.stdout.pipe(log);
  child.stdout.on('data', keep(said));
  child.stderr.on('data', keep(complaints));
  // Where the bot is gone already, there is nobody to write to.
  child.stdin.on('error', () => undefined);

  const failed = new Promise<string>((resolve) => {
    child.on('error', (error) => resolve(`The bot could not be started: ${error.message}`));
  });
  const closed = once(child, 'close').then(([code, by]) => {
    const how = code === null ? `was ended by ${String(by)}` : `has ended with exit code ${String(code)}`;
    const why = complaints.find((line) => !/^\(node:|^\(Use /.test(line));
    return `The bot ${how}${why === undefined ? '.' : `: ${why}`}`;
  });
  const ended = Promise.race([failed, closed]);

  return {
    ended,
    async stop() {
      if (child.pid === undefined) return;
      signal(child.pid, 'SIGINT');
      await Promise.race([ended, isGoneWithin(child.pid, stopWithinMs)]);
      // Also what it was just about to run, such as the making of a database.
      signal(-child.pid, 'SIGKILL');
      await ended;
      await isGoneWithin(-child.pid, groupWithinMs);
    },
    lastLines: () => [...said, ...complaints].slice(-keptLines),
  };
}
