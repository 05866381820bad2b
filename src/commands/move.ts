import { join, resolve } from 'node:path';
import { type Env, isPostgresAddress } from '../env.ts';
import type { Log } from '../lib/log.ts';
import { copyTables, firstUsedTable, inSnapshot } from '../store/copy-tables.ts';
import { type ConnectedDatabase, connect } from '../store/database.ts';
import { databaseFault } from '../store/database-fault.ts';
import { migrate, newerMigrations } from '../store/migrate.ts';
import { EndError, exitCodes } from './lib/end-error.ts';
import { type Environment, runCommand, say, settingsWithLog } from './lib/run-command.ts';
import { sealingOf, type Visit, visitDatabase } from './lib/visit-database.ts';

const usage = `Usage: npm run move -- postgres://user:password@host:5432/database
       copies everything from the embedded database into an empty one of your own, while the bot is stopped`;

const nothingMoved = 'Nothing was moved.';

async function main([address, ...more]: readonly string[], environment: Environment): Promise<void> {
  if (address === undefined || more.length > 0 || !isPostgresAddress(address)) {
    throw new EndError(usage, exitCodes.usage);
  }
  // A DATABASE_URL that is already set is the database to move to, and needs no keys yet.
  const { env, log } = settingsWithLog({ ...environment, DATABASE_URL: undefined }, address);
  const connection = { connectionString: address };
  const source = await visitDatabase(env.database, log, { alone: true });
  const target = connect({ connection, log, max: 2, patient: true });
  try {
    await checkSource(source, env.database);
    await prepareTarget(target, connection, log);
    const { rows, tables } = await moveRows(source, target);
    say(`Moved everything: ${rows} rows of ${tables} tables.\n\n${nextSteps(env.database)}`);
  } finally {
    await target.close();
    await source.close();
  }
}

async function checkSource({ database }: Visit, settings: Env['database']): Promise<void> {
  const newer = await newerMigrations(database.pool);
  if (newer.length > 0) {
    // This release does not know what the newer one added, and would not copy it.
    const which = `A newer release has migrated the embedded database (${newer.join(', ')})`;
    throw new EndError(`${which}: move with that release. ${nothingMoved}`);
  }
  await sealingOf(database, settings);
}

/** Refuses a database that is not empty; creates the tables in an empty one. */
async function prepareTarget(
  target: ConnectedDatabase,
  connection: { readonly connectionString: string },
  log: Log,
): Promise<void> {
  try {
    await target.ping();
    const used = await inSnapshot(target.pool, firstUsedTable);
    if (used === null) return await migrate({ connection, log });
    throw new EndError(
      `The database at that address is not empty (${used}): create an empty one, and give its address. ${nothingMoved}`,
    );
  } catch (error) {
    throw withRemedy(error);
  }
}

function withRemedy(error: unknown): unknown {
  const fault = databaseFault(error);
  if (fault === null) return error;
  const sentence = `The database at that address ${fault.said}: ${fault.remedy}. ${nothingMoved}`;
  return new EndError(sentence, exitCodes.unavailable);
}

async function moveRows(source: Visit, target: ConnectedDatabase): Promise<{ rows: number; tables: number }> {
  let [rows, tables] = [0, 0];
  await copyTables({
    from: source.database.pool,
    to: target.pool,
    copied: (table) => {
      rows += table.rows;
      tables += 1;
      say(`${table.name}: ${table.rows}`);
    },
  });
  return { rows, tables };
}

function nextSteps({ tokenKeys, dataDir }: Env['database']): string {
  const keys =
    tokenKeys === undefined
      ? `the line in the file ${join(resolve(dataDir), 'token-keys')}`
      : 'unchanged: encrypted data cannot be read without the same keys';
  return `Before the bot starts again, set
  DATABASE_URL  the address you gave here
  TOKEN_KEYS    ${keys}
and run \`npm run doctor\`. The embedded database in ${dataDir} is left as it was: remove it once the bot works on the new one,
and never start a second bot on it, or messages are posted twice.`;
}

runCommand(usage, main);
