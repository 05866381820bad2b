import type { Queue } from '../core/bot.ts';
import type { Env } from '../env.ts';
import type { Metrics } from '../http/metrics/metrics.ts';
import { openMetrics } from '../http/metrics/open-metrics.ts';
import type { Clock } from '../lib/durations.ts';
import type { Logger } from '../lib/log.ts';
import type { Copy } from '../messages/text/copy.ts';
import { makeServiceClient } from '../service/client.ts';
import { makeServiceOAuth } from '../service/oauth.ts';
import type { ConnectedDatabase } from '../store/database.ts';
import type { Sealing } from '../store/sealing/sealing.ts';
import { backlog } from '../store/tables/events.ts';
import { makeKeyv } from '../store/tables/keyv-records.ts';
import { uncheckedSince } from '../store/tables/links.ts';
import { countUnsettled } from '../store/tables/remotes.ts';
import { makeSecrets } from '../store/tables/secrets.ts';
import type { Foundation } from './compose.ts';
import type { SlackRoom } from './slack.ts';

/** What every room is composed of, besides the rooms that it uses. */
export type Base = {
  readonly env: Env;
  readonly store: StoreRoom;
  readonly slack: SlackRoom;
  readonly service: ServiceRoom;
  readonly metrics: Metrics;
  readonly sealing: Sealing;
  readonly copy: Copy;
  readonly clock: Clock;
  readonly sleep: (milliseconds: number) => Promise<void>;
  readonly log: Logger;
  readonly queue: Queue;
};

type StoreRoom = ReturnType<typeof composeStore>;

/** Composes what is stored by key. */
export function composeStore({ database, sealing }: { database: ConnectedDatabase; sealing: Sealing }) {
  const { db, pool } = database;
  return { db, pool, secrets: makeSecrets({ db, sealing }), keyv: makeKeyv({ pool }) };
}

/** Opens the metrics of this process, with what they read in the database. */
export function composeMetrics({ env, database, clock }: Foundation): Promise<Metrics> {
  return openMetrics({
    isServed: env.metrics !== undefined,
    backlog: async () => ({
      ...(await backlog(database.db)),
      unsettled: await countUnsettled(database.db),
      uncheckedSince: await uncheckedSince(database.db, clock.now()),
    }),
    clock,
  });
}

type ServiceRoom = ReturnType<typeof composeService>;

/**
 * The timeout of renewing tokens, in milliseconds. It is longer than for other calls, since a refresh token is used up even if nobody
 * waited for the answer. It is below the 20 s after which Postgres ends a waiting transaction, because the link's row is locked
 * meanwhile.
 */
const refreshAnswerMs = 15_000;

/** Composes the client of the collaboration service, and its OAuth. */
export function composeService({ env, clock, log }: { env: Env; clock: Clock; log: Logger }) {
  const settings = { ...env.service, serviceName: env.service.name };
  const service = makeServiceClient({ ...settings, log });
  const oauth = makeServiceOAuth({
    ...settings,
    redirectUri: `${env.http.publicUrl}/oauth/callback`,
    refreshTimeoutMs: refreshAnswerMs,
    now: () => clock.now(),
  });
  return { service, oauth };
}
