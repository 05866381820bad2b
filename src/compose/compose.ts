import type { RequestHandler } from 'express';
import { followUpLink } from '../core/acts/follow-up-links.ts';
import type { Bot } from '../core/bot.ts';
import { makeHomeTabs } from '../core/home/show-home.ts';
import { makeRenewals } from '../core/linking/access-tokens.ts';
import { checkLinks } from '../core/upstream/check-link.ts';
import type { Env } from '../env.ts';
import { installRoutes } from '../http/installing/install-routes.ts';
import { linkRoutes } from '../http/linking/link-routes.ts';
import type { Metrics } from '../http/metrics/metrics.ts';
import { noMetrics } from '../http/metrics/no-metrics.ts';
import { readSlackBodies } from '../http/receiver/read-body.ts';
import type { RequestTaker } from '../http/receiver/take-notifications.ts';
import { securityHeaders, withHeaders } from '../http/security-headers.ts';
import type { ChoreRounds } from '../jobs/chores.ts';
import type { Clock } from '../lib/durations.ts';
import { makeLater } from '../lib/later.ts';
import type { Logger } from '../lib/log.ts';
import { makeProcessor } from '../lib/process.ts';
import { makeServiceClient } from '../service/client.ts';
import { makeServiceOAuth } from '../service/oauth.ts';
import { watchSignatures } from '../slack/seen-signatures.ts';
import type { SlackAdapter } from '../slack/slack-adapter.ts';
import { makeCanStore } from '../store/can-store.ts';
import { type ConnectedDatabase, type Connection, withSettings } from '../store/database.ts';
import type { Sealing } from '../store/sealing/sealing.ts';
import { backlog } from '../store/tables/events.ts';
import { makeKeyv } from '../store/tables/keyv-records.ts';
import { checkElsewhere, uncheckedSince } from '../store/tables/links.ts';
import { countUnsettled } from '../store/tables/remotes.ts';
import { makeRequestTimes } from '../store/tables/request-times.ts';
import { composeChores } from './chores.ts';
import { composeQueue, signalDelivering, startDelivering } from './delivering.ts';
import { composeCallbackTokens, composeReceiving } from './receiving.ts';
import { composeSlack, type SlackRoom } from './slack.ts';

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

/** Builds the bot: core (see `composeCore`), and around it what posts, receives and runs on a schedule. */
export async function compose(foundation: Foundation): Promise<RunningBot> {
  const { env, connection, database, log } = foundation;
  const works = env.role !== 'web';
  const headers = securityHeaders({ publicUrl: env.http.publicUrl, authUrl: env.service.authUrl });

  const keyv = makeKeyv({ pool: database.pool });
  const metrics = await composeMetrics(foundation);
  const canStore = makeCanStore(database.pool, log);
  const slack = await composeSlack(foundation, keyv);
  const queue = composeQueue(foundation);
  const bot = await composeCore(foundation, { keyv, slack: slack.port, metrics, queue });
  const delivering = works ? startDelivering(bot, queue, connection) : signalDelivering(bot);
  const receiving = composeReceiving(bot, { env, connection, metrics, wake: delivering.wake, headers });
  const slackAdapter = composeSlackAdapter(bot, env, slack);
  // In the order in which they are tried.
  const routes: RequestHandler[] = [
    withHeaders(headers),
    linkRoutes(bot, env.service.scopes),
    ...(slack.installer ? [installRoutes(bot, slack.installer)] : []),
    readSlackBodies(),
    slackAdapter.routes,
  ];
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

/** Composes what every use case is handed. */
export async function composeCore(
  foundation: Foundation,
  ports: Pick<Bot, 'keyv' | 'slack' | 'metrics' | 'queue'>,
): Promise<Bot> {
  const { env, database, sealing, clock, sleep, log } = foundation;
  const { retentionDays, service, http, slack } = env;
  const bot: Bot = {
    ...ports,
    clock,
    config: {
      publicUrl: http.publicUrl,
      retentionDays,
      urlTemplates: service.links,
      copy: { serviceName: service.name, commands: slack.commandNames },
    },
    db: database.db,
    service: composeService(foundation),
    sealing,
    tokens: await composeCallbackTokens(foundation),
    later: makeLater(log, sleep),
    log,
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

/** Composes the Slack adapter. Bolt is a quarter of all modules and posting needs none, so it is loaded by `load` or a request. */
export function composeSlackAdapter(bot: Bot, env: Env, slack: SlackRoom) {
  const { signingSecret } = env.slack;
  const watch = watchSignatures(bot, signingSecret, makeRequestTimes(bot).note);
  let opening: Promise<SlackAdapter> | null = null;
  const open = (): Promise<SlackAdapter> =>
    (opening ??= import('../slack/slack-adapter.ts').then(({ openSlackAdapter }) =>
      openSlackAdapter(bot, { ...slack, signingSecret, watch }),
    ));
  const routes: RequestHandler = (request, response, next) =>
    void open().then((adapter) => adapter.routes(request, response, next), next);
  return {
    routes,
    load: async () => void (await open()),
    /** Waits for work that was acknowledged but is not finished. */
    settle: async () => (await opening?.catch(() => null))?.settle(),
  };
}

/** Makes the metrics of this process, with what they read in the database. Unless they are served, none are kept. */
export async function composeMetrics({ env, database: { db }, clock }: Foundation): Promise<Metrics> {
  if (env.metrics === undefined) return noMetrics;
  const { makeMetrics } = await import('../http/metrics/metrics.ts');
  return makeMetrics({
    backlog: async () => ({
      ...(await backlog(db)),
      unsettled: await countUnsettled(db),
      uncheckedSince: await uncheckedSince(db, clock.now()),
    }),
    now: () => clock.now(),
    monotonic: () => performance.now(),
    ofProcess: true,
  });
}

/**
 * The timeout of renewing tokens, in milliseconds. It is longer than for other calls, since a refresh token is used up even if nobody
 * waited for the answer. It is below the 20 s after which Postgres ends a waiting transaction, because the link's row is locked
 * meanwhile.
 */
const refreshAnswerMs = 15_000;

/** Composes the client of the collaboration service, and its OAuth. */
function composeService({ env, clock, log }: Foundation): Bot['service'] {
  const settings = { ...env.service, serviceName: env.service.name };
  const oauth = makeServiceOAuth({
    ...settings,
    redirectUri: `${env.http.publicUrl}/oauth/callback`,
    refreshTimeoutMs: refreshAnswerMs,
    now: () => clock.now(),
  });
  return { ...makeServiceClient({ ...settings, log }), oauth };
}
