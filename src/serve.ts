import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { settingsIn } from './commands/lib/run-command.ts';
import { settingWarnings } from './commands/lib/setting-warnings.ts';
import type { RunningBot } from './compose/compose.ts';
import type { PreparedPostgres } from './embedded-postgres/embedded-postgres.ts';
import type { Env } from './env.ts';
import { makeMetricsServer } from './http/metrics/metrics-server.ts';
import { EndError, exitCodes } from './lib/end-error.ts';
import { codeOf } from './lib/error-code.ts';
import type { Logger } from './lib/log.ts';
import { makeLog } from './log.ts';

const manifest: { readonly version: string } = JSON.parse(
  readFileSync(new URL('../package.json', import.meta.url), 'utf8'),
);

/** The version of this release, from `package.json`. */
const version = manifest.version;

/** Time allowed for a graceful stop after the signal. */
const stopWithinMs = 25_000;
/** Time a load balancer needs to notice that `/readyz` fails. */
const drainMs = 3_000;
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
  const log = makeLog({ level: env.logLevel, every });
  for (const warning of settingWarnings(environment)) log.warn({}, warning);
  // Node would print the error with everything attached to it, including secrets.
  process.on('uncaughtException', (error) => {
    log.fatal({ err: error }, 'failed');
    process.exit(exitCodes.failed);
  });

  const embedded = env.database.url === undefined ? prepareEmbedded(env, log) : null;
  await embedded?.begun;
  const { closeServer, listen, makeFront } = await import('./http/front.ts');

  let bot: RunningBot | null = null;
  let draining = false;
  const isReady = async () => bot !== null && (await bot.isReady());
  const front = makeFront({ trustProxy: env.http.trustProxy, isReady, log });
  const metricsServer = makeMetricsServer(() => bot?.metrics() ?? null);
  try {
    const port = await listen(front.server, env.http).catch(refusedPort('', env.http.port));
    log.info({ port }, 'listening');
    const { metrics } = env;
    if (metrics) await listen(metricsServer, metrics).catch(refusedPort('METRICS_', metrics.port));
  } catch (error) {
    // A process that ends now would leave initdb running.
    await embedded?.prepared.catch(() => undefined);
    throw error;
  }

  const ending = new AbortController();
  const starting = start({ env, embedded, log, ending: ending.signal });
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
    log.info({}, 'stopped');
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
  if (await bot.isReady().catch(() => false)) log.info({}, 'ready');
  await sleep(settleMs);
  if (!draining) await bot.startRest();
}

/** An embedded database that is being prepared. */
type Embedded = {
  readonly prepared: Promise<PreparedPostgres>;
  /** Resolves at once or, if a database has to be created, when initdb has been started: loading modules would block what comes before. */
  readonly begun: Promise<void>;
  /** Resolves when initdb or the server has been started, but is not ready. */
  readonly waiting: Promise<void>;
};

function prepareEmbedded({ database }: Env, log: Logger): Embedded {
  const { dataDir } = database;
  const waiting = Promise.withResolvers<void>();
  const loading = import('./embedded-postgres/embedded-postgres.ts');
  const prepared = loading.then((postgres) =>
    postgres.prepareEmbeddedPostgres({ dataDir, log, onWait: waiting.resolve }),
  );
  // `start` reports what went wrong.
  const settled = prepared.then(ignore, ignore);
  const begun = loading.then(async ({ isCreated }) => {
    if (!isCreated(dataDir)) await Promise.race([settled, waiting.promise]);
  }, ignore);
  return { prepared, begun, waiting: waiting.promise };
}

function ignore(): void {}

type StartOptions = {
  readonly env: Env;
  /** Null for an external database. */
  readonly embedded: Embedded | null;
  readonly log: Logger;
  /** Aborts the start. */
  readonly ending: AbortSignal;
};

/**
 * Starts the bot on its foundation; `stop` of the returned bot stops both. Loading modules takes most of the startup time, so the bot's rooms
 * load while initdb creates the embedded database or its server starts.
 */
async function start(options: StartOptions): Promise<RunningBot> {
  const { env, embedded: prepared, log, ending } = options;
  const starting = prepared?.prepared.then((postgres) => postgres.start()) ?? null;
  const loading = Promise.race([starting, prepared?.waiting])
    .catch(ignore)
    .then(() => import('./compose/bot.ts'));
  const [{ layFoundation }, embedded] = await Promise.all([import('./foundation.ts'), starting]);
  const [foundation, { composeBot }] = await Promise.all([
    layFoundation({ env, embedded, log, ending }),
    loading,
  ]);
  try {
    const bot = await composeBot({ env, log, ...foundation });
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

const notHere = (host: string): string =>
  `cannot be opened at ${host}, which is not an address of this machine: correct ${host}, or remove it`;
/** What is wrong with a port and what to do about it, by the system's error code; `host` is the setting of its interface. */
const listenFaults: Readonly<Record<string, (host: string) => string>> = {
  EADDRINUSE: () => 'is taken by another process: end that one, or set another port',
  EACCES: () => 'is reserved for privileged users: set one above 1023, and put a proxy in front of it',
  EADDRNOTAVAIL: notHere,
  // A name that nobody knows, or that no name server can be asked about.
  ENOTFOUND: notHere,
  EAI_AGAIN: notHere,
};

/**
 * Returns what turns an error of `listen` into one that an admin can fix.
 * @param prefix what the names of the settings start with
 */
function refusedPort(prefix: 'METRICS_' | '', port: number): (error: unknown) => never {
  return (error) => {
    const code = codeOf(error);
    const why = listenFaults[code]?.(`${prefix}HOST`) ?? `cannot be opened (${code}): set another one`;
    throw new EndError(`${prefix}PORT ${port} ${why}.`, exitCodes.unavailable);
  };
}
