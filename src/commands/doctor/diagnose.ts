import type { Env } from '../../env.ts';
import { makeAsk } from './ask.ts';
import { checkClock } from './check-clock.ts';
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
    checkDatabase({ database: env.database, signingSecret: env.slack.signingSecret }, now),
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
