import { readFile, realpath } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import type pg from 'pg';
import type { Channel } from '../../core/model/people.ts';
import { connectionTo, readServerNote } from '../../embedded-postgres/server.ts';
import type { Env } from '../../env.ts';
import { EndError } from '../../lib/end-error.ts';
import { codeOf } from '../../lib/error-code.ts';
import type { Log } from '../../lib/log.ts';
import { readSeenSignatures } from '../../slack/seen-signatures.ts';
import { tryToStore } from '../../store/can-store.ts';
import { type Connection, connect, databaseWarnings, requireSettings } from '../../store/database.ts';
import { type DatabaseFault, databaseFault, databaseFaults } from '../../store/database-fault.ts';
import { listeningName } from '../../store/lane-signals.ts';
import { isMigrated, newerMigrations } from '../../store/migrate.ts';
import { refusePooler } from '../../store/pooler.ts';
import { makeSealing, type Sealing } from '../../store/sealing/sealing.ts';
import { type TokenKeys, TokenKeysError } from '../../store/sealing/token-keys.ts';
import { verifyKeys, WrongTokenKeysError } from '../../store/sealing/verify-keys.ts';
import { stuckChannels } from '../../store/status.ts';
import { makeKeyv } from '../../store/tables/keyv-records.ts';
import { makeRequestTimes, refusedNotifications } from '../../store/tables/request-times.ts';
import * as servedAddress from '../../store/tables/served-address.ts';
import { storedInstallations } from '../lib/stored-installations.ts';
import { keysOf } from '../lib/visit-database.ts';
import { findingsOn, halvesOf, reasonOf, type SetupFinding } from './finding.ts';

const { fault, ok, warning } = findingsOn('database');

const noLog: Log = { info: () => undefined, warn: () => undefined, error: () => undefined };

/** Connects, reads what it needs and disconnects. Does not start an embedded database that is not running. */
export async function checkDatabase(env: Env, now: () => Date) {
  const { url, dataDir } = env.database;
  const embedded = url === undefined;
  try {
    const connection = embedded ? await embeddedConnection(dataDir) : { connectionString: url };
    if (connection === undefined) return { ...unknown, findings: [notRunning(dataDir)] };
    const facts = await readFacts(connection, await keysOf(env.database), { env, now });
    const { recorded, warnings } = facts;
    const aheadSeconds = (facts.milliseconds - now().getTime()) / 1000;
    const later = warnings.map(({ said, remedy }) => warning(`it ${said}`, remedy));
    return { findings: [judge(facts, embedded), ...later], aheadSeconds, recorded };
  } catch (error) {
    return { ...unknown, findings: [faultIn(error, embedded ? dataDir : null)] };
  }
}

const unknown = { aheadSeconds: null, recorded: null };

async function embeddedConnection(dataDir: string): Promise<Connection | undefined> {
  const folder = await realpath(join(resolve(dataDir), 'postgres'));
  const password = await readFile(join(folder, 'plancast-password'), 'utf8');
  const note = await readServerNote(folder);
  return note && connectionTo({ folder, password }, note, 'plancast');
}

type Facts = Awaited<ReturnType<typeof readFacts>>;

async function readFacts(
  connection: Connection,
  keys: TokenKeys,
  { env, now }: { readonly env: Env; readonly now: () => Date },
) {
  const { db, pool, close } = connect({ connection, log: noLog, max: 1, applicationName: 'plancast doctor' });
  try {
    await requireSettings({ pool });
    await refusePooler(connection);
    const settings = await readSettings(pool);
    const { hasTables, readOnly } = settings;
    const migrated = await isMigrated(pool);
    // It changes nothing.
    if (migrated && !readOnly) await tryToStore(pool, 'rollback');
    const sealing = makeSealing(keys);
    const wrongKeys = hasTables ? await wrongKeysIn(pool, sealing) : undefined;
    const times = makeRequestTimes({ keyv: makeKeyv({ pool }), clock: { now }, log: noLog });
    return {
      ...settings,
      migrated,
      wrongKeys,
      standsBy: migrated ? servedAddress.whyStandBy(await servedAddress.read(db), env.http.publicUrl) : null,
      warnings: [
        ...newerRelease(await newerMigrations(pool)),
        ...(await databaseWarnings({ pool }, env.database.connections)),
        ...stuckIn(migrated ? await stuckChannels(db, { now: now(), limit: 5 }) : []),
      ],
      /** What the bot has recorded for the doctor, and the tokens of some installations. */
      recorded:
        migrated && wrongKeys === undefined
          ? {
              signatures: await readSeenSignatures(times, env.slack.signingSecret),
              refusedAt: (await times.get(refusedNotifications(env.service.signature))) ?? null,
              installations: await storedInstallations({ pool, sealing }, 50),
            }
          : null,
    };
  } finally {
    await close();
  }
}

async function readSettings(pool: pg.Pool) {
  const { rows } = await pool.query<{
    readonly milliseconds: number;
    /** Whether the tables exist, from any release. */
    readonly hasTables: boolean;
    /** Whether this user can create what the next release adds. */
    readonly mayCreate: boolean;
    readonly readOnly: boolean;
    /** Whether a process that posts is connected. */
    readonly posting: boolean;
  }>(
    `select (extract(epoch from clock_timestamp()) * 1000)::float8 as milliseconds,
      to_regclass('plancast.migrations') is not null as "hasTables",
      has_database_privilege(current_database(), 'CREATE') as "mayCreate",
      pg_is_in_recovery() as "readOnly",
      exists (select from pg_stat_activity where datname = current_database() and starts_with(application_name, $1)) as posting`,
    [listeningName],
  );
  const [settings] = rows;
  if (settings === undefined) throw new TypeError('the database gave no row for its settings');
  return settings;
}

/** Returns the sentence that names the missing keys; undefined if the keys open what is stored. */
async function wrongKeysIn(pool: pg.Pool, sealing: Sealing): Promise<string | undefined> {
  try {
    await verifyKeys({ pool, sealing, db: null });
    return undefined;
  } catch (error) {
    if (error instanceof WrongTokenKeysError) return error.message;
    throw error;
  }
}

function judge(facts: Facts, embedded: boolean): SetupFinding {
  const which = embedded ? 'the embedded one' : 'the one of DATABASE_URL';
  if (facts.readOnly) return faultOf(databaseFaults.readOnly);
  if (!facts.migrated) {
    if (!facts.mayCreate) return faultOf(databaseFaults.mayNotCreate);
    const missing = facts.hasTables ? 'some tables of this release are missing' : 'has no tables';
    return fault(`${which} answers, but ${missing}`, 'start the bot, or run `npm run release`');
  }
  if (facts.wrongKeys !== undefined) {
    const remedy = 'put the key of that id back into TOKEN_KEYS, after the first';
    return fault(facts.wrongKeys.replace(/:.*$/s, ''), remedy);
  }
  if (facts.standsBy !== null) {
    const remedy = 'if it is to replace the bot there, stop that one and run `npm run take-over`';
    return fault(`the bot stands by: ${facts.standsBy}`, remedy);
  }
  if (!facts.posting) return fault('no process that posts is connected to it', startWorker);
  return ok(`${which} answers, has its tables, and the keys decrypt the stored data`);
}

const startWorker = 'start the bot, or a process with ROLE=worker beside those with ROLE=web';

function newerRelease(names: readonly string[]): DatabaseFault[] {
  if (names.length === 0) return [];
  const said = `was migrated by a newer release (${names.join(', ')}), with which this one still works`;
  return [{ said, remedy: 'upgrade to that release when you can' }];
}

function stuckIn(channels: readonly Channel[]): DatabaseFault[] {
  if (channels.length === 0) return [];
  const names = channels.map(({ teamId, channelId }) => `${teamId}/${channelId}`).join(', ');
  const remedy = '`npm run status` lists them all, and the log of the worker says what fails';
  return [{ said: `has changes waiting for channels where nothing is posted (${names})`, remedy }];
}

function faultOf({ said, remedy }: DatabaseFault): SetupFinding {
  return fault(`it ${said}`, remedy);
}

function notRunning(dataDir: string): SetupFinding {
  return fault(
    `the embedded one in ${dataDir} is not running, and this check does not start it`,
    '`npm start` starts it; then check again',
  );
}

/** @param dataDir the folder of the embedded database; null for another one */
function faultIn(error: unknown, dataDir: string | null): SetupFinding {
  const code = codeOf(error);
  if (dataDir !== null && ['ENOENT', 'ENOTDIR', 'ECONNREFUSED', 'ENOTSOCK'].includes(code))
    return notRunning(dataDir);
  if (error instanceof TokenKeysError)
    return fault(`the keys in ${dataDir} are damaged`, 'restore the file token-keys from a backup');
  if (error instanceof EndError) return fault(...halvesOf(error.message));
  const known = databaseFault(error);
  if (known !== null) return faultOf(known);
  if (dataDir === null) return fault(`it ${reasonOf(error)}`, 'start Postgres, or correct DATABASE_URL');
  return fault(
    `the embedded one in ${dataDir} ${reasonOf(error)}`,
    code === 'EACCES' ? 'run this as the user that runs the bot' : 'see postgres.log in that folder',
  );
}
