import { readEnv } from '../../env.ts';
import type { Environment } from '../lib/run-command.ts';
import { settingWarnings } from '../lib/setting-warnings.ts';
import { checkDatabase } from './check-database.ts';
import { checkPublicAddress } from './check-public-address.ts';
import { checkService, judgeNotifications } from './check-service.ts';
import { checkSlack, judgeSignatures } from './check-slack.ts';
import { findingsOn, halvesOf, type SetupFinding, topics } from './finding.ts';

const configuration = findingsOn('configuration');

/** Checks everything the bot depends on, without changing anything. A failed check becomes a finding; nothing is thrown. */
export async function diagnose(source: Environment, now: () => Date): Promise<SetupFinding[]> {
  const read = readEnv(source);
  const warnings = settingWarnings(source).map((line) => configuration.warning(...halvesOf(line)));
  if (!read.ok)
    return [
      ...read.faults.map((line) => configuration.fault(...halvesOf(line))),
      ...warnings,
      ...skippedAll(),
    ];
  const { env } = read;
  const [{ recorded, ...database }, service, publicAddress] = await Promise.all([
    checkDatabase(env, now),
    checkService(env, now),
    checkPublicAddress(env, now),
  ]);
  const slack = await checkSlack(env, recorded?.installations ?? null);
  return [
    configuration.ok('every required setting is set'),
    ...warnings,
    ...database.findings,
    ...slack.findings,
    judgeSignatures(recorded?.signatures ?? null),
    ...service.findings,
    ...judgeNotifications(recorded?.refusedAt ?? null, now()),
    publicAddress,
    checkClock([
      { of: 'the database', aheadSeconds: database.aheadSeconds },
      { of: 'Slack', aheadSeconds: slack.aheadSeconds },
      { of: 'the service', aheadSeconds: service.aheadSeconds },
    ]),
  ];
}

/** Returns every topic but the configuration as skipped. */
function skippedAll(): SetupFinding[] {
  return topics
    .filter((topic) => topic !== 'configuration')
    .map((topic) => findingsOn(topic).skipped('not checked until that is fixed'));
}

const { fault, ok, skipped } = findingsOn('clock');

/** Whose clock was read, and how many seconds it is ahead of ours; null if unknown. */
type OtherClock = { readonly of: string; readonly aheadSeconds: number | null };

/** Slack requests older than 300 s are refused, so this leaves time to act. */
const mostSeconds = 60;

function checkClock(clocks: readonly OtherClock[]): SetupFinding {
  const known = clocks.filter((clock) => clock.aheadSeconds !== null);
  if (known.length === 0) return skipped('there was no other clock to compare with');
  const apart = known.filter(({ aheadSeconds }) => Math.abs(aheadSeconds ?? 0) > mostSeconds).map(inWords);
  if (apart.length > 0) {
    return fault(`this machine’s is ${apart.join(', ')}`, 'sync the wrong clock with NTP');
  }
  return ok(`within ${mostSeconds} s of ${known.map(({ of }) => of).join(', ')}`);
}

function inWords({ of, aheadSeconds }: OtherClock): string {
  const seconds = Math.round(aheadSeconds ?? 0);
  return `${Math.abs(seconds)} s ${seconds > 0 ? 'behind' : 'ahead of'} ${of}’s`;
}
