import { readFile, realpath } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import type pg from 'pg';
import { connectionTo, readServerNote } from '../../embedded-postgres/server.ts';
import type { Env } from '../../env.ts';
import { codeOf } from '../../lib/error-code.ts';
import type { Log } from '../../lib/log.ts';
import { readSeenSignatures, type SeenSignatures } from '../../slack/seen-signatures.ts';
import { tryToStore } from '../../store/can-store.ts';
import { type Connection, connect, DatabaseSettingError, requireSettings } from '../../store/database.ts';
import { type DatabaseFault, databaseFault, databaseFaults } from '../../store/database-fault.ts';
import { isMigrated, NewerDatabaseError, newerMigrations } from '../../store/migrate.ts';
import { isTransactionPooled, TransactionPoolerError } from '../../store/pooler.ts';
import { makeSealing } from '../../store/sealing/sealing.ts';
import { parseTokenKeys, type TokenKeys, TokenKeysError } from '../../store/sealing/token-keys.ts';
import { verifyKeys, WrongTokenKeysError } from '../../store/sealing/verify-keys.ts';
import { makeKeyv } from '../../store/tables/keyv-records.ts';
import { makeSeenSignatures } from '../../store/tables/seen-signatures.ts';
import * as servedAddress from '../../store/tables/served-address.ts';
import { reasonOf } from './ask.ts';
import { findingsOn, type SetupFinding, type SystemFindings } from './finding.ts';

const { fault, ok, warning } = findingsOn('database');

type DatabaseFindings = SystemFindings & {
  /** What the bot recorded about requests from Slack; null if that could not be read. */
  readonly signatures: SeenSignatures | null;
};

type Facts = {
  readonly milliseconds: number;
  /** Whether the tables exist, from any release. */
  readonly hasTables: boolean;
  /** Whether this user can create what the next release adds. */
  readonly mayCreate: boolean;
  readonly readOnly: boolean;
  /** Whether a crash can undo confirmed writes. */
  readonly forgetful: boolean;
  /** Whether there are standbys and none of them is synchronous. */
  readonly followed: boolean;
};

type DatabaseFacts = {
  readonly facts: Facts;
  readonly pooled: boolean;
  /** Whether all migrations of this release have run. */
  readonly migrated: boolean;
  /** Migrations of a newer release. */
  readonly newer: readonly string[];
  readonly wrongKeys: string | undefined;
  readonly signatures: SeenSignatures | null;
  /** Why the bot stands by; null if it works. */
  readonly standsBy: string | null;
};

const noLog: Log = { info: () => undefined, warn: () => undefined, error: () => undefined };

/** Connects, reads what it needs and disconnects. Does not start an embedded database that is not running. */
export async function checkDatabase(env: Env, now: () => Date): Promise<DatabaseFindings> {
  const { database } = env;
  const embedded = database.url === undefined;
  try {
    const connection = embedded
      ? await embeddedConnection(database.dataDir)
      : { connectionString: database.url };
    if (connection === undefined) return { ...unknown, findings: [notRunning(database.dataDir)] };
    const keys = database.tokenKeys ?? (await generatedKeys(database.dataDir));
    const known = await getToKnow(connection, keys, env);
    const aheadSeconds = (known.facts.milliseconds - now().getTime()) / 1000;
    const { signatures } = known;
    return { findings: [judge(known, embedded), ...warnings(known)], aheadSeconds, signatures };
  } catch (error) {
    const finding = embedded ? embeddedFault(database.dataDir, error) : ownFault(error);
    return { ...unknown, findings: [finding] };
  }
}

const unknown = { aheadSeconds: null, signatures: null };

async function embeddedConnection(dataDir: string): Promise<Connection | undefined> {
  const folder = await realpath(join(resolve(dataDir), 'postgres'));
  const password = await readFile(join(folder, 'plancast-password'), 'utf8');
  const note = await readServerNote(folder);
  return note && connectionTo({ folder, password }, note, 'plancast');
}

async function generatedKeys(dataDir: string): Promise<TokenKeys> {
  return parseTokenKeys(await readFile(join(resolve(dataDir), 'token-keys'), 'utf8'));
}

async function getToKnow(
  connection: Connection,
  keys: TokenKeys,
  { slack, http }: Pick<Env, 'slack' | 'http'>,
): Promise<DatabaseFacts> {
  const { db, pool, close } = connect({ connection, log: noLog, max: 1, applicationName: 'plancast doctor' });
  try {
    await requireSettings({ pool });
    const facts = await readFacts(pool);
    const { hasTables } = facts;
    const migrated = hasTables && (await isMigrated(pool));
    // It changes nothing.
    if (migrated && !facts.readOnly) await tryToStore(pool, 'rollback');
    return {
      facts,
      pooled: await isTransactionPooled(connection),
      migrated,
      standsBy: migrated ? servedAddress.whyStandBy(await servedAddress.read(db), http.publicUrl) : null,
      newer: hasTables ? await newerMigrations(pool) : [],
      wrongKeys: hasTables ? await wrongKeysIn(pool, keys) : undefined,
      signatures: hasTables
        ? await readSeenSignatures(makeSeenSignatures(makeKeyv({ pool })), slack.signingSecret)
        : null,
    };
  } finally {
    await close();
  }
}

async function readFacts(pool: pg.Pool): Promise<Facts> {
  const { rows } = await pool.query<Facts>(
    `select (extract(epoch from clock_timestamp()) * 1000)::float8 as milliseconds,
      to_regclass('plancast.migrations') is not null as "hasTables",
      has_database_privilege(current_database(), 'CREATE') as "mayCreate",
      pg_is_in_recovery() or current_setting('default_transaction_read_only') = 'on' as "readOnly",
      'off' in (current_setting('synchronous_commit'), current_setting('fsync')) as forgetful,
      current_setting('synchronous_standby_names') = '' and exists (select from pg_stat_replication) as followed`,
  );
  const [facts] = rows;
  if (facts === undefined) throw new TypeError('the database gave no row for its settings');
  return facts;
}

/** Returns the sentence that names the missing keys; undefined if the keys open what is stored. */
async function wrongKeysIn(pool: pg.Pool, keys: TokenKeys): Promise<string | undefined> {
  // A check must store nothing, so discard a secret that the bot would create.
  const secrets = { readOrCreate: async (_name: string, make: () => string) => make() };
  try {
    await verifyKeys({ pool, sealing: makeSealing(keys), secrets });
    return undefined;
  } catch (error) {
    if (error instanceof WrongTokenKeysError) return error.message;
    throw error;
  }
}

function judge(
  { facts, pooled, migrated, wrongKeys, standsBy }: DatabaseFacts,
  embedded: boolean,
): SetupFinding {
  const which = embedded ? 'the embedded one' : 'the one of DATABASE_URL';
  if (pooled) return fault(...halvesOf(new TransactionPoolerError()));
  if (facts.readOnly) return faultOf(databaseFaults.readOnly);
  if (!migrated) {
    if (!facts.mayCreate) return faultOf(databaseFaults.mayNotCreate);
    const missing = facts.hasTables ? 'some tables of this release are not there yet' : 'has no tables';
    return fault(`${which} answers, but ${missing}`, 'start the bot, or run `npm run release`');
  }
  if (wrongKeys !== undefined) {
    const remedy = 'put the key of that id back into TOKEN_KEYS, after the first';
    return fault(wrongKeys.replace(/:.*$/s, ''), remedy);
  }
  if (standsBy !== null) {
    const remedy = 'if it is to replace the bot there, stop that one and run `npm run take-over`';
    return fault(`the bot stands by: ${standsBy}`, remedy);
  }
  if (facts.forgetful) {
    return fault(
      `${which} can lose confirmed writes in a crash`,
      'set synchronous_commit and fsync to on in Postgres',
    );
  }
  return ok(`${which} answers, has its tables, and the keys open what is stored`);
}

/** Returns warnings about what works today but may fail later. */
function warnings({ facts, newer }: DatabaseFacts): SetupFinding[] {
  return [
    ...(newer.length === 0
      ? []
      : [
          warning(
            `a newer release has migrated it (${newer.join(', ')}), and this one still works with it`,
            'upgrade to that release when you can',
          ),
        ]),
    ...(facts.followed
      ? [
          warning(
            'its standbys are asynchronous: writes confirmed just before a failover are lost',
            'name one of them in synchronous_standby_names',
          ),
        ]
      : []),
  ];
}

function faultOf({ said, remedy }: DatabaseFault): SetupFinding {
  return fault(`it ${said}`, remedy);
}

/** Splits one of our error messages into the fault and its remedy. */
function halvesOf({ message }: Error): [text: string, remedy: string] {
  const [text = message, ...remedy] = message.split(': ');
  return [text, remedy.join(': ').replace(/\.$/, '')];
}

function notRunning(dataDir: string): SetupFinding {
  return fault(
    `the embedded one in ${dataDir} is not running, and this check does not start it`,
    '`npm start` starts it; then check again',
  );
}

function embeddedFault(dataDir: string, error: unknown): SetupFinding {
  const code = codeOf(error);
  if (['ENOENT', 'ECONNREFUSED', 'ENOTSOCK'].includes(code)) return notRunning(dataDir);
  if (error instanceof TokenKeysError) {
    return fault(`the keys in ${dataDir} are damaged`, 'restore the file token-keys from a backup');
  }
  const known = databaseFault(error);
  if (known !== null) return faultOf(known);
  return fault(
    `the embedded one in ${dataDir} ${reasonOf(error)}`,
    code === 'EACCES' ? 'run this as the user that runs the bot' : 'see postgres.log in that folder',
  );
}

function ownFault(error: unknown): SetupFinding {
  if (error instanceof NewerDatabaseError || error instanceof DatabaseSettingError)
    return fault(...halvesOf(error));
  const known = databaseFault(error);
  if (known !== null) return faultOf(known);
  return fault(`it ${reasonOf(error)}`, 'start Postgres, or correct DATABASE_URL');
}
