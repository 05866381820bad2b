import express from 'express';
import { mustStandBy, watchStandby } from '../core/administering/standby.ts';
import { compose, type Foundation, type RunningBot } from './compose.ts';
import { composeStandby } from './standby.ts';

/**
 * Composes the bot, or one on standby as long as the database serves another address, and replaces one by the other when that changes.
 * @param everyMs how often to check that, in milliseconds
 */
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
