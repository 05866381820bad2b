import { followUpLink } from '../core/acts/follow-up-links.ts';
import type { Bot } from '../core/bot.ts';
import { makeHomeTabs } from '../core/home/show-home.ts';
import { makeRenewals } from '../core/linking/access-tokens.ts';
import { makeLater } from '../lib/later.ts';
import { makeProcessor } from '../lib/processor.ts';
import type { Base } from './base.ts';
import { composeCallbackTokens } from './receiving.ts';

/** Composes what every use case is handed. */
export async function composeCore(base: Base): Promise<Bot> {
  const { env, store, service, metrics, sealing, copy, clock, sleep, log, queue } = base;
  const { port: slack } = base.slack;
  const { publicUrl } = env.http;
  const tokens = await composeCallbackTokens(store);
  const { retentionDays } = env;
  const bot: Bot = {
    clock,
    config: { publicUrl, retentionDays, urlTemplates: env.service.links, copy },
    db: store.db,
    slack,
    service: { ...service.service, oauth: service.oauth },
    sealing,
    tokens,
    later: makeLater(log, sleep),
    queue,
    log,
    metrics,
    inProcess: {
      processor: makeProcessor(),
      sleep,
      homeTabs: makeHomeTabs(() => performance.now()),
      renewals: makeRenewals(),
    },
    followUpLink: (attemptId) => followUpLink(bot, attemptId),
  };
  return bot;
}
