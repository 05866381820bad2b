import { showSettings } from '../core/access/change-settings.ts';
import { exportLines } from '../core/administering/export-lines.ts';
import { showImport } from '../core/administering/import-lines.ts';
import type { Bot } from '../core/bot.ts';
import { unmute } from '../core/channels/mute.ts';
import { doctor } from '../core/explaining/doctor.ts';
import { whyChannel } from '../core/explaining/why.ts';
import { makeHomeTabs } from '../core/home/show-home.ts';
import { makeAccessTokenFor } from '../core/linking/access-tokens.ts';
import { makeEmailsOf } from '../core/linking/emails-of.ts';
import { showStatus } from '../core/linking/link-commands.ts';
import { makeFollowUps } from '../core/requests/follow-up-links.ts';
import type { RequestsRoomDeps } from '../core/requests/requests-deps.ts';
import { makeRequestsRoom } from '../core/requests/requests-room.ts';
import { askUnlink } from '../core/upstream/unlink.ts';
import { makeUpstreamRoom } from '../core/upstream/upstream-room.ts';
import { hourMs } from '../lib/durations.ts';
import { makeProcessor } from '../lib/processor.ts';
import { help } from '../messages/home/help.ts';
import { helpEntries } from '../slack/grammar/help-entries.ts';
import { makeRecords } from '../store/tables/keyv-records.ts';
import type { Base } from './base.ts';
import { composeCallbackTokens } from './receiving.ts';

export type Rooms = Awaited<ReturnType<typeof composeCore>>;

/**
 * Composes the rooms that do what people ask for, and what several of them share. Each room is composed after those it uses. What a room
 * calls by the same name as where it comes from is spread; the type of the room's dependencies says which of it is used.
 */
export async function composeCore(base: Base) {
  const { env, store, transactions, service, metrics, sealing, copy, clock, sleep, log, queue } = base;
  const { port: slack, contextFrom } = base.slack;
  const processor = makeProcessor();
  const { keyv, tables } = store;
  const { publicUrl } = env.http;
  const tokens = await composeCallbackTokens(store);
  const { retentionDays } = env;
  const shared = {
    clock,
    config: { publicUrl, retentionDays, urlTemplates: env.service.links, copy },
    db: store.db,
    keyv,
    slack,
    service: { ...service.service, oauth: service.oauth },
    sealing,
    tokens,
    emailsOf: makeEmailsOf({ db: store.db, clock, slack }),
    queue,
    processor,
    log,
    metrics,
    homeTabs: makeHomeTabs(() => performance.now()),
  };
  const accessTokenFor = makeAccessTokenFor({ ...shared, sleep });
  const bot: Bot = {
    ...shared,
    accessTokenFor,
    // The rooms that are composed below.
    get followUpLink() {
      return followUps.followUpLink;
    },
    get upstream() {
      return upstream;
    },
  };
  const showHelp: RequestsRoomDeps['showHelp'] = (context, topic) =>
    context.reply(help(helpEntries(topic, context.copy.commands), context.copy));

  const upstream = makeUpstreamRoom({
    bot,
    ...store,
    ...tables,
    ...transactions,
    ...slack,
    ...service,
    accessTokenFor,
    refusedSince: makeRecords<number>({ keyv, namespace: 'refused-tokens', ttlMs: 3 * hourMs }),
    tokens,
    sealing,
    sleep,
    copy,
    publicUrl,
    clock,
    log,
  });
  const requests = makeRequestsRoom({
    bot,
    ...store,
    ...tables,
    ...transactions,
    ...slack,
    askedBy: (person, channelId) =>
      contextFrom({ person, channelId, madeInChannel: false, responseUrl: null }),
    bareVerbs: {
      settings: (context) => showSettings(bot, context),
      unlink: (context) => askUnlink(bot, context),
      status: (context) => showStatus(bot, context),
      unmute: (context) => unmute(bot, context),
      why: (context) => whyChannel(bot, context),
      doctor: (context) => doctor(bot, context),
      export: (context) => exportLines(bot, context),
      import: (context) => showImport(bot, context),
    },
    showHelp,
    clock,
    log,
  });
  const followUps = makeFollowUps({
    bot,
    carryOut: requests.carryOut,
    contextFrom: (asked) => contextFrom({ ...asked, madeInChannel: true }),
  });
  const rooms = { upstream, requests, followUps };
  return { ...rooms, bot };
}
