import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { isGoneWithin, signal } from './processes.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));
/** The first one is the bot's own, as in `npm start`: the others are then taken from the cache of compiled code. */
const preloads = [
  '../../src/compile-cache.js',
  './end-with-parent.ts',
  './turn-bot-clock.ts',
  './open-practice-slack.ts',
].flatMap((name) => ['--import', new URL(name, import.meta.url).href]);

/** A stop that takes longer, in milliseconds, is cut short. */
const stopWithinMs = 10_000;
/** How long a killed process group can take to disappear, in milliseconds. */
const groupWithinMs = 1_000;
/** How many of the bot's last log lines are kept in case it ends. */
const keptLines = 30;

export type BotProcess = {
  /** Resolves when the bot has ended, with one sentence that says how. */
  readonly ended: Promise<string>;
  /** Ends it as Ctrl-C does, without draining requests. Resolves when it is gone. */
  readonly stop: () => Promise<void>;
  /** Kills only the bot: its database keeps running. Resolves when it is gone. */
  readonly kill: () => Promise<void>;
  /** Sets its clocks this many milliseconds ahead of the machine's (an absolute offset). */
  readonly turnClock: (ahead: number) => void;
  /** Its last log lines. */
  readonly lastLines: () => readonly string[];
};

type BotOptions = {
  /** Its environment variables; from this process it inherits only the paths of programs, temporary files and the home folder. */
  readonly settings: Readonly<Record<string, string>>;
  /** The file for all of its output. */
  readonly logFile: string;
  /** Milliseconds its clocks are ahead of the machine's at the start. */
  readonly ahead: number;
};

/** Starts the real bot as a process of its own. */
export function startBot({ settings, logFile, ahead }: BotOptions): BotProcess {
  const { PATH = '', TMPDIR, HOME } = process.env;
  const child = spawn(process.execPath, [...preloads, 'src/main.ts'], {
    cwd: root,
    env: {
      PATH,
      ...(TMPDIR !== undefined && { TMPDIR }),
      // Compiled code is kept there.
      ...(HOME !== undefined && { HOME }),
      ...settings,
      PRACTICE_CLOCK_AHEAD: String(ahead),
    },
    stdio: ['pipe', 'pipe', 'pipe'],
    // In its own process group, so that a Ctrl-C in the terminal reaches it once, through us.
    detached: true,
  });
  const said: string[] = [];
  const complaints: string[] = [];
  const keep = (lines: string[]) => (chunk: Buffer) => {
    lines.push(...chunk.toString().split('\n').filter(Boolean));
    lines.splice(0, lines.length - keptLines);
  };
  const log = createWriteStream(logFile, { flags: 'a' });
  // A failing log must not end the demo: the folder may just have been removed.
  log.on('error', () => undefined);
  child.stdout.pipe(log);
  child.stdout.on('data', keep(said));
  child.stderr.on('data', keep(complaints));
  // Fails if the bot has already ended, which does not matter.
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
      // The whole group: it may be running a program, such as the one that creates a database.
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
