import type { Env } from '../../env.ts';
import { makeAsk } from './ask.ts';
import { checkDatabase } from './check-database.ts';
import { checkPublicAddress } from './check-public-address.ts';
import { checkService } from './check-service.ts';
import { checkSlack, judgeSignatures } from './check-slack.ts';
import { findingsOn, type SetupFinding, topics } from './finding.ts';

const configuration = findingsOn('configuration');

type DiagnoseDeps = { readonly fetch: typeof globalThis.fetch; readonly now: () => Date };

/** Checks everything the bot depends on, in parallel and without changing anything. A failed check becomes a finding; nothing is thrown. */
export async function diagnose(env: Env, { fetch, now }: DiagnoseDeps): Promise<SetupFinding[]> {
  const ask = makeAsk({ fetch, now });
  const [database, slack, service, publicAddress] = await Promise.all([
    checkDatabase(env, now),
    checkSlack(env.slack, ask),
    checkService(env, { ask, fetch, now }),
    checkPublicAddress(env, { ask, now }),
  ]);
  return [
    configuration.ok('every required setting is set'),
    ...database.findings,
    ...slack.findings,
    judgeSignatures(database.signatures),
    ...service.findings,
    publicAddress,
    checkClock([
      { of: 'the database', aheadSeconds: database.aheadSeconds },
      { of: 'Slack', aheadSeconds: slack.aheadSeconds },
      { of: 'the service', aheadSeconds: service.aheadSeconds },
    ]),
  ];
}

/** Returns the findings for an invalid configuration: its faults, and every other topic as skipped. */
export function diagnoseConfiguration(faults: readonly string[]): SetupFinding[] {
  return [
    ...faults.map((line) => {
      const [text = line, ...remedy] = line.split(': ');
      return configuration.fault(text, remedy.join(': '));
    }),
    ...topics
      .filter((topic) => topic !== 'configuration')
      .map((topic) => findingsOn(topic).skipped('not checked until that is fixed')),
  ];
}

const { fault, ok, skipped } = findingsOn('clock');

/** Whose clock was read, and how many seconds it is ahead of ours; null if unknown. */
type OtherClock = { readonly of: string; readonly aheadSeconds: number | null };

/** Slack requests older than 300 s are refused, so this leaves time to act. */
const mostSeconds = 60;

/** Compares this machine's clock with the other clocks. */
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
