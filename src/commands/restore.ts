import { resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { startEmbeddedPostgres } from '../embedded-postgres/embedded-postgres.ts';
import type { Env } from '../env.ts';
import { EndError, exitCodes } from '../lib/end-error.ts';
import { codeOf } from '../lib/error-code.ts';
import type { Log } from '../lib/log.ts';
import {
  BackupFileError,
  firstUsedTable,
  inOneTransaction,
  markRestored,
  migrationsOf,
  readBackup,
} from '../store/backup-file.ts';
import { type ConnectedDatabase, type Connection, connect, waitForDatabase } from '../store/database.ts';
import { migrate, migrations } from '../store/migrate.ts';
import { makeSealing, type Sealing } from '../store/sealing/sealing.ts';
import { verifyKeys, WrongTokenKeysError } from '../store/sealing/verify-keys.ts';
import { type Environment, runCommand, say, settingsWithLog } from './lib/run-command.ts';
import { keysOf } from './lib/visit-database.ts';

const usage = `Usage: npm run restore -- FILE
       puts what npm run backup has written into an empty database: that of DATABASE_URL, or else the embedded one`;

async function main(environment: Environment, [file = '']: readonly string[]): Promise<void> {
  const { env, log } = settingsWithLog(environment);
  const made = await migrationsOf(file).catch((error: unknown) => {
    throw withRemedy(error, file);
  });
  const newer = made.filter((name) => !migrations.includes(name));
  if (newer.length > 0) {
    const which = `The backup was made by a newer release (${newer.join(', ')})`;
    throw new EndError(`${which}: restore it with that one. ${nothingRestored}`);
  }
  // Check the keys first: a database whose tokens nobody can open is useless.
  const sealing = makeSealing(await keysOf(env.database));
  const { connection, stop } = await target(env.database, log);
  const database = connect({ connection, log, max: 2, patient: true });
  try {
    await waitForDatabase(database, { log, now: () => performance.now(), sleep, forMs: 3_000 });
    const used = await firstUsedTable(database.pool);
    if (used !== null) {
      const sentence = `The database is not empty (${used}): restore into an empty one. ${nothingRestored}`;
      throw new EndError(sentence);
    }
    await migrate({ connection, log, upTo: made.at(-1) });
    const tables = await inOneTransaction(database.pool, (client) => readBackup(client, file)).catch(
      (error: unknown) => {
        throw withRemedy(error, file);
      },
    );
    await migrate({ connection, log });
    // Again for a backup of a release without that table.
    await markRestored(database.pool);
    for (const { name, rows } of tables) say(`${name}: ${rows}`);
    await checkKeys(database, sealing);
    say('\nEverything is restored. Stop the bot that it is from, then run `npm run take-over`.');
  } finally {
    await database.close();
    await stop();
  }
}

const nothingRestored = 'Nothing was restored.';

/** Throws if the keys are wrong. The data is restored either way; the bot only needs the right keys to start. */
async function checkKeys({ pool, db }: ConnectedDatabase, sealing: Sealing): Promise<void> {
  await verifyKeys({ pool, sealing, db }).catch((error: unknown) => {
    if (!(error instanceof WrongTokenKeysError)) throw error;
    throw new EndError(`Everything is restored, but the keys are wrong. ${error.message}`, exitCodes.config);
  });
}

async function target(
  { url, dataDir }: Env['database'],
  log: Log,
): Promise<{ readonly connection: Connection; readonly stop: () => Promise<void> }> {
  if (url !== undefined) return { connection: { connectionString: url }, stop: async () => undefined };
  return startEmbeddedPostgres({ dataDir: resolve(dataDir), log });
}

function withRemedy(error: unknown, file: string): unknown {
  if (error instanceof BackupFileError) {
    return new EndError(`${file}: ${error.message} ${nothingRestored}`);
  }
  const code = codeOf(error);
  if (!['ENOENT', 'EACCES', 'EISDIR'].includes(code)) return error;
  return new EndError(`${file} cannot be read (${code}).`);
}

runCommand(usage, main, [1]);
