import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';
import { makeFinishInstall } from '../core/access/install.ts';
import type { Clock } from '../core/model/clock.ts';
import type { Postable } from '../core/model/may-post.ts';
import type { Env } from '../env.ts';
import { installPaths } from '../http/installing/install-routes.ts';
import { makeSlots } from '../lib/slots.ts';
import { makeBoltLogger } from '../slack/bolt-logger.ts';
import { adminsSchema, makeAdminsOf } from '../slack/facts/admins.ts';
import { channelsSchema, makeChannelsOf } from '../slack/facts/channels-of.ts';
import { makeIsInChannel } from '../slack/facts/in-channel.ts';
import { makeIsServed } from '../slack/facts/is-served.ts';
import { makeIsShared } from '../slack/facts/is-shared.ts';
import { makeMayPost, makeRecentlyMayPost } from '../slack/facts/may-post.ts';
import {
  makeProfiles,
  type PersonByEmail,
  personByEmailSchema,
  profileSchema,
} from '../slack/facts/profiles.ts';
import { makeExchangeCode } from '../slack/installing/exchange-code.ts';
import { makeFreshInstallations } from '../slack/installing/fresh-installations.ts';
import {
  authorizeByInstallation,
  authorizeInOne,
  identityByInstallation,
  identityInOne,
  makeOneWorkspace,
} from '../slack/installing/identity.ts';
import { makeInstallStates, stateSeconds } from '../slack/installing/install-states.ts';
import { type Dated, type Lock, makeInstallations } from '../slack/installing/installations.ts';
import { makeSlackOAuth } from '../slack/installing/oauth.ts';
import { makeStanding } from '../slack/installing/standing.ts';
import { makeWebClients, webClientOptions } from '../slack/installing/web-clients.ts';
import { makeDirectMessage } from '../slack/posting/direct-message.ts';
import { makeLookUp } from '../slack/posting/look-up.ts';
import { makeEdit, makePost } from '../slack/posting/post.ts';
import { makeReceiver } from '../slack/receiver.ts';
import { makeAnswer } from '../slack/replies/answer.ts';
import { makeContextFrom } from '../slack/replies/context-from.ts';
import { makeScreens } from '../slack/replies/screens.ts';
import type { Sealing } from '../store/sealing/sealing.ts';
import { makeRecords, makeSealedRecords } from '../store/tables/keyv-records.ts';
import type { StoreRoom } from './store.ts';

export type SlackRoom = Awaited<ReturnType<typeof composeSlack>>;

const minuteMs = 60_000;
/** How long what Slack said is believed. */
const recordTtl = {
  profile: 10 * minuteMs,
  personByEmail: 24 * 60 * minuteMs,
  inChannel: minuteMs / 6,
  channelsOf: 5 * minuteMs,
  mayPost: minuteMs / 2,
  admins: 60 * minuteMs,
};

/** Installations a process holds at once: each holds one of the pool's connections, and needs another to be written. */
const installationsHeld = 2;

type SlackDeps = {
  readonly env: Env;
  readonly store: Pick<StoreRoom, 'keyv' | 'seenRequests' | 'secrets' | 'locks' | 'tables'>;
  readonly sealing: Sealing;
  readonly clock: Clock;
  readonly log: Logger;
};

/** All that the bot can ask of Slack or do there, and the receiver for what Slack asks of the bot. */
export async function composeSlack({ env, store, sealing, clock, log }: SlackDeps) {
  const { keyv, seenRequests, secrets, locks, tables } = store;
  const now = () => clock.now();
  const { publicUrl } = env.http;
  const logger = makeBoltLogger(log);
  const clientOptions = webClientOptions({ apiUrl: env.slack.apiUrl, logger });
  const records = makeSealedRecords<Dated>({ keyv, namespace: 'installations', sealing });
  const slots = makeSlots(installationsHeld);
  const lock: Lock = (name, work) => slots(() => locks.hold(name, work));
  const installations = makeInstallations({ records, lock, now });
  const { receiver, app: slackRoutes } = makeReceiver({
    signingSecret: env.slack.signingSecret,
    logger,
    now,
  });
  const own = await access();
  const { identityOf } = own;
  const clients = makeWebClients({ options: clientOptions, identityOf });
  const directMessage = makeDirectMessage({ clients, directMessages: tables.directMessages });
  const answer = makeAnswer({ fetch, allowedOrigins: env.slack.allowedResponseOrigins });
  const contextFrom = makeContextFrom({ answer, directMessage, log });
  const mayPost = makeMayPost({
    clients,
    wasRemoved: async (channel) => (await tables.channels.of(channel)).isOut,
    isOwnDirect: tables.directMessages.isOwn,
  });
  const recentlyMayPost = makeRecentlyMayPost({
    mayPost,
    found: makeRecords<Postable>({ keyv, namespace: 'may-post', ttlMs: recordTtl.mayPost }),
  });
  const isShared = makeIsShared({ clients });
  const screens = makeScreens({ clients });
  const isInChannel = makeIsInChannel({
    clients,
    found: makeRecords<true>({ keyv, namespace: 'in-channel', ttlMs: recordTtl.inChannel }),
    directMessageOf: tables.directMessages.of,
  });
  const adminsOf = makeAdminsOf({
    clients,
    kept: makeRecords({ keyv, namespace: 'admins', ttlMs: recordTtl.admins, schema: adminsSchema }),
    log,
  });
  const channelsOf = makeChannelsOf({
    clients,
    found: makeRecords({
      keyv,
      namespace: 'channels-of',
      ttlMs: recordTtl.channelsOf,
      schema: channelsSchema,
    }),
    log,
  });
  const { profileOf, byEmail } = makeProfiles({
    clients,
    profiles: makeRecords({ keyv, namespace: 'profiles', ttlMs: recordTtl.profile, schema: profileSchema }),
    peopleByEmail: makeRecords<PersonByEmail>({
      keyv,
      namespace: 'people-by-email',
      ttlMs: recordTtl.personByEmail,
      schema: personByEmailSchema,
    }),
  });

  return {
    logger,
    clientOptions,
    receiver,
    routes: slackRoutes,
    authorize: own.authorize,
    /** What the pages that install the bot do; null where a bot token of one workspace was set. */
    install: own.install,
    installations,
    identityOf,
    post: makePost({ clients }),
    edit: makeEdit({ clients }),
    lookUp: makeLookUp({ clients }),
    isServed: makeIsServed({ clients }),
    ...makeStanding({
      clients,
      // A bot token of one workspace is no record, and nobody knows since when it is there.
      installation:
        env.slack.access.kind === 'one workspace' ? async () => ({ installedAt: null }) : installations.find,
    }),
    directMessage,
    answer,
    contextFrom,
    mayPost,
    recentlyMayPost,
    isShared,
    screens,
    isInChannel,
    adminsOf,
    channelsOf,
    profileOf,
    byEmail,
  };

  /** Who the bot is, where it has a token of one workspace and where it is installed. */
  async function access() {
    if (env.slack.access.kind === 'one workspace') {
      const { botToken } = env.slack.access;
      const oneWorkspace = makeOneWorkspace({ botToken, options: clientOptions });
      return {
        identityOf: identityInOne(oneWorkspace),
        authorize: authorizeInOne(oneWorkspace),
        install: null,
      };
    }
    const oauth = makeSlackOAuth({
      ...env.slack.access,
      clientOptions,
      authorizationUrl: authorizePage(env),
      redirectUri: `${publicUrl}${installPaths.redirect}`,
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
}

/** Slack's page that asks an admin; behind another address of the Web API it is on that host. */
function authorizePage(env: Env): string {
  const { origin } = new URL(env.slack.apiUrl);
  return `${origin}/oauth/v2/authorize`;
}
