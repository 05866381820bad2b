import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { visitEmbeddedPostgres } from '../../embedded-postgres/embedded-postgres.ts';
import type { Env } from '../../env.ts';
import { EndError, exitCodes } from '../../lib/end-error.ts';
import type { Log, Logger } from '../../lib/log.ts';
import { type ConnectedDatabase, type Connection, connect, waitForDatabase } from '../../store/database.ts';
import { isMigrated } from '../../store/migrate.ts';
import { readTokenKeys, type TokenKeys } from '../../store/sealing/token-keys.ts';
import { type Environment, settingsWithLog } from './run-command.ts';

/** A database that a command can use until it calls `close`. */
export type Visit = {
  readonly connection: Connection;
  readonly database: ConnectedDatabase;
  readonly close: () => Promise<void>;
};

/** Runs a command's work on the bot's database, and closes it afterwards. Throws what `settingsIn` and `visitDatabase` throw. */
export async function onDatabase(
  environment: Environment,
  work: (visit: Visit & { readonly env: Env; readonly log: Logger }) => Promise<void>,
): Promise<void> {
  const { env, log } = settingsWithLog(environment);
  const visit = await visitDatabase(env.database, log);
  try {
    await work({ ...visit, env, log });
  } finally {
    await visit.close();
  }
}

/** How long a command retries, in milliseconds: less than the bot, since a person is waiting. */
const triesForMs = 3_000;

/**
 * Connects to the bot's database, whether or not the bot is running. Starts an embedded database that is not running for the time of the
 * visit, but never creates one. Throws an `EndError` if there is none, or if its tables are not those of this release.
 */
async function visitDatabase({ url, dataDir }: Env['database'], log: Log): Promise<Visit> {
  const embedded = url === undefined ? await visitEmbedded(dataDir, log) : null;
  const connection: Connection = embedded?.connection ?? { connectionString: url ?? '' };
  // A token refresh locks its row until the service answers, so a command has to wait for it.
  const database = connect({
    connection,
    log,
    max: 4,
    applicationName: 'plancast command',
    patient: true,
  });
  const close = async (): Promise<void> => {
    await database.close();
    await embedded?.stop();
  };
  try {
    await waitForDatabase(database, { log, now: () => performance.now(), sleep, forMs: triesForMs });
    if (await isMigrated(database.pool)) return { connection, database, close };
    throw new EndError(
      'The tables do not match this release: start the bot, or run `npm run release`.',
      exitCodes.unavailable,
    );
  } catch (error) {
    await close();
    throw error;
  }
}

function visitEmbedded(dataDir: string, log: Log) {
  if (existsSync(join(resolve(dataDir), 'postgres'))) return visitEmbeddedPostgres({ dataDir, log });
  throw new EndError(
    `There is no embedded database in ${dataDir} (DATA_DIR): \`npm start\` creates it.`,
    exitCodes.unavailable,
  );
}

/** Returns the configured keys, or else those generated in `DATA_DIR`; throws an `EndError` if there are none. */
export async function keysOf({ tokenKeys, dataDir }: Env['database']): Promise<TokenKeys> {
  const keys = tokenKeys ?? (await readTokenKeys(dataDir));
  if (keys !== null) return keys;
  throw new EndError(
    `The file token-keys is missing in ${dataDir} (DATA_DIR): restore it from a backup, or set TOKEN_KEYS.`,
    exitCodes.config,
  );
}
