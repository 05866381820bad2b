import { createRequire } from 'node:module';
import { type ConstructorOptions, PgBoss } from 'pg-boss';
import type { Log } from '../lib/log.ts';
import { connectionName } from '../lib/process.ts';

export type BossOptions = {
  /** The database's address: one URL, or its parts. */
  readonly connection: Pick<
    ConstructorOptions,
    'connectionString' | 'host' | 'port' | 'user' | 'password' | 'database'
  >;
  /** Whether this process works on chores, or only brings pg-boss's tables up to date. */
  readonly works: boolean;
  readonly log: Pick<Log, 'warn' | 'error'>;
};

/** Timeouts in milliseconds. Without them, one half-open connection (the server vanished without closing it) would stop all chores. */
const patience = { connectionTimeoutMillis: 5_000, query_timeout: 6_000 };
/**
 * How often pg-boss polls its tables. Where jobs cannot be announced, a chore that has come due waits for at most
 * `cronWorkerIntervalSeconds`. The others can be rare. No job depends on another one (`flow`). The unfinished job of a killed process is
 * stale by the next minute anyway (`supervise`). Changes of pg-boss's tables in the background (`bam`) follow only an update of pg-boss.
 */
const polling = {
  useListenNotify: true,
  notifyHeartbeatIntervalMs: 60_000,
  cronWorkerIntervalSeconds: 10,
  superviseIntervalSeconds: 300,
  queueCacheIntervalSeconds: 300,
  bamIntervalSeconds: 300,
  flowIntervalSeconds: 3_600,
};
/** pg-boss's usual schema may be that of another program, with another version of its tables. */
export const choresSchema = 'plancast_chores';
/** The name of the chores queue. */
export const choresQueue = 'chores';
/** pg-boss's own queue, through which a schedule that has come due gets to its queue. */
export const dueQueue = '__pgboss__send-it';

/** Opens pg-boss, which runs only chores: scheduled work, done by one process at a time. */
export async function openBoss({ connection, works, log }: BossOptions) {
  keepLuxonFromIntl();
  // pg-boss passes options that it does not know to `pg`.
  const boss = new PgBoss({
    ...connection,
    schema: choresSchema,
    ...patience,
    ...polling,
    ...{ keepAlive: true, keepAliveInitialDelayMillis: 10_000 },
    application_name: connectionName('plancast chores'),
    max: 2,
    supervise: works,
    schedule: works,
  });
  let closed = false;
  boss.on('error', (error) => {
    // pg's pool reports its end before its last connections are closed: an embedded server that stops right then still causes errors on
    // them.
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
    // Older releases created the queue without `notify`, as pg-boss creates its own, and `createQueue` does not change an existing queue.
    for (const queue of [choresQueue, dueQueue]) await boss.updateQueue(queue, { notify: true });
  } catch (error) {
    await close();
    throw error;
  }
  return { boss, close };
}

/**
 * pg-boss reads cron expressions through luxon, which asks for the system's zone and language. For that, Node would read the tables of all
 * languages, which then stay in memory (6 MB). Chores are scheduled in UTC.
 */
function keepLuxonFromIntl(): void {
  // `import` would load luxon's other build, which is not the one that pg-boss uses.
  const { Settings }: typeof import('luxon') = createRequire(import.meta.url)('luxon');
  Settings.defaultZone = 'utc';
  Settings.defaultLocale = 'en-US';
}
