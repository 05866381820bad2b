import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { isGoneWithin, signal } from './processes.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));
const preloads = ['./end-with-parent.ts', './turn-bot-clock.ts', './open-practice-slack.ts'].flatMap(
  (name) => ['--import', new URL(name, import.meta.url).href],
);

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
  /** Kills it, and nothing else: its database runs on. Resolves when it is gone. */
  readonly kill: () => Promise<void>;
  /** Turns its clocks ahead of the machine's by so many milliseconds, in all. */
  readonly turnClock: (ahead: number) => void;
  /** The last it said. */
  readonly lastLines: () => readonly string[];
};

type BotOptions = {
  /** Its environment variables; of this process's own it gets none but where programs and temporary files are. */
  readonly settings: Readonly<Record<string, string>>;
  /** Where all that it says is written. */
  readonly logFile: string;
  /** By how many milliseconds its clocks are ahead of the machine's at the start. */
  readonly ahead: number;
};

/** Starts the real bot as a process of its own. */
export function startBot({ settings, logFile, ahead }: BotOptions): BotProcess {
  const { PATH = '', TMPDIR } = process.env;
  const child = spawn(process.execPath, [...preloads, 'src/main.ts'], {
    cwd: root,
    env: {
      PATH,
      ...(TMPDIR === undefined ? {} : { TMPDIR }),
      ...settings,
      PRACTICE_CLOCK_AHEAD: String(ahead),
    },
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
  const log = createWriteStream(logFile, { flags: 'a' });
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
    async kill() {
      if (child.pid === undefined) return;
      signal(child.pid, 'SIGKILL');
      await ended;
    },
    turnClock: (ahead) => void child.stdin.write(`${ahead}\n`),
    lastLines: () => [...said, ...complaints].slice(-keptLines),
  };
}
