import { exitCodes } from '../lib/end-error.ts';
import { diagnose } from './doctor/diagnose.ts';
import { lineOf } from './doctor/finding.ts';
import { type Environment, runCommand, say } from './lib/run-command.ts';

const usage = 'Usage: npm run doctor    checks everything the bot needs, one line each';

async function main(environment: Environment): Promise<void> {
  const findings = await diagnose(environment, () => new Date());
  say(findings.map(lineOf).join('\n'));
  process.exitCode = findings.some(({ state }) => state === 'fault') ? exitCodes.failed : 0;
}

runCommand(usage, main);
