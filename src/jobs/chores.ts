import { createRequire } from 'node:module';
import { setTimeout as sleep } from 'node:timers/promises';
import { type ConstructorOptions, PgBoss } from 'pg-boss';
import type { Log } from '../lib/log.ts';
import { connectionName } from '../lib/process.ts';

/** Work that runs on a schedule, not on request. */
export type Chore = ScheduledChore | SharedChore;

type AnyChore = {
  readonly name: string;
  readonly run: () => Promise<void>;
  /** Can take many minutes: neither other chores nor its next run wait for it, and `run` itself must end when the bot stops. */
  readonly long?: boolean | undefined;
};

/** Runs in one process at a time. */
type ScheduledChore = AnyChore & {
  /** Cron expression with five fields, in UTC: at most once a minute. */
  readonly cron: string;
};

/** Runs in every process that works, because what it works on is claimed row by row. `run` itself must end when the bot stops. */
type SharedChore = AnyChore & {
  /** The pause between two runs, in milliseconds. */
  readonly everyMs: number;
};

/** How often to poll the chores queue, in seconds: if chores are announced, and if they cannot be. */
const polling = { notifyPollingIntervalSeconds: 60, pollingIntervalSeconds: 5 };

const tryAgainMs = 5_000;

type ChoreOptions = Pick<BossOptions, 'connection' | 'log'> & { readonly chores: readonly Chore[] };

type Boss = Awaited<ReturnType<typeof openBoss>>;

export type ChoreRounds = ReturnType<typeof startChores>;

/** Failures count as lasting after this many milliseconds without a success. */
const failingAfterMs = 10_000;

/** Runs each chore in the process that picks it up first. Nobody waits for their start; if the database refuses, it is retried. */
export function startChores({ connection, chores, log }: ChoreOptions) {
  const ending = new AbortController();
  /** When the first failure since the last success was, in monotonic milliseconds. */
  let failedAt: number | null = null;
  const noteFailure = (): void => {
    failedAt ??= performance.now();
  };
  const noteSuccess = (): void => {
    failedAt = null;
  };
  let open: PgBoss | null = null;
  const scheduled = chores.filter((chore) => 'cron' in chore);
  const starting = start();
  for (const chore of chores) if ('everyMs' in chore) void repeat(chore);
  return {
    /** Whether they run on schedule: false if starting them, or what pg-boss does for them, keeps failing. */
    async canRun(): Promise<boolean> {
      if (failedAt === null || performance.now() - failedAt < failingAfterMs) return true;
      // A job without a chore shows whether chores can be queued again.
      await open?.send(choresQueue, { name: '' }, { singletonKey: '' }).then(noteSuccess, noteFailure);
      return failedAt === null;
    },
    /** Waits for those in progress except `long` ones. */
    async stop(): Promise<void> {
      ending.abort();
      await (await starting)?.close();
    },
  };

  async function start(): Promise<Boss | null> {
    while (!ending.signal.aborted) {
      let boss: Boss | null = null;
      try {
        boss = await openBoss({ connection, works: true, log });
        boss.boss.on('error', noteFailure);
        await workOn(boss.boss, { chores: scheduled, log, ran: noteSuccess });
        noteSuccess();
        open = boss.boss;
        return boss;
      } catch (error) {
        noteFailure();
        log.error({ err: error }, 'the chores could not be started; trying again');
        await boss?.close();
        await sleep(tryAgainMs, undefined, { signal: ending.signal }).catch(() => undefined);
      }
    }
    return null;
  }

  async function repeat({ name, everyMs, run, long }: SharedChore): Promise<void> {
    while (!ending.signal.aborted) {
      await sleep(everyMs, undefined, { signal: ending.signal }).catch(() => undefined);
      if (ending.signal.aborted) return;
      const done = run().catch((error: unknown) => log.error({ err: error, chore: name }, 'a chore failed'));
      if (!long) await done;
    }
  }
}

async function workOn(
  boss: PgBoss,
  {
    chores,
    log,
    ran,
  }: Pick<ChoreOptions, 'log'> & { readonly chores: readonly ScheduledChore[]; readonly ran: () => void },
): Promise<void> {
  const byName = new Map(chores.map((chore) => [chore.name, chore]));
  for (const { name, cron } of chores) {
    await boss.schedule(choresQueue, cron, { name }, { key: name, singletonKey: name });
  }
  // Take all due chores in one poll: several share one announcement, and the next poll may be half a minute away.
  const taken = { ...polling, batchSize: chores.length };
  await boss.work<{ name: string }>(choresQueue, taken, async (jobs) => {
    ran();
    for (const { data } of jobs) {
      const chore = byName.get(data.name);
      const done = chore?.run().catch((error: unknown) => {
        // Its schedule will run it again.
        log.error({ err: error, chore: data.name }, 'a chore failed');
      });
      if (!chore?.long) await done;
    }
  });
}

type BossOptions = {
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
const bossPolling = {
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
    ...bossPolling,
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
    const queue = { policy: 'short', notify: true, retryLimit: 3, deleteAfterSeconds: 3_600 } as const;
    await boss.createQueue(choresQueue, queue);
    // pg-boss creates its own without.
    await boss.updateQueue(dueQueue, { notify: true });
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
