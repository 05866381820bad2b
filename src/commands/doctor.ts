import { readEnv } from '../env.ts';
import { diagnose, diagnoseConfiguration } from './doctor/diagnose.ts';
import { lineOf } from './doctor/finding.ts';
import { exitCodes } from './lib/end-error.ts';

if (process.argv.length > 2) {
  process.stderr.write('Usage: npm run doctor    checks everything the bot needs, one line each\n');
  process.exit(exitCodes.usage);
}
// biome-ignore lint/style/noProcessEnv: an entry hands the environment to its one reader
const read = readEnv(process.env);
const findings = read.ok
  ? await diagnose(read.env, { fetch, now: () => new Date() })
  : diagnoseConfiguration(read.faults);
process.stdout.write(`${findings.map(lineOf).join('\n')}\n`);
process.exitCode = findings.some(({ state }) => state === 'fault') ? 1 : 0;
