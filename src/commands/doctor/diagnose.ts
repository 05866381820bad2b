import type { Env } from '../../env.ts';
import { makeAsk } from './ask.ts';
import { checkClock } from './check-clock.ts';
import { checkDatabase } from './check-database.ts';
import { checkPublicAddress } from './check-public-address.ts';
import { checkService } from './check-service.ts';
import { checkSlack } from './check-slack.ts';
import { type Finding, fault, ok, skipped, topics } from './finding.ts';

type Deps = { readonly fetch: typeof globalThis.fetch; readonly now: () => Date };

/** Looks at everything the bot depends on, all at once, without changing any of it. Never throws for what it looks at. */
export async function diagnose(env: Env, { fetch, now }: Deps): Promise<Finding[]> {
  const ask = makeAsk({ fetch, now });
  const [database, slack, service, publicAddress] = await Promise.all([
    checkDatabase(env.database, now),
    checkSlack(env.slack, ask),
    checkService(env, { ask, fetch, now }),
    checkPublicAddress(env, { ask, now }),
  ]);
  return [
    ok('configuration', 'everything is set that must be'),
    ...database.findings,
    ...slack.findings,
    ...service.findings,
    publicAddress,
    checkClock([
      { of: 'the database', aheadSeconds: database.aheadSeconds },
      { of: 'Slack', aheadSeconds: slack.aheadSeconds },
      { of: 'the service', aheadSeconds: service.aheadSeconds },
    ]),
  ];
}

/** What can be said where the configuration cannot be read: its faults, and that nothing else was looked at. */
export function diagnoseConfiguration(faults: readonly string[]): Finding[] {
  return [
    ...faults.map((line) => {
      const [told = line, ...remedy] = line.split(': ');
      return fault('configuration', told, remedy.join(': '));
    }),
    ...topics
      .filter((topic) => topic !== 'configuration')
      .map((topic) => skipped(topic, 'not looked at before that')),
  ];
}
