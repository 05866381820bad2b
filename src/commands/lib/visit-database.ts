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

/** What a command is handed for its work on the bot's database. */
export type Visit = { readonly database: ConnectedDatabase; readonly env: Env; readonly log: Logger };

/** How long a command retries, in milliseconds: less than the bot, since a person is waiting. */
const triesForMs = 3_000;

/**
 * Runs a command's work on the bot's database, whether or not the bot is running, and closes it afterwards. Starts an embedded database that
 * is not running for that time, but never creates one. Throws what `settingsIn` throws, and an `EndError` if there is no database, or if its
 * tables are not those of this release.
 */
export async function onDatabase(
  environment: Environment,
  work: (visit: Visit) => Promise<void>,
): Promise<void> {
  const { env, log } = settingsWithLog(environment);
  const { url, dataDir } = env.database;
  const embedded = url === undefined ? await visitEmbedded(dataDir, log) : null;
  const connection: Connection = embedded?.connection ?? { connectionString: url ?? '' };
  // A token refresh locks its row until the service answers, so a command has to wait for it.
  const options = { connection, log, max: 4, applicationName: 'plancast command', patient: true };
  const database = connect(options);
  try {
    await waitForDatabase(database, { log, now: () => performance.now(), sleep, forMs: triesForMs });
    if (!(await isMigrated(database.pool))) {
      const sentence = 'The tables do not match this release: start the bot, or run `npm run release`.';
      throw new EndError(sentence, exitCodes.unavailable);
    }
    await work({ database, env, log });
  } finally {
    await database.close();
    await embedded?.stop();
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
