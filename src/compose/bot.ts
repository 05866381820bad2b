import express from 'express';
import { mustStandBy, watchStandby } from '../core/administering/standby.ts';
import { readSlackBodies } from '../http/receiver/read-body.ts';
import { securityHeaders, withHeaders } from '../http/security-headers.ts';
import { standbyPage } from '../http/standby.ts';
import { makeBoltLogger } from '../slack/installing/web-clients.ts';
import { answer } from '../slack/replies/answer.ts';
import { makeKeyv } from '../store/tables/keyv-records.ts';
import { compose, composeMetrics, type Foundation, type RunningBot } from './compose.ts';
import { composeCallbackTokens, composeReceiving } from './receiving.ts';

/** Composes the bot, or one on standby while the database serves another address, and replaces one by the other. `everyMs`: checks. */
export async function composeBot(foundation: Foundation, everyMs = 15_000): Promise<RunningBot> {
  const { log, env, database } = foundation;
  const standby = { db: database.db, log, publicUrl: env.http.publicUrl };
  const ending = new AbortController();
  let current = await open();
  const standsBy = () => current.standsBy;
  const watching = watchStandby(standby, { everyMs, signal: ending.signal, standsBy, change: replace });

  return {
    entrance: {
      first: (request, response, pass) => (current.first ? current.first(request, response, pass) : pass()),
      routes: [(request, response, next) => current.routes(request, response, next)],
    },
    isReady: () => current.bot.isReady(),
    metrics: () => current.bot.metrics(),
    runChore: (name) => current.bot.runChore(name),
    startRest: () => current.bot.startRest(),
    stop: async () => {
      ending.abort();
      await watching;
      await current.bot.stop();
    },
  };

  async function open() {
    const standsBy = await mustStandBy(standby);
    const bot = await (standsBy ? composeStandby(foundation) : compose(foundation));
    const routes = express.Router();
    for (const handler of bot.entrance.routes) routes.use(handler);
    return { standsBy, bot, first: bot.entrance.first, routes };
  }

  async function replace(): Promise<void> {
    const before = current.bot;
    current = await open();
    await current.bot.startRest();
    if (!current.standsBy) log.info({ address: standby.publicUrl }, 'ready');
    await before.stop();
  }
}

/** Composes a bot on standby, which only stores notifications and answers people: nothing calls the service, renews tokens or posts. */
async function composeStandby(foundation: Foundation): Promise<RunningBot> {
  const { env, connection, database, log } = foundation;
  const headers = securityHeaders({ publicUrl: env.http.publicUrl, authUrl: env.service.authUrl });
  const metrics = await composeMetrics(foundation);
  const tokens = await composeCallbackTokens(foundation);
  const keyv = makeKeyv({ pool: database.pool });
  const bot = { ...foundation, db: database.db, keyv, tokens };
  const receiving = composeReceiving(bot, { env, connection, metrics, wake: nothing, headers });
  const { openStandbyAdapter } = await import('../slack/standby.ts');
  const slack = openStandbyAdapter(foundation, {
    signingSecret: env.slack.signingSecret,
    logger: makeBoltLogger(log),
    answer: (...given) => answer({ responseOrigins: env.slack.allowedResponseOrigins }, ...given),
  });
  const routes = [withHeaders(headers), readSlackBodies(), slack, standbyPage(env.http)];
  return {
    entrance: env.role === 'worker' ? noEntrance : { first: receiving.takeNotifications, routes },
    isReady: async () => false,
    metrics: () => metrics,
    runChore: nothing,
    startRest: nothing,
    stop: async () => void (await receiving.close()),
  };
}

const noEntrance: RunningBot['entrance'] = { first: null, routes: [] };
async function nothing(): Promise<void> {}
