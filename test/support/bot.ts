import { setTimeout as wait } from 'node:timers/promises';
import { composeBot } from '../../src/compose/bot.ts';
import {
  composeCore,
  composeSlackAdapter,
  type Foundation,
  type RunningBot,
} from '../../src/compose/compose.ts';
import { composeSlack } from '../../src/compose/slack.ts';
import { followUpInterrupted } from '../../src/core/acts/follow-up-links.ts';
import { readEnv } from '../../src/env.ts';
import { closeServer, listen, makeFront } from '../../src/http/front.ts';
import { noMetrics } from '../../src/http/metrics/no-metrics.ts';
import { makeLog } from '../../src/log.ts';
import { connect } from '../../src/store/database.ts';
import { makeSealing } from '../../src/store/sealing/sealing.ts';
import { makeKeyv } from '../../src/store/tables/keyv-records.ts';
import * as linksTable from '../../src/store/tables/links.ts';
import { boundLinking } from './bound-linking.ts';
import { onDb } from './on-db.ts';

/** The settings of a bot in a test; the rest of the environment is derived from them. */
export type BotSettings = {
  readonly databaseUrl: string;
  readonly slackApiUrl: string;
  readonly signingSecret: string;
  readonly botToken: string;
  readonly serviceBaseUrl: string;
  readonly serviceAuthUrl: string;
  readonly serviceClientId: string;
  readonly serviceClientSecret: string;
  /** Called with the public URL, so that its redirect URI can be registered at the service before anyone links. */
  readonly onAddress?: ((publicUrl: string) => void) | undefined;
  readonly now?: (() => Date) | undefined;
  /** Waits in real time by default. */
  readonly sleep?: ((milliseconds: number) => Promise<void>) | undefined;
  readonly env?: Readonly<Record<string, string>> | undefined;
  /** How often it checks which address the database serves, in milliseconds; as usual by default. */
  readonly checkEveryMs?: number | undefined;
  /** Receives each line of the log. */
  readonly onLog?: ((line: string) => void) | undefined;
};

/** A bot that runs in this process, behind its real HTTP server. */
export type TestBot = RunningBot & { readonly publicUrl: string };

/** A 32-byte key, the same in each bot of a test, so that one can continue where another stopped. */
export const testTokenKeys = `test:${Buffer.alloc(32, 7).toString('base64')}`;

/** Starts the real bot on loopback and a free port. Uses the machine's clock by default. Chores run by `runChore`; on schedule after `startRest`. */
export async function startBot(settings: BotSettings): Promise<TestBot> {
  const log = logOf(settings);
  let bot: RunningBot | undefined;
  const isReady = async () => bot !== undefined && (await bot.isReady());
  const front = makeFront({ trustProxy: Number(settings.env?.TRUST_PROXY ?? 0), isReady, log });
  const port = await listen(front.server, { port: 0, host: '127.0.0.1' });
  const publicUrl = `http://127.0.0.1:${port}`;
  settings.onAddress?.(publicUrl);
  const foundation = layFoundation({ ...settings, env: { PUBLIC_URL: publicUrl, ...settings.env } }, log);
  bot = await composeBot(foundation, settings.checkEveryMs);
  front.open(bot.entrance);
  // Otherwise Slack would wait for these modules at the first command.
  await import('../../src/slack/slack-adapter.ts');
  const started = bot;
  return {
    ...started,
    publicUrl,
    async stop() {
      await closeServer(front.server, 500);
      await started.stop();
      await foundation.database.close();
    },
  };
}

/** What a process of the bot can do, without HTTP, lanes and schedules. */
export type TestCore = Awaited<ReturnType<typeof startCore>>;

/** Composes what another process of the bot would do: for what people cannot ask for, and for races between processes. */
export async function startCore(settings: BotSettings) {
  const log = logOf(settings);
  const foundation = layFoundation(settings, log);
  const { env, database, sealing, clock } = foundation;
  const keyv = makeKeyv({ pool: database.pool });
  const slack = await composeSlack(foundation, keyv);
  const ports = { keyv, slack: slack.port, queue: { mark: async () => false }, metrics: noMetrics };
  const bot = await composeCore(foundation, ports);
  const adapter = composeSlackAdapter(bot, env, slack);
  return {
    bot,
    linking: { ...boundLinking(bot), followUpInterrupted: () => followUpInterrupted(bot) },
    oauth: bot.service.oauth,
    links: onDb(database.db, linksTable),
    sealing,
    clock,
    async stop() {
      await adapter.settle();
      await bot.later.stop();
      await database.close();
    },
  };
}

function logOf({ onLog }: BotSettings) {
  const every = { version: 'test', role: 'all' };
  return makeLog({ level: 'debug', every, write: (line) => onLog?.(line) });
}

function layFoundation(settings: BotSettings, log: Foundation['log']): Foundation {
  const read = readEnv({
    DATABASE_URL: settings.databaseUrl,
    TOKEN_KEYS: testTokenKeys,
    SLACK_SIGNING_SECRET: settings.signingSecret,
    SLACK_BOT_TOKEN: settings.botToken,
    SLACK_API_URL: settings.slackApiUrl,
    SERVICE_NAME: 'Practice',
    SERVICE_BASE_URL: settings.serviceBaseUrl,
    SERVICE_AUTH_URL: settings.serviceAuthUrl,
    SERVICE_CLIENT_ID: settings.serviceClientId,
    SERVICE_CLIENT_SECRET: settings.serviceClientSecret,
    ...settings.env,
  });
  if (!read.ok) throw new Error(read.faults.join('\n'));
  const keys = read.env.database.tokenKeys;
  if (!keys) throw new Error('no token keys');
  const connection = { connectionString: settings.databaseUrl };
  return {
    env: read.env,
    connection,
    database: connect({ connection, log }),
    sealing: makeSealing(keys),
    clock: { now: settings.now ?? (() => new Date()) },
    sleep: settings.sleep ?? wait,
    log,
  };
}
