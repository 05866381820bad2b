import { EndError } from '../lib/end-error.ts';
import { codeOf } from '../lib/error-code.ts';
import { writeBackup } from '../store/backup-file.ts';
import { type Environment, runCommand, say } from './lib/run-command.ts';
import { onDatabase } from './lib/visit-database.ts';

const usage = `Usage: npm run backup -- FILE
       writes everything in the database into a new file, beside the running bot or without it; npm run restore reads it`;

async function main(environment: Environment, [file = '']: readonly string[]): Promise<void> {
  await onDatabase(environment, async ({ database, env }) => {
    const tables = await writeBackup({ pool: database.pool, file }).catch((error: unknown) => {
      throw withRemedy(error, file);
    });
    for (const { name, rows } of tables) say(`${name}: ${rows}`);
    const keys =
      env.database.tokenKeys === undefined
        ? `the file token-keys in ${env.database.dataDir} (DATA_DIR)`
        : 'TOKEN_KEYS';
    say(`\nThe backup is in ${file}. Keep ${keys} elsewhere: encrypted data cannot be read without it.`);
  });
}

function withRemedy(error: unknown, file: string): unknown {
  const code = codeOf(error);
  if (code === 'EEXIST') return new EndError(`${file} already exists: name a new file.`);
  if (['ENOENT', 'EACCES', 'EISDIR', 'EROFS', 'ENOSPC'].includes(code)) {
    return new EndError(`${file} cannot be written (${code}).`);
  }
  return error;
}

runCommand(usage, main, [1]);
