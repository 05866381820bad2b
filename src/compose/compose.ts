import type { RequestHandler } from 'express';
import { checkLinks } from '../core/upstream/check-link.ts';
import type { Env } from '../env.ts';
import type { Metrics } from '../http/metrics/metrics.ts';
import type { RequestTaker } from '../http/receiver/take-notifications.ts';
import { securityHeaders } from '../http/security-headers.ts';
import type { ChoreRounds } from '../jobs/chores.ts';
import type { Clock } from '../lib/durations.ts';
import type { Logger } from '../lib/log.ts';
import type { Copy } from '../messages/text/copy.ts';
import { makeCanStore } from '../store/can-store.ts';
import { type ConnectedDatabase, type Connection, withSettings } from '../store/database.ts';
import type { Sealing } from '../store/sealing/sealing.ts';
import { checkElsewhere } from '../store/tables/links.ts';
import { composeMetrics, composeService, composeStore } from './base.ts';
import { composeChores } from './chores.ts';
import { composeCore } from './core.ts';
import { composeQueue, signalDelivering, startDelivering } from './delivering.ts';
import { composeReceiving } from './receiving.ts';
import { composeRoutes } from './routes.ts';
import { composeSlack } from './slack.ts';
import { composeSlackAdapter } from './slack-adapter.ts';

/** What the bot is built on. The caller that passes it in also closes it. */
export type Foundation = {
  readonly env: Env;
  readonly connection: Connection;
  readonly database: ConnectedDatabase;
  readonly sealing: Sealing;
  readonly clock: Clock;
  readonly sleep: (milliseconds: number) => Promise<void>;
  readonly log: Logger;
};

/** A running bot. */
export type RunningBot = {
  /** Handles requests from the service, Slack and browsers; empty with `ROLE=worker`. */
  readonly entrance: { readonly first: RequestTaker | null; readonly routes: readonly RequestHandler[] };
  readonly isReady: () => Promise<boolean>;
  readonly metrics: () => Metrics;
  /** Starts what a ready bot does not need yet: the chores, and the Slack adapter, which otherwise loads with its first request. */
  readonly startRest: () => Promise<void>;
  /** Runs a chore now, by name, instead of on schedule. */
  readonly runChore: (name: string) => Promise<void>;
  /** Accepts nothing more, finishes what is in progress, and closes its own database connections. */
  readonly stop: () => Promise<void>;
};

/** Builds the bot: core with its rooms (see `composeCore`), and around it what posts, receives and runs on a schedule. */
export async function compose(foundation: Foundation): Promise<RunningBot> {
  const { env, connection, database, sealing, clock, sleep, log } = foundation;
  const works = env.role !== 'web';
  const copy: Copy = { serviceName: env.service.name, commands: env.slack.commandNames };
  const headers = securityHeaders({ publicUrl: env.http.publicUrl, authUrl: env.service.authUrl });

  const store = composeStore({ database, sealing });
  const metrics = await composeMetrics(foundation);
  const canStore = makeCanStore({ pool: database.pool, log, now: () => performance.now() });
  const slack = await composeSlack({ env, store, sealing, clock, log });
  const service = composeService({ env, clock, log });

  const queue = composeQueue({ connection, log });
  const base = { env, store, slack, service, metrics, sealing, copy, clock, sleep, log, queue };
  const bot = await composeCore(base);
  const delivering = works ? startDelivering({ bot, queue, connection }) : signalDelivering(bot);
  const receiving = composeReceiving(base, {
    connection,
    wake: delivering.wake,
    tokens: bot.tokens,
    headers,
  });
  const slackAdapter = composeSlackAdapter(base, bot);
  const routes = composeRoutes(base, { slackAdapter, bot, receiving, headers });
  const chores = composeChores(bot);
  let rounds: ChoreRounds | null = null;
  let starting: Promise<void> | null = null;
  // After a move to another address, every remote subscription is made again.
  if (works && (await checkElsewhere(bot.db, bot.config.publicUrl, bot.clock.now())))
    bot.later.run(() => checkLinks(bot), 'the check after a move failed');

  return {
    entrance:
      env.role === 'worker' ? { first: null, routes: [] } : { first: receiving.takeNotifications, routes },
    isReady,
    metrics: () => metrics,
    runChore: async (name) => chores.find((chore) => chore.name === name)?.run(),
    startRest: () => (starting ??= startRest()),
    stop: async () => {
      await starting?.catch(() => undefined);
      await slackAdapter.settle();
      await bot.later.stop();
      await delivering.stop();
      await receiving.close();
      await queue.close();
      await rounds?.stop();
    },
  };

  async function isReady(): Promise<boolean> {
    await database.ping();
    return (await canStore()) && (await rounds?.canRun()) !== false;
  }

  async function startRest(): Promise<void> {
    if (works) {
      const { startChores } = await import('../jobs/chores.ts');
      rounds = startChores({ connection: withSettings(connection), chores, log });
    }
    if (env.role !== 'worker') await slackAdapter.load();
  }
}
