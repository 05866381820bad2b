import { keysOf } from './entry/keys-of.ts';
import { EndError, exitCodes, logToStderr, runCommand, say, settingsIn } from './entry/run-entry.ts';
import { secretsIn } from './entry/secrets-in.ts';
import { visitDatabase } from './entry/visit-database.ts';
import { reseal } from './store/reseal.ts';
import { makeSealing } from './store/sealing.ts';
import { makeSecrets } from './store/secrets.ts';
import { generateTokenKey } from './store/token-keys.ts';
import { verifyKeys } from './store/verify-keys.ts';

const usage = `Usage: npm run keys -- new       prints a new key for TOKEN_KEYS
       npm run keys -- reseal    seals everything that is stored under the first key of TOKEN_KEYS`;

async function main([act, ...more]: readonly string[]): Promise<void> {
  if (act === 'new' && more.length === 0) printNewKey();
  else if (act === 'reseal' && more.length === 0) await resealAll();
  else throw new EndError(usage, exitCodes.usage);
}

function printNewKey(): void {
  say(generateTokenKey({ now: new Date() }));
  process.stderr.write(
    'Put it first in TOKEN_KEYS, a comma and the keys that are there behind it; restart, then run `npm run keys -- reseal`.\n',
  );
}

async function resealAll(): Promise<void> {
  // biome-ignore lint/style/noProcessEnv: an entry hands the environment to its one reader
  const env = settingsIn(process.env);
  const log = logToStderr(secretsIn(env));
  const { database, close } = await visitDatabase(env.database, log);
  try {
    const { pool, db } = database;
    const sealing = makeSealing(await keysOf(env.database));
    await verifyKeys({ pool, sealing, secrets: makeSecrets({ db, sealing }) });
    const { failed } = await reseal({
      pool,
      sealing,
      log,
      done: (table, count) =>
        say(
          `${table}: ${count.resealed} sealed anew, ${count.current} under the first key already, ${count.failed} cannot be opened`,
        ),
    });
    if (failed === 0) return;
    process.stderr.write(`What cannot be opened was left as it is; keep the other keys until it is gone.\n`);
    process.exitCode = exitCodes.failed;
  } finally {
    await close();
  }
}

runCommand(main);
