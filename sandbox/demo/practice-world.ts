import { startPracticeService } from '../service/practice-service.ts';
import { startPracticeSlack } from '../slack/practice-slack.ts';
import { keepBot } from './bot-keeper.ts';
import { makeLedger } from './ledger.ts';
import { freePort } from './listen.ts';
import { makePlay } from './play.ts';
import { makePracticeClock } from './practice-clock.ts';
import { makePracticeFaults } from './practice-faults.ts';
import { makeProgress, type Progress } from './progress.ts';
import { botToken, seedStudio } from './seed.ts';

const signingSecret = 'practice-signing-secret';
const serviceClient = { clientId: 'plancast', clientSecret: 'practice-client-secret' };
/** The practice service sends what was not taken again each second, and several notifications at once. */
const sending = { retries: 600, retryDelayMs: 1_000, inFlight: 8 };

export type WorldOptions = {
  /** A folder for what is temporary: `os.tmpdir()`. */
  readonly temporary: string;
  /** Called for every step of the start, and for a failure. */
  readonly onProgress: (progress: Progress) => void;
  /** Called with the bot's last lines, when it ends by itself. */
  readonly onLastWords: (lines: readonly string[]) => void;
  /** Called whenever something is different. */
  readonly changed: () => void;
};

/**
 * Starts all that people play with: a practice Slack, a practice service, and the real bot between them with a database of its own,
 * all three by one clock. Resolves before the bot is ready.
 */
export async function startWorld({ temporary, onProgress, onLastWords, changed }: WorldOptions) {
  const port = await freePort();
  const publicUrl = `http://127.0.0.1:${port}`;
  const progress = makeProgress(onProgress);
  const clock = makePracticeClock(Date.now);
  const slack = await startPracticeSlack({
    signingSecret,
    botRequestUrl: `${publicUrl}/slack/events`,
    now: clock.now,
  });
  const service = await startPracticeService({
    ...serviceClient,
    redirectUris: [`${publicUrl}/oauth/callback`],
    now: clock.now,
    switches: sending,
  });
  seedStudio(slack);
  progress.reached('practice');
  const bot = keepBot({
    temporary,
    clock,
    progress,
    onLastWords,
    publicUrl,
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
  const ledger = makeLedger({ deliveries: service.deliveries.all, rows: bot.events, changed });
  const faults = makePracticeFaults({ slack, service });
  const play = makePlay({ slack, service, bot, clock, faults, ledger, progress: progress.current, changed });
  return {
    ...play,
    /** Ends everything, and leaves nothing behind. */
    async end(): Promise<void> {
      ledger.close();
      await bot.end();
      await Promise.all([slack.close(), service.close()]);
    },
  };
}
