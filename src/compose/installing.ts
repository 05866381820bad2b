import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { WebClientOptions } from '@slack/web-api';
import type { Logger } from 'pino';
import { makeFinishInstall } from '../core/installing/finish-install.ts';
import type { Clock } from '../core/model/clock.ts';
import type { Env } from '../env.ts';
import { installPaths } from '../http/installing/install-routes.ts';
import { makeFreshInstallations } from '../slack/installing/fresh-installations.ts';
import {
  authorizeByInstallation,
  authorizeInOne,
  identityByInstallation,
  identityInOne,
  makeOneWorkspace,
} from '../slack/installing/identity.ts';
import { makeInstallStates, stateSeconds } from '../slack/installing/install-states.ts';
import type { Dated, Lock, makeInstallations } from '../slack/installing/installations.ts';
import { makeExchangeCode, makeSlackOAuth } from '../slack/installing/oauth.ts';
import type { SealedRecords } from '../store/tables/keyv-records.ts';
import type { StoreRoom } from './store.ts';

type InstallingDeps = {
  readonly env: Env;
  readonly store: Pick<StoreRoom, 'seenRequests' | 'secrets'>;
  readonly installations: ReturnType<typeof makeInstallations>;
  readonly records: SealedRecords<Dated>;
  readonly lock: Lock;
  readonly clientOptions: WebClientOptions;
  readonly clock: Clock;
  readonly log: Logger;
};

/** Composes the bot's identity: from a bot token of one workspace, or from its installations. */
export async function composeInstalling(deps: InstallingDeps) {
  const { env, store, installations, records, lock, clientOptions, clock, log } = deps;
  const { seenRequests, secrets } = store;
  const now = () => clock.now();
  if (env.slack.access.kind === 'one workspace') {
    const { botToken } = env.slack.access;
    const identityOf = identityInOne(makeOneWorkspace({ botToken, options: clientOptions }));
    return { identityOf, authorize: authorizeInOne(identityOf), install: null };
  }
  const oauth = makeSlackOAuth({
    ...env.slack.access,
    clientOptions,
    authorizationUrl: authorizePage(env),
    redirectUri: `${env.http.publicUrl}${installPaths.redirect}`,
    now,
  });
  const stateKey = await secrets.readOrCreate('install states', () => randomBytes(32).toString('base64'));
  const states = makeInstallStates({
    key: Buffer.from(stateKey, 'base64'),
    newId: () => randomBytes(16).toString('base64url'),
    take: seenRequests.take,
    now,
  });
  const exchange = makeExchangeCode({ oauth, store: installations.storeInstallation });
  return {
    identityOf: identityByInstallation(
      makeFreshInstallations({
        fetch: installations.fetchInstallation,
        records,
        lock,
        refresh: oauth.refresh,
        now,
        monotonic: () => performance.now(),
        sleep,
        log,
      }),
    ),
    authorize: authorizeByInstallation(installations.fetchInstallation),
    install: {
      authorizeUrl: async (browser: string) => oauth.authorizeUrl(await states.make(browser)),
      finishInstall: makeFinishInstall({ takeState: states.use, exchange, log }),
      seconds: stateSeconds,
    },
  };
}

/** Returns the URL of Slack's page that asks an admin; with another address of the Web API, it is on that host. */
function authorizePage(env: Env): string {
  const { origin } = new URL(env.slack.apiUrl);
  return `${origin}/oauth/v2/authorize`;
}
