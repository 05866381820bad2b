import type { Logger } from 'pino';
import type { z } from 'zod';
import type { Clock } from '../core/model/clock.ts';
import type { Postable } from '../core/model/may-post.ts';
import type { Workspace } from '../core/model/people.ts';
import type { Env } from '../env.ts';
import { dayMs, hourMs, minuteMs } from '../lib/durations.ts';
import { makeRemember } from '../lib/remember.ts';
import { makeSlots } from '../lib/slots.ts';
import type { Copy } from '../messages/text/copy.ts';
import { makeBoltLogger } from '../slack/bolt-logger.ts';
import { adminsSchema, makeAdminsOf } from '../slack/facts/admins.ts';
import { channelsSchema, makeChannelsOf, makePublicChannelsOf } from '../slack/facts/channels-of.ts';
import { makeForgetMember, makeIsInChannel } from '../slack/facts/in-channel.ts';
import { makeIsShared } from '../slack/facts/is-shared.ts';
import { makeMayPost, makeRecentlyMayPost } from '../slack/facts/may-post.ts';
import { currentSchema, makeProfiles, personByEmailSchema, profileSchema } from '../slack/facts/profiles.ts';
import { type Dated, type Lock, makeInstallations } from '../slack/installing/installations.ts';
import { makeStanding } from '../slack/installing/standing.ts';
import { makeRecentClients, makeWebClients, webClientOptions } from '../slack/installing/web-clients.ts';
import { makeDirectMessage } from '../slack/posting/direct-message.ts';
import { makeEdit, makePost } from '../slack/posting/post.ts';
import { makeAnswer } from '../slack/replies/answer.ts';
import { makeContextFrom } from '../slack/replies/context-from.ts';
import { makeScreens } from '../slack/replies/screens.ts';
import { hold } from '../store/locks.ts';
import type { Sealing } from '../store/sealing/sealing.ts';
import { makeRecords, makeSealedRecords } from '../store/tables/keyv-records.ts';
import { composeInstalling } from './installing.ts';
import type { StoreRoom } from './store.ts';

export type SlackRoom = Awaited<ReturnType<typeof composeSlack>>;

/** Installations that a process can lock at once: each lock holds one of the pool's connections, and needs another one to write. */
const installationsHeld = 2;

type SlackDeps = {
  readonly env: Env;
  readonly store: Pick<StoreRoom, 'db' | 'keyv' | 'seenRequests' | 'secrets' | 'tables'>;
  readonly sealing: Sealing;
  readonly copy: Copy;
  readonly clock: Clock;
  readonly log: Logger;
};

/** Composes everything that the bot can ask or do in Slack. */
export async function composeSlack({ env, store, sealing, copy, clock, log }: SlackDeps) {
  const { db, keyv, tables } = store;
  const now = () => clock.now();
  const logger = makeBoltLogger(log);
  const clientOptions = webClientOptions({ apiUrl: env.slack.apiUrl, logger });
  const records = makeSealedRecords<Dated>({ keyv, namespace: 'installations', sealing });
  const slots = makeSlots(installationsHeld);
  const lock: Lock = (name, work) => slots(() => hold(db, name, work));
  const installations = makeInstallations({ records, lock, now });
  const own = await composeInstalling({
    env,
    store,
    installations,
    records,
    lock,
    clientOptions,
    clock,
    log,
  });
  const { identityOf } = own;
  const isOwnToken = env.slack.access.kind === 'one workspace';
  const clients = makeWebClients({ options: clientOptions, identityOf });
  const recentClients = makeRecentClients({ clients, now: () => performance.now() });
  const directMessage = makeDirectMessage({ clients, directMessages: tables.directMessages });
  const answer = makeAnswer({ fetch, allowedOrigins: env.slack.allowedResponseOrigins });
  /** Records of Slack's answers, kept for `ttlMs` milliseconds. */
  const kept = <T>(namespace: string, ttlMs: number, schema?: z.ZodType<T>) =>
    makeRecords<T>({ keyv, namespace, ttlMs, schema });
  const mayPost = makeMayPost({
    clients,
    wasRemoved: async (channel) => (await tables.channels.of(channel)).isOut,
    isOwnDirect: tables.directMessages.isOwn,
  });
  // A burst looks up the same few names again and again.
  const remembered = makeRemember<string | null>({
    forMs: minuteMs,
    most: 1_000,
    now: () => performance.now(),
  });
  const inChannel = kept<true>('in-channel', minuteMs / 6);
  const ownChannels = kept('channels-of', 5 * minuteMs, channelsSchema);
  const publicChannels = kept('public-channels', minuteMs, channelsSchema);
  const { profileOf, currentProfileOf, isAdmin, byEmail } = makeProfiles({
    clients,
    profiles: kept('profiles', 10 * minuteMs, profileSchema),
    current: kept('current', minuteMs / 12, currentSchema),
    peopleByEmail: kept('people-by-email', dayMs, personByEmailSchema),
  });

  return {
    logger,
    clientOptions,
    authorize: own.authorize,
    /** What the install pages do; null if a bot token of one workspace is set. */
    install: own.install,
    installations,
    post: makePost({ clients: recentClients }),
    edit: makeEdit({ clients: recentClients }),
    ...makeStanding({
      clients,
      // A bot token of one workspace has no stored installation, so its age is unknown.
      installation: isOwnToken ? async () => ({ installedAt: null }) : installations.find,
    }),
    // An admin who replaces the bot token revokes the old one, and may take a while to set the new one.
    ...(isOwnToken && { isRevoked: async () => false }),
    directMessage,
    answer,
    /** Kept as long as Slack accepts a `response_url`. */
    pressedOffers: makeSealedRecords<string>({
      keyv,
      namespace: 'link-offers',
      ttlMs: 30 * minuteMs,
      sealing,
    }),
    contextFrom: makeContextFrom({ answer, directMessage, copy, log }),
    mayPost,
    recentlyMayPost: makeRecentlyMayPost({ mayPost, found: kept<Postable>('may-post', minuteMs / 2) }),
    isShared: makeIsShared({ clients }),
    screens: makeScreens({ clients }),
    isInChannel: makeIsInChannel({
      clients,
      found: inChannel,
      directMessageOf: tables.directMessages.of,
    }),
    adminsOf: makeAdminsOf({ clients, kept: kept('admins', hourMs, adminsSchema), log }),
    channelsOf: makeChannelsOf({ clients, found: ownChannels, log }),
    publicChannelsOf: makePublicChannelsOf({ clients, found: publicChannels, log }),
    forgetMember: makeForgetMember({ inChannel, channelsOf: ownChannels }),
    profileOf,
    currentProfileOf,
    isAdmin,
    nameOf: async (workspace: Workspace, email: string, mayAsk = true): Promise<string | null> => {
      const ask = async () => (await byEmail(workspace, email, mayAsk)).name;
      const key = JSON.stringify([workspace.enterpriseId, workspace.teamId, email]);
      return mayAsk ? remembered(key, ask) : ask();
    },
    /** The bot's name in Slack, for `/invite`. */
    botNameOf: async (workspace: Workspace) => (await identityOf(workspace)).botName,
    workspaceNameOf: async (workspace: Workspace) =>
      (await identityOf(workspace)).workspaceName ?? workspace.teamId,
  };
}
