import type { Logger } from 'pino';
import type { Clock } from '../core/model/clock.ts';
import type { Postable } from '../core/model/may-post.ts';
import type { Workspace } from '../core/model/people.ts';
import type { Env } from '../env.ts';
import { dayMs, hourMs, minuteMs } from '../lib/durations.ts';
import { makeSlots } from '../lib/slots.ts';
import { makeBoltLogger } from '../slack/bolt-logger.ts';
import { adminsSchema, makeAdminsOf } from '../slack/facts/admins.ts';
import { makeChannelsOf } from '../slack/facts/channels-of.ts';
import { makeForgetMember } from '../slack/facts/forget-member.ts';
import { makeIsInChannel } from '../slack/facts/in-channel.ts';
import { makeIsServed } from '../slack/facts/is-served.ts';
import { makeIsShared } from '../slack/facts/is-shared.ts';
import { channelsSchema } from '../slack/facts/kept-channels.ts';
import { makeMayPost, makeRecentlyMayPost } from '../slack/facts/may-post.ts';
import {
  currentSchema,
  makeProfiles,
  type PersonByEmail,
  personByEmailSchema,
  profileSchema,
} from '../slack/facts/profiles.ts';
import { makePublicChannelsOf } from '../slack/facts/public-channels-of.ts';
import { type Dated, type Lock, makeInstallations } from '../slack/installing/installations.ts';
import { makeStanding } from '../slack/installing/standing.ts';
import { makeRecentClients, makeWebClients, webClientOptions } from '../slack/installing/web-clients.ts';
import { makeDirectMessage } from '../slack/posting/direct-message.ts';
import { makeLookUp } from '../slack/posting/look-up.ts';
import { makeEdit, makePost } from '../slack/posting/post.ts';
import { makeAnswer } from '../slack/replies/answer.ts';
import { makeContextFrom } from '../slack/replies/context-from.ts';
import { makeScreens } from '../slack/replies/screens.ts';
import type { Sealing } from '../store/sealing/sealing.ts';
import { makeRecords, makeSealedRecords } from '../store/tables/keyv-records.ts';
import { composeInstalling } from './installing.ts';
import type { StoreRoom } from './store.ts';

export type SlackRoom = Awaited<ReturnType<typeof composeSlack>>;

/** How long Slack's answers are cached, in milliseconds. */
const recordTtl = {
  profile: 10 * minuteMs,
  personByEmail: dayMs,
  inChannel: minuteMs / 6,
  current: minuteMs / 12,
  channelsOf: 5 * minuteMs,
  publicChannels: minuteMs,
  mayPost: minuteMs / 2,
  admins: hourMs,
  /** As long as Slack accepts a `response_url`. */
  pressedOffer: 30 * minuteMs,
};

/** Installations that a process can lock at once: each lock holds one of the pool's connections, and needs another one to write. */
const installationsHeld = 2;

type SlackDeps = {
  readonly env: Env;
  readonly store: Pick<StoreRoom, 'keyv' | 'seenRequests' | 'secrets' | 'locks' | 'tables'>;
  readonly sealing: Sealing;
  readonly clock: Clock;
  readonly log: Logger;
};

/** Composes everything that the bot can ask or do in Slack. */
export async function composeSlack({ env, store, sealing, clock, log }: SlackDeps) {
  const { keyv, locks, tables } = store;
  const now = () => clock.now();
  const logger = makeBoltLogger(log);
  const clientOptions = webClientOptions({ apiUrl: env.slack.apiUrl, logger });
  const records = makeSealedRecords<Dated>({ keyv, namespace: 'installations', sealing });
  const slots = makeSlots(installationsHeld);
  const lock: Lock = (name, work) => slots(() => locks.hold(name, work));
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
  const clients = makeWebClients({ options: clientOptions, identityOf });
  const recentClients = makeRecentClients({ clients, now: () => performance.now() });
  const directMessage = makeDirectMessage({ clients, directMessages: tables.directMessages });
  const answer = makeAnswer({ fetch, allowedOrigins: env.slack.allowedResponseOrigins });
  const contextFrom = makeContextFrom({ answer, directMessage, names: env.slack.commandNames, log });
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
  const inChannel = makeRecords<true>({ keyv, namespace: 'in-channel', ttlMs: recordTtl.inChannel });
  const isInChannel = makeIsInChannel({
    clients,
    found: inChannel,
    directMessageOf: tables.directMessages.of,
  });
  const adminsOf = makeAdminsOf({
    clients,
    kept: makeRecords({ keyv, namespace: 'admins', ttlMs: recordTtl.admins, schema: adminsSchema }),
    log,
  });
  const ownChannels = makeRecords({
    keyv,
    namespace: 'channels-of',
    ttlMs: recordTtl.channelsOf,
    schema: channelsSchema,
  });
  const channelsOf = makeChannelsOf({ clients, found: ownChannels, log });
  const publicChannelsOf = makePublicChannelsOf({
    clients,
    found: makeRecords({
      keyv,
      namespace: 'public-channels',
      ttlMs: recordTtl.publicChannels,
      schema: channelsSchema,
    }),
    log,
  });
  const { profileOf, currentProfileOf, isAdmin, byEmail } = makeProfiles({
    clients,
    profiles: makeRecords({ keyv, namespace: 'profiles', ttlMs: recordTtl.profile, schema: profileSchema }),
    current: makeRecords({ keyv, namespace: 'current', ttlMs: recordTtl.current, schema: currentSchema }),
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
    authorize: own.authorize,
    /** What the install pages do; null if a bot token of one workspace is set. */
    install: own.install,
    installations,
    post: makePost({ clients: recentClients }),
    edit: makeEdit({ clients: recentClients }),
    lookUp: makeLookUp({ clients: recentClients }),
    isServed: makeIsServed({ clients }),
    ...makeStanding({
      clients,
      // A bot token of one workspace has no stored installation, so its age is unknown.
      installation:
        env.slack.access.kind === 'one workspace' ? async () => ({ installedAt: null }) : installations.find,
    }),
    directMessage,
    answer,
    pressedOffers: makeSealedRecords<string>({
      keyv,
      namespace: 'link-offers',
      ttlMs: recordTtl.pressedOffer,
      sealing,
    }),
    contextFrom,
    mayPost,
    recentlyMayPost,
    isShared,
    screens,
    isInChannel,
    adminsOf,
    channelsOf,
    forgetMember: makeForgetMember({ inChannel, channelsOf: ownChannels }),
    publicChannelsOf,
    profileOf,
    currentProfileOf,
    isAdmin,
    /** Returns the name to show for an email address of the service; null if Slack knows none. */
    nameOf: async (workspace: Workspace, email: string): Promise<string | null> =>
      (await byEmail(workspace, email)).name,
    /** The bot's name in Slack, for `/invite`. */
    botNameOf: async (workspace: Workspace) => (await identityOf(workspace)).botName,
    workspaceNameOf: async (workspace: Workspace) =>
      (await identityOf(workspace)).workspaceName ?? workspace.teamId,
  };
}
