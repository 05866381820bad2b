import * as servedAddress from '../store/tables/served-address.ts';
import { type Environment, runCommand, say } from './lib/run-command.ts';
import { onDatabase } from './lib/visit-database.ts';

const usage = `Usage: npm run take-over    makes the database serve PUBLIC_URL: after a change of that address, or after npm run restore`;

async function main(environment: Environment): Promise<void> {
  await onDatabase(environment, async ({ database: { db }, env }) => {
    const { publicUrl } = env.http;
    const served = await servedAddress.read(db);
    const why = servedAddress.whyStandBy(served, publicUrl);
    if (served && why === null) return say(`The database serves ${publicUrl} already.`);
    await servedAddress.takeOver(db, publicUrl);
    say(`${why === null ? '' : `Until now, ${why}. `}From now on, it serves ${publicUrl}.
Within a minute, a bot with that PUBLIC_URL starts to work: its remote subscriptions replace those with another address, it renews tokens,
and it posts. A bot on this database with another PUBLIC_URL stands by.
Stop every bot on another copy of this database, or the two take the remote subscriptions from each other.`);
  });
}

runCommand(usage, main);
