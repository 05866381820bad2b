import { CamelCasePlugin, Kysely, PostgresDialect } from 'kysely';
import pg from 'pg';
import { minuteMs } from '../lib/durations.ts';
import { EndError, exitCodes } from '../lib/end-error.ts';
import { codeOf } from '../lib/error-code.ts';
import type { Log } from '../lib/log.ts';
import { connectionName } from '../lib/process.ts';
import { type DatabaseFault, databaseEnd, databaseFault } from './database-fault.ts';
import type { Db } from './sql.ts';
import { discardingUnusable, type Sockets, watchEnds } from './usable-connections.ts';

/** The address of a Postgres server: one URL, or its parts (`host` may be the folder of a Unix socket). */
type Address =
  | { readonly connectionString: string }
  | {
      readonly host: string;
      readonly port: number;
      readonly user: string;
      readonly password: string;
      readonly database: string;
    };

/** An address, and the sockets of all connections to it if they are to be closed together. */
export type Connection = Address & { readonly sockets?: Sockets | undefined };

/** Timeouts of the database, in milliseconds. */
export const databaseLimits = {
  connect: 5_000,
  statement: 5_000,
  lock: 3_000,
  idleInTransaction: 20_000,
  /** Longer than `statement`, so that it applies only if the server or the network does not answer at all. */
  answer: 6_000,
  keepAliveAfter: 10_000,
} as const;

/** For what everything waits for, accepting and the lanes: a silent server is abandoned soon enough for posting to resume within 5 s. */
const quickLimits: DatabaseLimits = { ...databaseLimits, statement: 2_500, lock: 2_000, answer: 3_000 };

/** Columns in snake case are in camel case here, in the results of `sql`. What goes directly through `pg` and JSON stay as written. */
export const camelCase = new CamelCasePlugin({ maintainNestedObjectKeys: true });

type DatabaseLimits = { readonly [Limit in keyof typeof databaseLimits]: number };

type ConnectOptions = {
  readonly connection: Connection;
  readonly log: Log;
  /** Maximum connections; 10 by default. */
  readonly max?: number | undefined;
  /** Shown in `pg_stat_activity`. */
  readonly applicationName?: string | undefined;
  /** Lifts the timeouts of statements and locks, as for migrations, which wait for each other. */
  readonly patient?: boolean | undefined;
  readonly limits?: DatabaseLimits | undefined;
  /** Settings of Postgres for every statement, beside those of all connections. */
  readonly settings?: Readonly<Record<string, string>> | undefined;
};

/** A pool that is used without Kysely. */
type ConnectedPool = { readonly pool: pg.Pool; readonly close: () => Promise<void> };

/** A pool, and Kysely on the same pool. */
export type ConnectedDatabase = {
  readonly pool: pg.Pool;
  readonly db: Db;
  /** One round trip to the server; throws what `pg` throws if it fails. */
  readonly ping: () => Promise<void>;
  /** Waits for connections in use, then closes all of them. */
  readonly close: () => Promise<void>;
};

/** What values mean, and when statements see each other's: as for all connections, whatever the role or the database has set. */
const meanings = {
  DateStyle: 'ISO, MDY',
  IntervalStyle: 'postgres',
  TimeZone: 'UTC',
  bytea_output: 'hex',
  extra_float_digits: '1',
  standard_conforming_strings: 'on',
  array_nulls: 'on',
  default_transaction_isolation: 'read committed',
};

/** Modes that `pg` treats as `verify-full`, with a warning of five lines, unless libpq's meaning is asked for. */
const verifyingModes = ['prefer', 'require', 'verify-ca'];

/** Parameters that `pg` would take from an address instead of our own: the names by which processes find each other, and timeouts. */
const ourParameters = [
  'application_name',
  'statement_timeout',
  'lock_timeout',
  'idle_in_transaction_session_timeout',
  'query_timeout',
];

/** Returns the address with the settings of all connections and `more`, for `pg` and libraries that use it. */
export function withSettings(address: Address, more: ConnectOptions['settings'] = {}): Address {
  const settings = { ...meanings, statement_timeout: '0', lock_timeout: '0', ...more };
  const options = Object.entries(settings)
    .map(([name, value]) => `-c ${name}=${value.replaceAll(' ', '\\ ')}`)
    .join(' ');
  if (!('connectionString' in address)) return { ...address, ...{ options } };
  const [base = '', query] = address.connectionString.split(/\?(.*)/s);
  const parameters = new URLSearchParams(query);
  for (const name of ourParameters) parameters.delete(name);
  // Some providers find the database by options in the address.
  parameters.set('options', `${parameters.get('options') ?? ''} ${options}`.trim());
  const isCompatible = parameters.get('uselibpqcompat') === 'true';
  if (!isCompatible && verifyingModes.includes(parameters.get('sslmode') ?? ''))
    parameters.set('sslmode', 'verify-full');
  return { connectionString: `${base}?${parameters}` };
}

/** Returns `connection` with our settings and timeouts, as `pg` takes it. */
export function poolConfig({
  connection: { sockets, ...address },
  max,
  applicationName,
  patient,
  limits = databaseLimits,
  settings,
}: Omit<ConnectOptions, 'log'>): pg.PoolConfig {
  return {
    ...withSettings(address, settings),
    ...(sockets && { stream: sockets.open }),
    max: max ?? 10,
    application_name: connectionName(applicationName ?? 'plancast'),
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

/** Creates a pool, which connects when first used. No error on a connection can end the process. `more`: options of `pg` besides ours. */
function openPool(options: ConnectOptions, more: object = {}): pg.Pool {
  const { connection, log, limits = databaseLimits } = options;
  const pool = new pg.Pool({ ...poolConfig(options), ...more });
  watchEnds(pool, { sockets: connection.sockets, answerMs: limits.answer, log });
  return pool;
}

/** Creates the pool and Kysely on it; it connects when first used. No error on a connection can end the process. */
export function connect(options: ConnectOptions): ConnectedDatabase {
  const pool = openPool(options);
  const db = new Kysely<unknown>({
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

/**
 * Creates the pool for accepting events. Its connections pipeline their statements, each batch in its own transaction. Once open, one stays open
 * however idle the process is: it is how `prepareToBreak` sees a process that only accepts.
 */
export function connectPipelined(options: ConnectOptions): ConnectedPool {
  // `pipeline` is documented as of pg 8.23, but missing from its types.
  return connectQuick({ ...options, settings: plannedOnce }, { pipeline: true, min: 1 });
}

/** Creates the pool for taking and marking lanes. */
export function connectLanes(options: ConnectOptions): ConnectedPool {
  return connectQuick({ ...options, settings: { ...plannedOnce, enable_hashjoin: 'off' } });
}

/** For few and large statements, planned once: planning takes longer than running, and a plan for empty tables scans whole tables. */
const plannedOnce = {
  plan_cache_mode: 'force_generic_plan',
  enable_seqscan: 'off',
  enable_bitmapscan: 'off',
  enable_mergejoin: 'off',
  jit: 'off',
};

function connectQuick(options: ConnectOptions, more: object = {}): ConnectedPool {
  const pool = openPool({ limits: quickLimits, ...options }, more);
  return { pool, close: () => pool.end() };
}

type WaitOptions = {
  readonly log: Log;
  /** Monotonic time in milliseconds. */
  readonly now: () => number;
  readonly sleep: (milliseconds: number) => Promise<void>;
  /** How long to try, in milliseconds; 60,000 by default. */
  readonly forMs?: number | undefined;
};

/** Waits until the database answers; throws an `EndError` when the time is up, or at once if only a changed setting can help. */
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
        throw databaseEnd(error) ?? unreachable(error);
      log.warn({ code: codeOf(error) }, 'the database does not answer; trying again');
    }
    await sleep(wait);
  }
}

function unreachable(cause: unknown): EndError {
  const sentence = `The database cannot be reached (${codeOf(cause)}). Check DATABASE_URL and that Postgres runs.`;
  return new EndError(sentence, exitCodes.unavailable, { cause });
}

/** Throws an `EndError` if text is not in UTF-8, nothing may be written, idling ends connections, or a pooler drops our settings. */
export async function requireSettings({ pool }: Pick<ConnectedDatabase, 'pool'>): Promise<void> {
  const needed = { server_encoding: 'UTF8', default_transaction_read_only: 'off', ...meanings };
  const { rows } = await pool.query<{ name: string; setting: string }>(
    `select n.name, current_setting(n.name) as setting from unnest($1::text[], $2::text[]) as n(name, needed)
     where current_setting(n.name) <> n.needed
     -- No connection can set these, since versions before 17 and 14 refuse what they do not know.
     union all select name, setting || 'ms' from pg_settings
     where name in ('transaction_timeout', 'idle_session_timeout') and setting <> '0'`,
    [Object.keys(needed), Object.values(needed)],
  );
  const [wrong] = rows;
  if (wrong === undefined) return;
  const [what, remedy] =
    wrong.name === 'server_encoding'
      ? [
          `stores text in ${wrong.setting}`,
          `create it again with \`create database NAME encoding 'UTF8' template template0\``,
        ]
      : [
          `has ${wrong.name} set to ${wrong.setting}${wrong.name in meanings ? ', and a pooler drops what the bot sets instead' : ''}`,
          wrong.name.endsWith('_timeout')
            ? `run \`alter role USER set ${wrong.name} = 0\``
            : `run \`alter role USER reset ${wrong.name}\` and \`alter database NAME reset ${wrong.name}\``,
        ];
  throw new EndError(`The database of DATABASE_URL ${what}: ${remedy}.`, exitCodes.config);
}

/** Returns what works now and may fail later: confirmed writes that a crash can undo, and more connections than are allowed. */
export async function databaseWarnings(
  { pool }: Pick<ConnectedDatabase, 'pool'>,
  connections: number,
): Promise<DatabaseFault[]> {
  const { rows } = await pool.query<{ forgetful: boolean; followed: boolean; most: number }>(
    `select 'off' in (current_setting('synchronous_commit'), current_setting('fsync')) as forgetful,
      current_setting('synchronous_standby_names') = '' and exists (select from pg_stat_replication) as followed,
      least(current_setting('max_connections')::int - current_setting('superuser_reserved_connections')::int,
        (select nullif(rolconnlimit, -1) from pg_roles where rolname = current_user),
        (select nullif(datconnlimit, -1) from pg_database where datname = current_database())) as most`,
  );
  const { forgetful, followed, most = connections } = rows[0] ?? {};
  return [
    forgetful && {
      said: 'can lose confirmed writes in a crash',
      remedy: 'set synchronous_commit and fsync to on in Postgres',
    },
    followed && {
      said: 'has only asynchronous standbys, so writes confirmed just before a failover are lost',
      remedy: 'name one of them in synchronous_standby_names',
    },
    connections > most && {
      said: `allows ${most} connections, and a process of the bot may open ${connections}`,
      remedy: 'lower DATABASE_POOL_SIZE, or allow more in Postgres',
    },
  ].filter((found) => typeof found === 'object');
}
