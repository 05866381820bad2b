import { keepBot } from './bot-keeper.ts';
import { freePort } from './listen.ts';
import { makePracticeClock } from './practice-clock.ts';
import { makeProgress, type Progress } from './progress.ts';
import { botToken } from './seed.ts';

const signingSecret = 'practice-signing-secret';
/** The page that asks for access shows the id as the app's name. */
const serviceClient = { clientId: 'Plancast', clientSecret: 'practice-client-secret' };

export type WorldOptions = {
  /** The folder for temporary files: `temporaryFolder()`. */
  readonly temporary: string;
  /** Address of the demo's page, without a trailing slash. */
  readonly pageUrl: string;
  /** Called for every step of the start, and for a failure. */
  readonly onProgress: (progress: Progress) => void;
  /** Called with the bot's last log lines if it ends unexpectedly. */
  readonly onLastWords: (lines: readonly string[]) => void;
  /** Called whenever something has changed. */
  readonly changed: () => void;
};

/**
 * Starts the practice world: a practice Slack, a practice service, and the real bot between them with its own database, all three on one
 * clock. Resolves before the bot is ready.
 */
export async function startWorld({ temporary, pageUrl, onProgress, onLastWords, changed }: WorldOptions) {
  const [port, slackPort, servicePort] = await Promise.all([freePort(), freePort(), freePort()]);
  const publicUrl = `http://127.0.0.1:${port}`;
  const progress = makeProgress(onProgress);
  const clock = makePracticeClock(Date.now);
  const bot = keepBot({
    temporary,
    clock,
    progress,
    onLastWords,
    publicUrl,
    settings: {
      PRACTICE_SLACK_PAGE: pageUrl,
      PUBLIC_URL: publicUrl,
      HOST: '127.0.0.1',
      PORT: String(port),
      SLACK_SIGNING_SECRET: signingSecret,
      SLACK_BOT_TOKEN: botToken,
      SLACK_API_URL: `http://127.0.0.1:${slackPort}/api/`,
      SERVICE_NAME: 'the practice service',
      SERVICE_BASE_URL: `http://127.0.0.1:${servicePort}/v1`,
      SERVICE_AUTH_URL: `http://127.0.0.1:${servicePort}`,
      // The page shows the service, too.
      SERVICE_PROJECT_URL: `${pageUrl}/projects/{project}`,
      SERVICE_ITEM_URL: `${pageUrl}/projects/{project}/items/{item}`,
      SERVICE_SESSION_URL: `${pageUrl}/sessions/{session}`,
      SERVICE_CLIENT_ID: serviceClient.clientId,
      SERVICE_CLIENT_SECRET: serviceClient.clientSecret,
    },
  });
  // The bot takes longest to start; the rest is loaded meanwhile.
  await bot.started;
  const { startPractice } = await import('./practice.ts');
  const practice = await startPractice({
    ports: { slack: slackPort, service: servicePort },
    signingSecret,
    serviceClient,
    publicUrl,
    clock,
    bot,
    progress: progress.current,
    changed,
  });
  progress.reached('practice');
  return {
    ...practice,
    /** Ends everything and leaves nothing behind. */
    async end(): Promise<void> {
      practice.stopLedger();
      await bot.end();
      await practice.close();
    },
  };
}
