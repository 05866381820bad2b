import { openBoss } from '../jobs/chores.ts';
import { withSettings } from '../store/database.ts';
import { backupBefore, migrate } from '../store/migrate.ts';
import { type Environment, runCommand, say, settingsWithLog } from './lib/run-command.ts';

const usage = 'Usage: npm run release    brings the tables up to date';

/** Brings the tables, including those of the chores, up to date. A platform runs this before the new release takes over. */
async function main(environment: Environment): Promise<void> {
  const { env, log } = settingsWithLog(environment);
  const { url, dataDir } = env.database;
  if (url === undefined) {
    say('Nothing to do: the embedded database is migrated when the bot starts.');
    return;
  }
  const connection = { connectionString: url };
  await migrate({
    connection,
    backupIn: dataDir,
    log: {
      info: ({ migration }, message) =>
        say(
          message === 'migrated'
            ? `Migrated ${migration}.`
            : `Wrote a backup: ${backupBefore(String(migration), dataDir)}`,
        ),
      warn: (fields, message) => log.warn(fields, message),
      error: (fields, message) => log.error(fields, message),
    },
  });
  const boss = await openBoss({ connection: withSettings(connection), works: false, log });
  await boss.close();
  say('The tables are up to date.');
}

runCommand(usage, main);
