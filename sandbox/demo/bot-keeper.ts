import { setTimeout as sleep } from 'node:timers/promises';
import type { BotDatabase, EventRow } from './bot-database.ts';
import { makeDemoFolder, removeLeftovers } from './demo-folder.ts';
import { isPostgresReady } from './end-postgres.ts';
import type { PracticeClock } from './practice-clock.ts';
import type { ProgressKeeper } from './progress.ts';
import { type BotProcess, startBot } from './start-bot.ts';

const pollMs = 50;

/** The bot of one demo, with its embedded database in a folder of its own. */
export type BotKeeper = {
  /** Resolves when the bot's process exists or could not be started. */
  readonly started: Promise<void>;
  /** Kills the bot as `kill -9` does; its database keeps running. Does nothing if the bot is not running. */
  readonly kill: () => Promise<void>;
  /** Starts a killed bot again, on the same database. */
  readonly startAgain: () => void;
  /** Sets the clocks of the bot and its database to the practice clock. */
  readonly turnClock: () => Promise<void>;
  /** Returns its table of events; empty during its first start. */
  readonly events: () => Promise<readonly EventRow[]>;
  /** Ends the bot and removes everything it has written. */
  readonly end: () => Promise<void>;
};

type KeeperOptions = {
  /** The folder for temporary files: `temporaryFolder()`. */
  readonly temporary: string;
  readonly clock: PracticeClock;
  readonly progress: ProgressKeeper;
  /** Called with the bot's last log lines if it ends unexpectedly. */
  readonly onLastWords: (lines: readonly string[]) => void;
  readonly publicUrl: string;
  /** Environment variables of the bot. */
  readonly settings: Readonly<Record<string, string>>;
};

/** Starts the bot in a new folder, in the background. Failures are reported to `progress`, not thrown. */
export function keepBot(options: KeeperOptions): BotKeeper {
  const { temporary, clock, progress, onLastWords, publicUrl, settings } = options;
  const stop = new AbortController();
  let bot: BotProcess | undefined;
  let database: BotDatabase | undefined;
  let killing = Promise.resolve();

  const starting = makeDemoFolder(temporary).then((folder) => {
    run(folder);
    return folder;
  });
  const started = starting.then(() => undefined, fail);
  // The next demo removes what cannot be removed now.
  const tidying = starting.then(() => removeLeftovers(temporary)).catch(() => undefined);

  function fail(error: unknown): void {
    progress.failed(
      `The bot could not be started: ${error instanceof Error ? error.message : String(error)}`,
    );
  }

  function run({ dataDir, logFile }: { dataDir: string; logFile: string }): void {
    if (stop.signal.aborted) return;
    const started = startBot({ settings: { ...settings, DATA_DIR: dataDir }, logFile, ahead: clock.ahead() });
    bot = started;
    void started.ended.then((sentence) => {
      if (stop.signal.aborted || bot !== started) return;
      progress.failed(sentence);
      onLastWords(started.lastLines());
    });
    watchStart(started, dataDir).catch(fail);
  }

  /** Follows the progress of the start from outside, until the bot is ready or has ended. */
  async function watchStart(started: BotProcess, dataDir: string): Promise<void> {
    const over = new AbortController();
    void started.ended.then(() => over.abort());
    const gone = AbortSignal.any([over.signal, stop.signal]);
    // Loaded only now, so that the bot starts earlier.
    const { openBotDatabase } = await import('./bot-database.ts');
    let isListening = false;
    let hasDatabase = false;
    while (!gone.aborted) {
      // Each question takes time from the start it asks about.
      isListening ||= await isWell(`${publicUrl}/healthz`);
      if (isListening) progress.reached('bot');
      hasDatabase ||= await isPostgresReady(dataDir);
      if (hasDatabase) progress.reached('database');
      if (isListening && hasDatabase && (await isWell(`${publicUrl}/readyz`))) {
        database ??= await openBotDatabase(dataDir);
        progress.reached('ready');
        return;
      }
      await sleep(pollMs);
    }
  }

  return {
    started,
    async kill() {
      if (bot === undefined || !progress.current().isReady) return;
      killing = bot.kill();
      bot = undefined;
      progress.killed();
      await killing;
    },
    startAgain() {
      if (!progress.current().isKilled || stop.signal.aborted) return;
      progress.startedAgain();
      void Promise.all([starting, killing]).then(([folder]) => run(folder));
    },
    async turnClock() {
      // The database first: the bot immediately looks for due events by the database's time.
      await database?.turnClock(clock.ahead());
      bot?.turnClock(clock.ahead());
    },
    events: async () => (await database?.events()) ?? [],
    async end() {
      stop.abort();
      const folder = await starting.catch(() => undefined);
      await tidying;
      await database?.close();
      await bot?.stop();
      await folder?.remove();
    },
  };
}

async function isWell(url: string): Promise<boolean> {
  const answer = await fetch(url).catch(() => undefined);
  await answer?.body?.cancel();
  return answer?.ok === true;
}
