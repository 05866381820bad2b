import { EndError, exitCodes } from '../lib/end-error.ts';
import { reseal } from '../store/sealing/reseal.ts';
import { makeSealing } from '../store/sealing/sealing.ts';
import { generateTokenKey } from '../store/sealing/token-keys.ts';
import { verifyKeys } from '../store/sealing/verify-keys.ts';
import { type Environment, runCommand, say } from './lib/run-command.ts';
import { keysOf, onDatabase } from './lib/visit-database.ts';

const usage = `Usage: npm run keys -- new       prints a new key for TOKEN_KEYS
       npm run keys -- reseal    seals everything that is stored under the first key of TOKEN_KEYS`;

async function main(environment: Environment, [act]: readonly string[]): Promise<void> {
  if (act === 'new') printNewKey();
  else if (act === 'reseal') await resealAll(environment);
  else throw new EndError(usage, exitCodes.usage);
}

function printNewKey(): void {
  say(generateTokenKey(new Date()));
  process.stderr.write(
    'To change keys: add it at the end of TOKEN_KEYS, after a comma; restart every process. Then put it first, restart every ' +
      'process again, and run `npm run keys -- reseal`.\n',
  );
}

async function resealAll(environment: Environment): Promise<void> {
  await onDatabase(environment, async ({ database: { db, pool }, env, log }) => {
    const sealing = makeSealing(await keysOf(env.database));
    await verifyKeys({ pool, sealing, db });
    const { resealed, current, failed } = await reseal({ pool, sealing, log });
    say(`${resealed} resealed, ${current} under the first key already, ${failed} cannot be opened`);
    if (failed === 0) return;
    process.stderr.write(`What could not be opened is unchanged; keep the other keys until it is gone.\n`);
    process.exitCode = exitCodes.failed;
  });
}

runCommand(usage, main, [1]);
