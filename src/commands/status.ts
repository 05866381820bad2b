import * as status from '../store/status.ts';
import * as servedAddress from '../store/tables/served-address.ts';
import { EndError, exitCodes } from './lib/end-error.ts';
import { type Environment, runCommand, say } from './lib/run-command.ts';
import { statusPage } from './lib/status-page.ts';
import { onDatabase } from './lib/visit-database.ts';

const usage = 'Usage: npm run status    workspaces, links, subscriptions, paused channels and what waits';

/** Maximum paused channels listed; the rest are only counted. */
const mostChannels = 20;

async function main(args: readonly string[], environment: Environment): Promise<void> {
  if (args.length > 0) throw new EndError(usage, exitCodes.usage);
  await onDatabase(environment, async ({ database, env }) => {
    const { db } = database;
    const [served, counts, pausedChannels, stuckChannels] = await Promise.all([
      servedAddress.read(db),
      status.counts(db),
      status.pausedChannels(db, mostChannels),
      status.stuckChannels(db, mostChannels),
    ]);
    const why = servedAddress.whyStandBy(served, env.http.publicUrl);
    if (why !== null) say(`The bot is standing by: ${why}.\n`);
    say(statusPage({ counts, pausedChannels, stuckChannels, now: new Date() }));
  });
}

runCommand(usage, main);
