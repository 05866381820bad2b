import type pg from 'pg';
import { hasTemplates } from '../core/model/service-urls.ts';
import type { Env } from '../env.ts';
import { featuresOff } from '../slack/scopes.ts';
import { makeSealing } from '../store/sealing/sealing.ts';
import * as status from '../store/status.ts';
import * as servedAddress from '../store/tables/served-address.ts';
import { ask } from './doctor/finding.ts';
import { type Environment, runCommand, say } from './lib/run-command.ts';
import { statusPage } from './lib/status-page.ts';
import { storedInstallations } from './lib/stored-installations.ts';
import { keysOf, onDatabase } from './lib/visit-database.ts';

const usage = 'Usage: npm run status    workspaces, links, subscriptions, paused channels and what waits';

/** Maximum paused channels listed; the rest are only counted. */
const mostChannels = 20;
/** How many installations are checked for scopes that they lack. */
const mostInstallations = 500;

async function main(environment: Environment): Promise<void> {
  await onDatabase(environment, async ({ database, env }) => {
    const { db, pool } = database;
    const [served, counts, pausedChannels, stuckChannels, installed] = await Promise.all([
      servedAddress.read(db),
      status.counts(db),
      status.pausedChannels(db, mostChannels),
      status.stuckChannels(db, { now: new Date(), limit: mostChannels }),
      // Keys that open no installation are named by the doctor.
      grantedScopes(env, pool).catch(() => []),
    ]);
    const why = servedAddress.whyStandBy(served, env.http.publicUrl);
    if (why !== null) say(`The bot is standing by: ${why}.\n`);
    const previews = hasTemplates(env.service.links);
    const off = installed.flatMap(({ id, scopes }) => {
      const features = scopes === null ? [] : featuresOff(scopes, { previews });
      return features.length === 0 ? [] : [{ id, features }];
    });
    const { installUrl } = env.slack;
    say(statusPage({ counts, pausedChannels, stuckChannels, off, installUrl, now: new Date() }));
  });
}

/** Returns which scopes admins have granted, by workspace or organization: as stored, or as Slack says if there is only one token. */
async function grantedScopes({ slack: { access, apiUrl }, database }: Env, pool: pg.Pool) {
  if (access.kind === 'installed') {
    const sealing = makeSealing(await keysOf(database));
    return storedInstallations({ pool, sealing }, mostInstallations);
  }
  const asked = await ask(`${apiUrl}auth.test`, {
    method: 'POST',
    headers: { authorization: `Bearer ${access.botToken}` },
  });
  const scopes = asked.ok ? asked.headers.get('x-oauth-scopes') : null;
  return scopes ? [{ id: 'the workspace of SLACK_BOT_TOKEN', scopes: scopes.split(/,\s*/) }] : [];
}

runCommand(usage, main);
