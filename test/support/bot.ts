import { composeBot } from '../../src/compose/bot.ts';
import type { RunningBot } from '../../src/compose/compose.ts';
import { readEnv } from '../../src/env.ts';
import { closeServer, listen, makeFront } from '../../src/http/front.ts';
import { healthRoutes } from '../../src/http/health.ts';
import { logRequests } from '../../src/http/log-requests.ts';
import { makeLog } from '../../src/log.ts';
import { connect } from '../../src/store/database.ts';
import { makeSealing } from '../../src/store/sealing/sealing.ts';

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

/** Starts the real bot on loopback and a free port. Uses the machine's clock by default. */
export async function startBot(settings: BotSettings): Promise<TestBot> {
  const write = (line: string) => settings.onLog?.(line);
  const every = { version: 'test', role: 'all' };
  const log = makeLog({ level: 'debug', every, write });
  let bot: RunningBot | undefined;
  const front = makeFront({ trustProxy: Number(settings.env?.TRUST_PROXY ?? 0), log });
  front.use(healthRoutes({ isReady: async () => bot !== undefined && (await bot.isReady()) }));
  front.seal();
  logRequests(front.server, log);
  const port = await listen(front.server, { port: 0, host: '127.0.0.1' });
  const publicUrl = `http://127.0.0.1:${port}`;
  settings.onAddress?.(publicUrl);
  const read = readEnv({
    PUBLIC_URL: publicUrl,
    PORT: String(port),
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
  const connection = { connectionString: settings.databaseUrl };
  const database = connect({ connection, log });
  const keys = read.env.database.tokenKeys;
  if (!keys) throw new Error('no token keys');
  const clock = { now: settings.now ?? (() => new Date()) };
  bot = await composeBot(
    { env: read.env, connection, database, sealing: makeSealing(keys), clock, log },
    settings.checkEveryMs,
  );
  front.open(bot.entrance);
  await bot.startRest();
  const started = bot;
  return {
    ...started,
    publicUrl,
    async stop() {
      await closeServer(front.server, 500);
      await started.stop();
      await database.close();
    },
  };
}
