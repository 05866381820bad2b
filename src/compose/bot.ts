import { setTimeout as sleep } from 'node:timers/promises';
import express from 'express';
import * as servedAddress from '../store/tables/served-address.ts';
import { compose, type Foundation, type RunningBot } from './compose.ts';
import { composeStandby } from './standby.ts';

/**
 * Composes the bot, or one on standby as long as the database serves another address, and replaces one by the other when that changes.
 * @param everyMs how often to check that, in milliseconds
 */
export async function composeBot(foundation: Foundation, everyMs = 15_000): Promise<RunningBot> {
  const { env, database, log } = foundation;
  const { publicUrl } = env.http;
  const { db } = database;
  const ending = new AbortController();
  const served = await servedAddress.read(db);
  if (!served) await servedAddress.takeOver(db, publicUrl);
  let current = await open(served);
  const checking = check();

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
      await checking;
      await current.bot.stop();
    },
  };

  async function open(found: servedAddress.ServedAddress | null) {
    const standsBy = servedAddress.whyStandBy(found, publicUrl) !== null;
    if (standsBy) {
      const why = found?.restored ? 'was restored from a backup' : 'serves another address than PUBLIC_URL';
      const facts = { serves: found?.address, address: publicUrl };
      log.warn(facts, `standing by: the database ${why}; \`npm run take-over\` ends that`);
    }
    const bot = await (standsBy ? composeStandby(foundation) : compose(foundation));
    const routes = express.Router();
    for (const handler of bot.entrance.routes) routes.use(handler);
    return { standsBy, bot, first: bot.entrance.first, routes };
  }

  /** If the other bot cannot be composed, this rejects, which ends the process as a failed start does. */
  async function check(): Promise<void> {
    while (await sleep(everyMs, true, { signal: ending.signal }).catch(() => false)) {
      const found = await servedAddress.read(db).catch(() => null);
      // Without the database, everything stays as it is.
      if (!found || (servedAddress.whyStandBy(found, publicUrl) !== null) === current.standsBy) continue;
      const before = current.bot;
      current = await open(found);
      await current.bot.startRest();
      if (!current.standsBy) log.info({ address: publicUrl }, 'ready');
      await before.stop();
    }
  }
}
