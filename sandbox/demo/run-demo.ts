import type { RequestListener } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import express from 'express';
import { startPracticeService } from '../service/practice-service.ts';
import { startPracticeSlack } from '../slack/practice-slack.ts';
import { makeDemoFolder, removeLeftovers } from './demo-folder.ts';
import { isPostgresReady } from './end-postgres.ts';
import { freePort } from './listen.ts';
import { makeScreen } from './page/screen.ts';
import { pageRoutes } from './page-routes.ts';
import { makePlay } from './play.ts';
import { makeProgress, type Progress, type ProgressKeeper } from './progress.ts';
import { botToken, seedStudio } from './seed.ts';
import { type BotProcess, startBot } from './start-bot.ts';

const signingSecret = 'practice-signing-secret';
const serviceClient = { clientId: 'plancast', clientSecret: 'practice-client-secret' };
const pollMs = 100;

export type Demo = {
  /** Answers the page's requests. */
  readonly listener: RequestListener;
  /** Ends everything that was started, and leaves nothing behind. */
  readonly end: () => Promise<void>;
};

export type DemoOptions = {
  /** A folder for what is temporary: `os.tmpdir()`. */
  readonly temporary: string;
  /** Told of every step of the start, and of a failure. */
  readonly onProgress: (progress: Progress) => void;
  /** Told the last the bot said, when it ends by itself. */
  readonly onLastWords: (lines: readonly string[]) => void;
};

/**
 * Starts the practice Slack and the practice service, and behind the back of whoever waits the real bot with a database of
 * its own. Resolves as soon as there is something to look at.
 */
export async function runDemo({ temporary, onProgress, onLastWords }: DemoOptions): Promise<Demo> {
  const port = await freePort();
  const publicUrl = `http://127.0.0.1:${port}`;
  const listeners = new Set<() => void>();
  const changed = (): void => {
    for (const listener of listeners) listener();
  };
  const progress = makeProgress((now) => {
    onProgress(now);
    changed();
  });
  const slack = await startPracticeSlack({ signingSecret, botRequestUrl: `${publicUrl}/slack/events` });
  const service = await startPracticeService({
    ...serviceClient,
    redirectUris: [`${publicUrl}/oauth/callback`],
  });
  seedStudio(slack);
  const play = makePlay({ slack, service, progress: progress.current, changed });
  const screen = makeScreen();
  progress.reached('practice');

  const stop = new AbortController();
  const starting = startBotWithDatabase({
    temporary,
    progress,
    onLastWords,
    publicUrl,
    stop: stop.signal,
    settings: {
      PUBLIC_URL: publicUrl,
      HOST: '127.0.0.1',
      PORT: String(port),
      SLACK_SIGNING_SECRET: signingSecret,
      SLACK_BOT_TOKEN: botToken,
      SLACK_API_URL: slack.apiUrl,
      SERVICE_NAME: 'the practice service',
      SERVICE_BASE_URL: service.baseUrl,
      SERVICE_AUTH_URL: service.authUrl,
      SERVICE_CLIENT_ID: serviceClient.clientId,
      SERVICE_CLIENT_SECRET: serviceClient.clientSecret,
    },
  });

  const app = express();
  app.disable('x-powered-by');
  app.use(
    pageRoutes({
      screen: async (looking) => screen(await play.sceneFor(looking), looking),
      onChange(listener) {
        listeners.add(listener);
        return () => listeners.delete(listener);
      },
      actInSlack: play.actInSlack,
      actAtService: play.actAtService,
    }),
  );
  return {
    listener: app,
    async end() {
      stop.abort();
      await (await starting).end();
      await Promise.all([slack.close(), service.close()]);
    },
  };
}

type BotOptions = {
  readonly temporary: string;
  readonly progress: ProgressKeeper;
  readonly onLastWords: (lines: readonly string[]) => void;
  readonly publicUrl: string;
  readonly settings: Readonly<Record<string, string>>;
  readonly stop: AbortSignal;
};

/** Starts the bot in a fresh folder. What goes wrong is told, not thrown. */
async function startBotWithDatabase(options: BotOptions): Promise<{ end: () => Promise<void> }> {
  const { temporary, progress, onLastWords, settings, stop } = options;
  try {
    await removeLeftovers(temporary);
    const folder = await makeDemoFolder(temporary);
    if (stop.aborted) return { end: folder.remove };
    const bot = startBot({ ...settings, DATA_DIR: folder.dataDir }, folder.logFile);
    void bot.ended.then((sentence) => {
      if (stop.aborted) return;
      progress.failed(sentence);
      onLastWords(bot.lastLines());
    });
    void watchStart(bot, { ...options, dataDir: folder.dataDir });
    return {
      async end() {
        await bot.stop();
        await folder.remove();
      },
    };
  } catch (error) {
    progress.failed(
      `The bot could not be started: ${error instanceof Error ? error.message : String(error)}`,
    );
    return { end: async () => undefined };
  }
}

/** Looks from outside how far the start has come, until the bot is ready or has ended. */
async function watchStart(
  bot: BotProcess,
  { progress, publicUrl, stop, dataDir }: BotOptions & { dataDir: string },
): Promise<void> {
  let ended = false;
  void bot.ended.then(() => {
    ended = true;
  });
  while (!ended && !stop.aborted) {
    if (await isWell(`${publicUrl}/healthz`)) progress.reached('bot');
    if (await isPostgresReady(dataDir)) progress.reached('database');
    if (await isWell(`${publicUrl}/readyz`)) {
      for (const { name } of progress.current().steps) progress.reached(name);
      return;
    }
    await sleep(pollMs);
  }
}

async function isWell(url: string): Promise<boolean> {
  const answer = await fetch(url).catch(() => undefined);
  await answer?.body?.cancel();
  return answer?.ok === true;
}
