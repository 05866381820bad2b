import { startPracticeService } from '../service/practice-service.ts';
import { startPracticeSlack } from '../slack/practice-slack.ts';
import type { BotKeeper } from './bot-keeper.ts';
import { commands } from './commands.ts';
import { makeLedger } from './ledger.ts';
import { makePlay } from './play.ts';
import type { PracticeClock } from './practice-clock.ts';
import { makePracticeFaults } from './practice-faults.ts';
import type { Progress } from './progress.ts';
import { seedStudio } from './seed.ts';

/** The practice service retries refused notifications every second, and sends several at once. */
const sending = { retries: 600, retryDelayMs: 1_000, inFlight: 8 };

type PracticeOptions = {
  readonly ports: { readonly slack: number; readonly service: number };
  readonly signingSecret: string;
  readonly serviceClient: { readonly clientId: string; readonly clientSecret: string };
  /** The bot's public address. */
  readonly publicUrl: string;
  readonly clock: PracticeClock;
  readonly bot: BotKeeper;
  readonly progress: () => Progress;
  /** Called whenever something has changed. */
  readonly changed: () => void;
};

/** Starts the practice Slack and the practice service around a bot; throws the system's error if a port is taken. */
export async function startPractice(options: PracticeOptions) {
  const { ports, signingSecret, serviceClient, publicUrl, clock, bot, progress, changed } = options;
  const [slack, service] = await Promise.all([
    startPracticeSlack({
      port: ports.slack,
      signingSecret,
      botRequestUrl: `${publicUrl}/slack/events`,
      now: clock.now,
      commands: commands.map(({ name }) => name),
      unfurlDomains: ['127.0.0.1'],
    }),
    startPracticeService({
      ...serviceClient,
      port: ports.service,
      redirectUris: [`${publicUrl}/oauth/callback`],
      now: clock.now,
      switches: sending,
    }),
  ]);
  seedStudio(slack);
  const ledger = makeLedger({ deliveries: service.deliveries.all, rows: bot.events, changed });
  const faults = makePracticeFaults({ slack, service });
  const play = makePlay({ slack, service, bot, clock, faults, ledger, progress, changed });
  return {
    ...play,
    stopLedger: ledger.close,
    async close(): Promise<void> {
      await Promise.all([slack.close(), service.close()]);
    },
  };
}
