import { makeStatus } from '../store/status.ts';
import { EndError, exitCodes } from './lib/end-error.ts';
import { onDatabase } from './lib/on-database.ts';
import { runCommand, say } from './lib/run-command.ts';
import { statusPage } from './lib/status-page.ts';

const usage = 'Usage: npm run status    workspaces, links, subscriptions, paused channels and what waits';

/** Maximum paused channels listed; the rest are only counted. */
const mostChannels = 20;

async function main(args: readonly string[]): Promise<void> {
  if (args.length > 0) throw new EndError(usage, exitCodes.usage);
  // biome-ignore lint/style/noProcessEnv: an entry hands the environment to its one reader
  await onDatabase(process.env, async ({ database }) => {
    const status = makeStatus(database);
    const [counts, pausedChannels] = await Promise.all([
      status.counts(),
      status.pausedChannels(mostChannels),
    ]);
    say(statusPage({ counts, pausedChannels, now: new Date() }));
  });
}

runCommand(main);
