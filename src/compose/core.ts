import { makeFollowUps } from '../core/acts/follow-up-links.ts';
import type { Bot } from '../core/bot.ts';
import { makeHomeTabs } from '../core/home/show-home.ts';
import { makeAccessTokenFor } from '../core/linking/access-tokens.ts';
import { makeEmailsOf } from '../core/linking/emails-of.ts';
import { makeUpstreamRoom } from '../core/upstream/upstream-room.ts';
import { hourMs } from '../lib/durations.ts';
import { makeProcessor } from '../lib/processor.ts';
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
  const { env, store, service, metrics, sealing, copy, clock, sleep, log, queue } = base;
  const { port: slack, contextFrom } = base.slack;
  const processor = makeProcessor();
  const { keyv } = store;
  const { publicUrl } = env.http;
  const tokens = await composeCallbackTokens(store);
  const { retentionDays } = env;
  const shared = {
    clock,
    config: { publicUrl, retentionDays, urlTemplates: env.service.links, copy, helpEntries },
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
    contextFrom,
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
  const upstream = makeUpstreamRoom({
    bot,
    ...store,
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
  const followUps = makeFollowUps(bot);
  return { bot, upstream, followUps };
}
