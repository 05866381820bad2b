import type { Logger } from 'pino';
import type { Env } from '../../env.ts';
import { logToStderr, settingsIn } from './run-command.ts';
import { secretsIn } from './secrets-in.ts';
import { type Visit, visitDatabase } from './visit-database.ts';

/** Runs a command's work on the bot's database, and closes it afterwards. Throws what `settingsIn` and `visitDatabase` throw. */
export async function onDatabase(
  environment: Readonly<Record<string, string | undefined>>,
  work: (visit: Visit & { readonly env: Env; readonly log: Logger }) => Promise<void>,
): Promise<void> {
  const env = settingsIn(environment);
  const log = logToStderr(secretsIn(env));
  const visit = await visitDatabase(env.database, log);
  try {
    await work({ ...visit, env, log });
  } finally {
    await visit.close();
  }
}
