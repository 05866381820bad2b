import type { Server } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';
import { EndError, exitCodes, settingsIn } from './commands/lib/run-command.ts';
import { secretsIn } from './commands/lib/secrets-in.ts';
import type { Bot } from './compose/bot.ts';
import { compose } from './compose/compose.ts';
import { startEmbeddedPostgres } from './embedded-postgres/embedded-postgres.ts';
import type { Env } from './env.ts';
import { closeServer, listen, makeFront } from './http/front.ts';
import { healthRoutes } from './http/health.ts';
import { logRequests } from './http/log-requests.ts';
import { makeMetricsServer } from './http/metrics/metrics-server.ts';
import { codeOf } from './lib/error-code.ts';
import { makeLog } from './log.ts';
import { startDatabaseClock } from './store/clock.ts';
import { type Connection, checkDurability, connect, waitForDatabase } from './store/database.ts';
import { migrate } from './store/migrate.ts';
import { isTransactionPooled, TransactionPoolerError } from './store/pooler.ts';
import { makeSealing } from './store/sealing/sealing.ts';
import { readOrCreateTokenKeys } from './store/sealing/token-keys.ts';
import { verifyKeys } from './store/sealing/verify-keys.ts';
import { makeSockets } from './store/sockets.ts';
import { makeSecrets } from './store/tables/secrets.ts';
import { version } from './version.ts';

/** All that is under way has to be over within this time after the signal. */
const stopWithinMs = 25_000;
/** A load balancer needs a moment to see that `/readyz` says no. */
const drainMs = 3_000;

/**
 * Runs the bot of this process until a signal ends it. Settles once it is ready, or was called off before that.
 * @param environment the process's own
 * @throws EndError where a setting is wrong or a port is taken
 */
export async function serve(environment: Readonly<Record<string, string | undefined>>): Promise<void> {
  const env = settingsIn(environment);
  const every = { version, role: env.role };
  const log = makeLog({ level: env.logLevel, every, secrets: secretsIn(env) });
  // Node would print it with all that hangs on it, secrets too.
  process.on('uncaughtException', (error) => {
    log.fatal({ err: error }, 'failed');
    process.exit(exitCodes.failed);
  });

  let bot: Bot | null = null;
  let draining = false;
  const front = makeFront({ trustProxy: env.http.trustProxy, log });
  logRequests(front.server, log);
  front.use(healthRoutes({ isReady: async () => !draining && bot !== null && (await bot.isReady()) }));
  front.seal();
  const port = await listenOn('PORT', front.server, env.http);
  log.info({ port }, 'listening');
  const metricsServer = makeMetricsServer({ metrics: () => bot?.metrics ?? null });
  if (env.metrics) await listenOn('METRICS_PORT', metricsServer, env.metrics);

  const ending = new AbortController();
  const starting = start(env, log, ending.signal);
  const stop = async (signal: NodeJS.Signals): Promise<void> => {
    if (draining) return;
    draining = true;
    front.drain();
    log.info({ signal }, 'stopping');
    ending.abort();
    setTimeout(() => process.exit(1), stopWithinMs).unref();
    // Ctrl-C in a terminal means a person waits; a platform's SIGTERM leaves time for its load balancer.
    if (signal === 'SIGTERM' && bot !== null && env.role !== 'worker') await sleep(drainMs);
    await closeServer(front.server, 5_000);
    // A start that is under way finishes first, so that what it opened is closed in order.
    await (await starting.catch(() => null))?.stop();
    await closeServer(metricsServer, 0);
    log.info('stopped');
    process.exit(0);
  };
  process.on('SIGTERM', (signal) => void stop(signal));
  process.on('SIGINT', (signal) => void stop(signal));

  bot = await starting.catch((error: unknown) => {
    // A start that was called off is no failure; `stop` is about to end the process.
    if (draining) return null;
    throw error;
  });
  if (bot === null || draining) return;
  front.open(bot.entrance);
  log.info('ready');
}

/** A bot on its foundation. `stop` takes down both. */
async function start(env: Env, log: Logger, ending: AbortSignal): Promise<Bot> {
  const foundation = await layFoundation(env, log, ending);
  try {
    const bot = await compose({ env, log, ...foundation });
    const stop = async (): Promise<void> => {
      await bot.stop();
      await foundation.close();
    };
    return { ...bot, stop };
  } catch (error) {
    await foundation.close();
    throw error;
  }
}

/** The database, up to date, and the keys to what is sealed in it. */
async function layFoundation(env: Env, log: Logger, ending: AbortSignal) {
  const { dataDir, poolSize } = env.database;
  const embedded = env.database.url === undefined ? await startEmbeddedPostgres({ dataDir, log }) : null;
  const address = embedded?.connection ?? { connectionString: env.database.url ?? '' };
  const connection: Connection = { ...address, sockets: makeSockets(() => performance.now()) };
  const database = connect({ connection, log, max: poolSize });
  const close = async (): Promise<void> => {
    await database.close();
    await embedded?.stop();
  };
  try {
    const sleepUnlessEnding = (milliseconds: number) => sleep(milliseconds, undefined, { signal: ending });
    await waitForDatabase(database, { log, now: () => performance.now(), sleep: sleepUnlessEnding });
    if (embedded === null && (await isTransactionPooled(connection))) throw new TransactionPoolerError();
    await migrate({ connection, log });
    await checkDurability(database, log);
    const keys = env.database.tokenKeys ?? (await readOrCreateTokenKeys({ dataDir, now: new Date() }));
    const sealing = makeSealing(keys);
    await verifyKeys({ pool: database.pool, sealing, secrets: makeSecrets({ db: database.db, sealing }) });
    const clock = await startDatabaseClock({ pool: database.pool, log, monotonic: () => performance.now() });
    const closeAll = (): Promise<void> => {
      clock.stop();
      return close();
    };
    return { connection, database, sealing, clock, close: closeAll };
  } catch (error) {
    await close();
    throw error;
  }
}

/** What is wrong with a port by the system's name for it, and what to do about it. */
const listenFaults: Readonly<Record<string, string>> = {
  EADDRINUSE: 'is taken by another process: end that one, or set another port',
  EACCES: 'is not for this user: set one above 1023, and let a proxy lead to it',
  EADDRNOTAVAIL:
    'cannot be listened on at HOST, which is no address of this machine: correct HOST, or remove it',
};

function listenOn(
  setting: string,
  server: Server,
  where: { readonly host: string | undefined; readonly port: number },
): Promise<number> {
  return listen(server, where).catch((error: unknown) => {
    const code = codeOf(error);
    const why = listenFaults[code] ?? `cannot be listened on (${code}): set another one`;
    const message = `${setting} ${where.port} ${why}.`;
    throw new EndError(message, exitCodes.unavailable);
  });
}
