import { setTimeout as sleep } from 'node:timers/promises';
import { pino } from 'pino';
import { type Env, readEnv } from './env.ts';
import { closeServer, listen, makeFront } from './http/front.ts';
import { healthRoutes } from './http/health.ts';
import { startDatabaseClock } from './store/clock.ts';
import {
  type Connection,
  checkDurability,
  connect,
  DatabaseUnreachableError,
  waitForDatabase,
} from './store/database.ts';
import { startEmbeddedPostgres } from './store/embedded-postgres.ts';
import { EmbeddedPostgresError } from './store/embedded-postgres-error.ts';
import { migrate } from './store/migrate.ts';
import { makeSealing } from './store/sealing.ts';
import { makeSecrets } from './store/secrets.ts';
import { readOrCreateTokenKeys, TokenKeysError } from './store/token-keys.ts';
import { verifyKeys, WrongTokenKeysError } from './store/verify-keys.ts';
import { type Bot, wire } from './wire.ts';

/** Exit codes as BSD's sysexits.h names them. */
const exitCodes = { unavailable: 69, config: 78 } as const;
/** All that is under way has to be over within this time after the signal. */
const stopWithinMs = 25_000;
/** Whoever sends requests here needs a moment to see that `/readyz` says no. */
const drainMs = 3_000;

/** What stops the start with a sentence for the admin, and no stack. */
class StartError extends Error {
  readonly exitCode: number;
  constructor(message: string, exitCode: number) {
    super(message);
    this.exitCode = exitCode;
  }
}

async function main(): Promise<void> {
  const read = readEnv(process.env);
  if (!read.ok) throw new StartError(read.faults.join('\n'), exitCodes.config);
  const { env } = read;
  const log = pino({ level: env.logLevel, base: null });

  let bot: Bot | null = null;
  let draining = false;
  const front = makeFront({ trustProxy: env.http.trustProxy, log });
  front.use(healthRoutes({ isReady: async () => !draining && bot !== null && (await bot.isReady()) }));
  front.seal();
  const port = await listen(front.server, env.http).catch((error: unknown) => {
    throw new StartError(
      `PORT ${env.http.port} cannot be listened on (${codeOf(error)}).`,
      exitCodes.unavailable,
    );
  });
  log.info({ port, role: env.role }, 'listening');

  const foundation = await layFoundation(env, log);
  try {
    bot = await wire({ env, log, ...foundation });
  } catch (error) {
    await foundation.close();
    throw error;
  }
  front.open(bot.routes);
  log.info('ready');

  const stop = async (signal: NodeJS.Signals): Promise<void> => {
    if (draining) return;
    draining = true;
    log.info({ signal }, 'stopping');
    setTimeout(() => process.exit(1), stopWithinMs).unref();
    // A terminal's Ctrl-C is somebody waiting; a platform's SIGTERM leaves time for its load balancer.
    if (signal === 'SIGTERM' && env.role !== 'worker') await sleep(drainMs);
    await closeServer(front.server, 5_000);
    await bot?.stop();
    await foundation.close();
    log.info('stopped');
    process.exit(0);
  };
  process.on('SIGTERM', (signal) => void stop(signal));
  process.on('SIGINT', (signal) => void stop(signal));
}

/** The database, up to date, and the keys to what is sealed in it. */
async function layFoundation(env: Env, log: pino.Logger) {
  const { dataDir } = env.database;
  const embedded = env.database.url === undefined ? await startEmbeddedPostgres({ dataDir, log }) : null;
  const connection: Connection = embedded?.connection ?? { connectionString: env.database.url ?? '' };
  const database = connect({ connection, log });
  const close = async (): Promise<void> => {
    await database.close();
    await embedded?.stop();
  };
  try {
    await waitForDatabase(database, { log, now: () => performance.now(), sleep });
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

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : 'unknown';
}

/** The sentence and exit code for what an admin can mend; null for what only a developer can. */
function startErrorFrom(error: unknown): StartError | null {
  if (error instanceof StartError) return error;
  if (error instanceof TokenKeysError || error instanceof WrongTokenKeysError) {
    return new StartError(error.message, exitCodes.config);
  }
  if (error instanceof EmbeddedPostgresError || error instanceof DatabaseUnreachableError) {
    return new StartError(error.message, exitCodes.unavailable);
  }
  return null;
}

main().catch((error: unknown) => {
  const known = startErrorFrom(error);
  const text = known?.message ?? (error instanceof Error ? (error.stack ?? error.message) : String(error));
  process.stderr.write(`${text}\n`);
  process.exit(known?.exitCode ?? 1);
});
