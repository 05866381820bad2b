import { type ConstructorOptions, PgBoss } from 'pg-boss';
import type { Log } from '../lib/log.ts';

export type BossOptions = {
  /** Where the database is: one URL, or its parts. */
  readonly connection: Pick<
    ConstructorOptions,
    'connectionString' | 'host' | 'port' | 'user' | 'password' | 'database'
  >;
  /** Whether this process works on chores, or only brings pg-boss's tables up to date. */
  readonly works: boolean;
  readonly log: Pick<Log, 'warn' | 'error'>;
};

/** Milliseconds. Without an end to waiting, one connection that is half-open (the server gone without a word) would stop all chores. */
const patience = { connectionTimeoutMillis: 5_000, query_timeout: 6_000 };
/**
 * How often pg-boss looks at its tables. A chore that has come due is announced, after at most `cronWorkerIntervalSeconds`. No job here
 * depends on another one, for which it would look every few seconds, and a job that a killed process left is old by the next minute.
 */
const looks = {
  useListenNotify: true,
  notifyHeartbeatIntervalMs: 30_000,
  cronWorkerIntervalSeconds: 10,
  superviseIntervalSeconds: 300,
  queueCacheIntervalSeconds: 300,
  flowIntervalSeconds: 3_600,
};
/** The queue of chores. */
export const choresQueue = 'chores';

/** pg-boss, for chores alone: what comes round by the clock, one process at a time. */
export async function openBoss({ connection, works, log }: BossOptions) {
  // What pg-boss does not know of its options, it hands on to `pg`.
  const boss = new PgBoss({
    ...connection,
    ...patience,
    ...looks,
    ...{ keepAlive: true, keepAliveInitialDelayMillis: 10_000 },
    application_name: 'plancast chores',
    max: 2,
    supervise: works,
    schedule: works,
  });
  let closed = false;
  boss.on('error', (error) => {
    // pg's pool counts itself ended before its last connections are: an embedded server that stops then still reaches them.
    if (!closed) log.error({ err: error }, 'chores');
  });
  boss.on('warning', (warning) => log.warn({ warning: warning.message }, 'chores'));
  const close = async (): Promise<void> => {
    closed = true;
    await boss.stop({ graceful: true, timeout: 5_000 });
  };
  try {
    await boss.start();
    await boss.createQueue(choresQueue, { policy: 'short', retryLimit: 3, deleteAfterSeconds: 3_600 });
    // Older releases made the queue without it, and a queue that is there is not made again.
    await boss.updateQueue(choresQueue, { notify: true });
  } catch (error) {
    await close();
    throw error;
  }
  return { boss, close };
}
