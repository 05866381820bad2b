import { CamelCasePlugin, Kysely, PostgresDialect } from 'kysely';
import pg from 'pg';
import { minuteMs } from '../lib/durations.ts';
import { codeOf } from '../lib/error-code.ts';
import type { Log } from '../lib/log.ts';
import { databaseFault } from './database-fault.ts';
import type { Database } from './schema.ts';
import type { Sockets } from './sockets.ts';
import { discardingUnusable, watchEnds } from './usable-connections.ts';

/** Where a Postgres is: one URL, or its parts (`host` may be the folder of a Unix socket). */
type Address =
  | { readonly connectionString: string }
  | {
      readonly host: string;
      readonly port: number;
      readonly user: string;
      readonly password: string;
      readonly database: string;
    };

/** Where a Postgres is, and the sockets of all that connect to it, where they are to be given up together. */
export type Connection = Address & { readonly sockets?: Sockets | undefined };

/** How long the database may take, in milliseconds. */
export const databaseLimits = {
  connect: 5_000,
  statement: 5_000,
  lock: 3_000,
  idleInTransaction: 20_000,
  /** Longer than `statement`, so that it only applies if the server or the network does not answer at all. */
  answer: 6_000,
  keepAliveAfter: 10_000,
} as const;

/**
 * The limits of connections whose statements take milliseconds and which everything waits for: accepting, and the lanes. A server that
 * says nothing is given up so soon that posts go on within 5 s.
 */
const quickLimits: DatabaseLimits = { ...databaseLimits, statement: 2_500, lock: 2_000, answer: 3_000 };

/**
 * Columns are in snake case in the database and in camel case here: in what Kysely builds, and in the results of `sql` that it runs. Raw
 * SQL itself, what goes straight through `pg`, and the keys inside JSON columns stay as they are written.
 */
export const camelCase = new CamelCasePlugin({ maintainNestedObjectKeys: true });

type DatabaseLimits = { readonly [Limit in keyof typeof databaseLimits]: number };

type ConnectOptions = {
  readonly connection: Connection;
  readonly log: Log;
  /** Maximum connections; 10 by default. */
  readonly max?: number | undefined;
  /** Shown in `pg_stat_activity`. */
  readonly applicationName?: string | undefined;
  /** Lifts the limits on statements and locks: for migrations, which wait for each other. */
  readonly patient?: boolean | undefined;
  readonly limits?: DatabaseLimits | undefined;
};

/** Connections that pipeline their statements, each batch in its own transaction. */
export type PipelinedDatabase = { readonly pool: pg.Pool; readonly close: () => Promise<void> };

/** A pool, Kysely on the same pool, and its end. */
export type ConnectedDatabase = {
  readonly pool: pg.Pool;
  readonly db: Kysely<Database>;
  /** One round trip to the server; throws what `pg` throws if it fails. */
  readonly ping: () => Promise<void>;
  /** Waits for connections in use, then closes all. */
  readonly close: () => Promise<void>;
};

/** `connection` with our limits, as `pg.Pool` (and what brings its own pool, as pg-boss) takes it. */
export function poolConfig({
  connection: { sockets, ...address },
  max,
  applicationName,
  patient,
  limits = databaseLimits,
}: Omit<ConnectOptions, 'log'>): pg.PoolConfig {
  return {
    ...address,
    ...(sockets && { stream: sockets.open }),
    max: max ?? 10,
    application_name: applicationName ?? 'plancast',
    connectionTimeoutMillis: limits.connect,
    idle_in_transaction_session_timeout: limits.idleInTransaction,
    keepAlive: true,
    keepAliveInitialDelayMillis: limits.keepAliveAfter,
    ...(patient
      ? {}
      : {
          statement_timeout: limits.statement,
          lock_timeout: limits.lock,
          query_timeout: limits.answer,
        }),
  };
}

function watchOptions({ connection, log, limits = databaseLimits }: ConnectOptions) {
  return { sockets: connection.sockets, answerMs: limits.answer, log };
}

/** Makes the pool; connects when first used. Nothing that happens to a connection can end the process. */
export function connect(options: ConnectOptions): ConnectedDatabase {
  const pool = new pg.Pool(poolConfig(options));
  watchEnds(pool, watchOptions(options));
  const db = new Kysely<Database>({
    dialect: new PostgresDialect({ pool: discardingUnusable(pool) }),
    plugins: [camelCase],
  });
  return {
    pool,
    db,
    ping: async () => {
      await pool.query('select 1');
    },
    close: () => pool.end(),
  };
}

/** Makes a pool in pipeline mode; connects when first used. Nothing that happens to a connection can end the process. */
export function connectPipelined(given: ConnectOptions): PipelinedDatabase {
  const options = { limits: quickLimits, ...given };
  // `pipeline` is documented by pg 8.23, and not yet in its types. Planning a statement again for each batch takes Postgres longer than
  // storing the batch.
  const more = { pipeline: true, options: '-c plan_cache_mode=force_generic_plan' };
  const pool = new pg.Pool({ ...poolConfig(options), ...more } as pg.PoolConfig);
  watchEnds(pool, watchOptions(options));
  return { pool, close: () => pool.end() };
}

/**
 * Makes the pool of those who take and mark lanes; connects when first used. Their statements are few and large, and are planned once:
 * a plan that was made while the tables were empty would scan them whole ever after.
 */
export function connectLanes(given: ConnectOptions): PipelinedDatabase {
  const options = { limits: quickLimits, ...given };
  const off = ['enable_seqscan', 'enable_bitmapscan', 'enable_mergejoin', 'enable_hashjoin', 'jit'];
  const settings = ['plan_cache_mode=force_generic_plan', ...off.map((setting) => `${setting}=off`)];
  const more = { options: settings.map((setting) => `-c ${setting}`).join(' ') };
  const pool = new pg.Pool({ ...poolConfig(options), ...more });
  watchEnds(pool, watchOptions(options));
  return { pool, close: () => pool.end() };
}

type WaitOptions = {
  readonly log: Log;
  /** Milliseconds of a clock that never jumps. */
  readonly now: () => number;
  readonly sleep: (milliseconds: number) => Promise<void>;
  /** How long to try, in milliseconds; 60,000 by default. */
  readonly forMs?: number | undefined;
};

/**
 * Waits until the database answers; throws `DatabaseUnreachableError` when the time is over, or at once where only another setting can
 * help.
 */
export async function waitForDatabase(
  database: Pick<ConnectedDatabase, 'ping'>,
  { log, now, sleep, forMs = minuteMs }: WaitOptions,
): Promise<void> {
  const end = now() + forMs;
  for (let wait = 100; ; wait = Math.min(wait * 2, 2_000)) {
    try {
      await database.ping();
      return;
    } catch (error) {
      if (databaseFault(error)?.lasts === true || now() + wait > end)
        throw new DatabaseUnreachableError(codeOf(error), { cause: error });
      log.warn({ code: codeOf(error) }, 'the database does not answer; trying again');
    }
    await sleep(wait);
  }
}

/** The database did not answer in the time it was given at the start. */
export class DatabaseUnreachableError extends Error {
  override readonly name = 'DatabaseUnreachableError';
  constructor(code: string, options: ErrorOptions) {
    super(`The database cannot be reached (${code}). Check DATABASE_URL and that Postgres runs.`, options);
  }
}

/** Warns if the server can lose confirmed writes: a notification answered 200 must outlive a crash. */
export async function checkDurability({ pool }: Pick<ConnectedDatabase, 'pool'>, log: Log): Promise<void> {
  const result = await pool.query<{ commit: string; fsync: string; unwaited: boolean }>(
    `select current_setting('synchronous_commit') as commit, current_setting('fsync') as fsync,
      current_setting('synchronous_standby_names') = '' and exists (select from pg_stat_replication) as unwaited`,
  );
  const [row] = result.rows;
  if (row === undefined) return;
  const { unwaited, ...settings } = row;
  if (settings.commit === 'off' || settings.fsync === 'off') {
    log.warn(
      settings,
      'Postgres may lose confirmed writes in a crash: set synchronous_commit and fsync to on',
    );
  }
  if (unwaited) {
    log.warn(
      {},
      'Postgres’ standbys are asynchronous, and what was confirmed in the last moment is lost where one takes over: ' +
        'name one of them in synchronous_standby_names',
    );
  }
}
