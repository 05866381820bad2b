import type { Server } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';
import { EndError, exitCodes } from './commands/lib/end-error.ts';
import { settingsIn } from './commands/lib/run-command.ts';
import { secretsIn } from './commands/lib/secrets-in.ts';
import type { Bot } from './compose/bot.ts';
import type { EmbeddedPostgres } from './embedded-postgres/embedded-postgres.ts';
import type { Env } from './env.ts';
import { closeServer, listen, makeFront } from './http/front.ts';
import { healthRoutes } from './http/health.ts';
import { logRequests } from './http/log-requests.ts';
import { makeMetricsServer } from './http/metrics/metrics-server.ts';
import { codeOf } from './lib/error-code.ts';
import { makeLog } from './log.ts';
import { version } from './version.ts';

/** Time allowed for a graceful stop after the signal. */
const stopWithinMs = 25_000;
/** Time a load balancer needs to notice that `/readyz` fails. */
const drainMs = 3_000;
/** If the embedded database takes longer to start, in milliseconds, initdb is creating it and this process is idle. */
const quickStartMs = 300;
/** Delay between readiness and starting the rest: requests that waited for the bot come first. */
const settleMs = 250;

/**
 * Runs the bot until a signal stops it. Settles once everything has started, or once a signal has canceled the start.
 * @param environment the process's environment variables
 * @throws EndError if a setting is invalid or a port is taken
 */
export async function serve(environment: Readonly<Record<string, string | undefined>>): Promise<void> {
  const env = settingsIn(environment);
  const every = { version, role: env.role };
  const log = makeLog({ level: env.logLevel, every, secrets: secretsIn(env) });
  // Node would print the error with everything attached to it, including secrets.
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
    // On Ctrl-C a person is waiting; on a platform's SIGTERM its load balancer needs time.
    if (signal === 'SIGTERM' && bot !== null && env.role !== 'worker') await sleep(drainMs);
    await closeServer(front.server, 5_000);
    // Let a start in progress finish first, so that everything it opened is closed in order.
    await (await starting.catch(() => null))?.stop();
    await closeServer(metricsServer, 0);
    log.info('stopped');
    process.exit(0);
  };
  process.on('SIGTERM', (signal) => void stop(signal));
  process.on('SIGINT', (signal) => void stop(signal));

  bot = await starting.catch((error: unknown) => {
    // A canceled start is not a failure; `stop` is about to end the process.
    if (draining) return null;
    throw error;
  });
  if (bot === null || draining) return;
  front.open(bot.entrance);
  log.info('ready');
  await sleep(settleMs);
  if (!draining) await bot.startRest();
}

/**
 * Starts the bot on its foundation; `stop` of the returned bot stops both. Loading modules takes most of the startup time, so the bot's rooms
 * load while the embedded database starts and while the database responds.
 */
async function start(env: Env, log: Logger, ending: AbortSignal): Promise<Bot> {
  const starting = env.database.url === undefined ? startEmbedded(env.database.dataDir, log) : null;
  const started = Promise.race([starting, sleep(quickStartMs)]).catch(() => undefined);
  const loading = started.then(() => import('./compose/compose.ts'));
  const [{ layFoundation }, embedded] = await Promise.all([import('./foundation.ts'), starting]);
  const [foundation, { compose }] = await Promise.all([
    layFoundation({ env, embedded, log, ending }),
    loading,
  ]);
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

async function startEmbedded(dataDir: string, log: Logger): Promise<EmbeddedPostgres> {
  const { startEmbeddedPostgres } = await import('./embedded-postgres/embedded-postgres.ts');
  return startEmbeddedPostgres({ dataDir, log });
}

/** What is wrong with a port and what to do about it, by the system's error code. */
const listenFaults: Readonly<Record<string, string>> = {
  EADDRINUSE: 'is taken by another process: end that one, or set another port',
  EACCES: 'is reserved for privileged users: set one above 1023, and put a proxy in front of it',
  EADDRNOTAVAIL:
    'cannot be opened at HOST, which is not an address of this machine: correct HOST, or remove it',
};

function listenOn(
  setting: string,
  server: Server,
  where: { readonly host: string | undefined; readonly port: number },
): Promise<number> {
  return listen(server, where).catch((error: unknown) => {
    const code = codeOf(error);
    const why = listenFaults[code] ?? `cannot be opened (${code}): set another one`;
    const message = `${setting} ${where.port} ${why}.`;
    throw new EndError(message, exitCodes.unavailable);
  });
}
