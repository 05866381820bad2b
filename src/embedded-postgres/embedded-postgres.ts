import { existsSync } from 'node:fs';
import { chmod, chown, mkdir, mkdtemp, rm } from 'node:fs/promises';
import { platform, tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { codeOf } from '../lib/error-code.ts';
import type { Log } from '../lib/log.ts';
import { clusterIn, isPrivateFolder, mkdirFor, openCluster, placeCluster } from './cluster.ts';
import { dataDirLockHolder, takeDataDirLock } from './data-dir-lock.ts';
import { EmbeddedPostgresError } from './embedded-postgres-error.ts';
import { packagedFolder, postgresPrograms } from './programs.ts';
import { type Account, serverAccount } from './run-program.ts';
import {
  connectionTo,
  connectOrStart,
  connectToServer,
  embeddedPort,
  readServerNote,
  type ServerOptions,
  stopServer,
} from './server.ts';

/** A Postgres server in `DATA_DIR`, reached through a Unix socket in the folder `host`. */
export type EmbeddedPostgres = {
  readonly connection: ReturnType<typeof connectionTo>;
  /** The connection as one URL, which includes the password. */
  readonly url: string;
  /** Stops the server, and waits until it has written everything and exited. */
  readonly stop: () => Promise<void>;
};

/** A Postgres server whose data exist and that has not been started. */
export type PreparedPostgres = { readonly start: () => Promise<EmbeddedPostgres> };

type EmbeddedPostgresOptions = {
  /** `DATA_DIR`, absolute or relative to the working directory; created if it is missing. */
  readonly dataDir: string;
  readonly log: Log;
  /** Folders for data that root's server user cannot reach in `dataDir`; system folders by default. */
  readonly homes?: readonly string[] | undefined;
  /** Called when initdb or the server has been started: until that is ready, this process only waits. */
  readonly onWait?: (() => void) | undefined;
};

/** The name of the bot's database. */
const database = 'plancast';

/** How long to wait for a server that ended to come back on its own, in milliseconds: an admin may be restarting it. */
const grace = 2_000;

/** Maximum bytes of a socket's path: `sun_path` without its last byte is 107 on Linux and 103 on macOS. */
const longestSocketPath = 103;

/**
 * Starts a real Postgres server in `dataDir`, or takes over one that a killed bot left running, and restarts it if it ends. Throws
 * `DataDirInUseError` if another bot uses the folder, and `EmbeddedPostgresError` with a remedy if no server can be started.
 */
export async function startEmbeddedPostgres(options: EmbeddedPostgresOptions): Promise<EmbeddedPostgres> {
  const { start } = await prepareEmbeddedPostgres(options);
  return start();
}

/** Whether `dataDir` has a database, so that none has to be created. */
export function isCreated(dataDir: string): boolean {
  return existsSync(clusterIn(resolve(dataDir)));
}

/** Does everything of `startEmbeddedPostgres` that needs no server, such as creating the database; `start` does the rest. */
export async function prepareEmbeddedPostgres(options: EmbeddedPostgresOptions): Promise<PreparedPostgres> {
  const prepared = await prepare(options);
  return { start: () => own(prepared) };
}

/** Gives a command access to the database: to the running bot's server, which `stop` leaves running, or to one for the visit. */
export async function visitEmbeddedPostgres(options: EmbeddedPostgresOptions): Promise<EmbeddedPostgres> {
  const prepared = await prepare(options);
  const { server } = prepared;
  const client = await connectToServer(server, 'plancast visit');
  if (client instanceof pg.Client) {
    try {
      if ((await dataDirLockHolder(client)) !== undefined)
        return handle(server, client.host, async () => undefined);
    } finally {
      await client.end();
    }
  }
  return own(prepared);
}

type Owned = { readonly server: ServerOptions; readonly dataDir: string; readonly log: Log };

async function own(owned: Owned): Promise<EmbeddedPostgres> {
  const { server } = owned;
  const client = await lockedBy(await connectOrStart(server), owned);
  await createDatabase(client);
  const guard = keepRunning(owned, client);
  return handle(server, client.host, async () => {
    const last = await guard.end();
    await stopServer(server, last);
    await last.end();
    if (!server.socketFolder.startsWith(server.cluster.folder))
      await rm(server.socketFolder, { recursive: true, force: true });
  });
}

function handle(server: ServerOptions, host: string, stop: () => Promise<void>): EmbeddedPostgres {
  const connection = connectionTo(server.cluster, { host }, database);
  const { user, password } = connection;
  // The host name is for URL parsers that need one; `pg` and libpq use the folder.
  const url = `postgresql://${user}:${password}@localhost:${embeddedPort}/${database}?host=${encodeURIComponent(host)}`;
  return { connection, url, stop };
}

/** Takes the lock with a connection. Closes it if another process has the lock. */
async function lockedBy(client: pg.Client, { dataDir }: Owned): Promise<pg.Client> {
  try {
    await takeDataDirLock(client, dataDir);
    return client;
  } catch (error) {
    await client.end();
    throw error;
  }
}

/** Prepares everything but the server itself: the folders, the user, the programs and the data. */
async function prepare({ log, homes, onWait, ...options }: EmbeddedPostgresOptions): Promise<Owned> {
  if (platform() === 'win32') {
    throw new EmbeddedPostgresError('There is no embedded Postgres on Windows: set DATABASE_URL.');
  }
  const dataDir = resolve(options.dataDir);
  const packaged = packagedFolder();
  const wanted = await serverAccount({ uid: process.getuid?.() ?? -1 });
  // If the bot runs as root, the server's user must be able to enter; secrets in the folder have their own modes.
  const made = await mkdir(dirname(dataDir), { recursive: true })
    .then(() => mkdir(dataDir, { recursive: true, mode: 0o700 }))
    .catch((error: unknown) => {
      const what = `The folder ${dataDir} (DATA_DIR) cannot be created (${codeOf(error)})`;
      throw new EmbeddedPostgresError(`${what}: set DATA_DIR to one that can.`);
    });
  if (made !== undefined && wanted !== undefined) await chmod(dataDir, 0o711);
  const place = await placeCluster({ dataDir, account: wanted, homes });
  const programs = await postgresPrograms({
    packaged,
    account: place.account,
    creates: !place.made,
    copiesIn: place.parent,
    log,
  });
  const cluster = await openCluster({ place, programs, log, onWait });
  const { account } = place;
  const socketFolder = await socketFolderFor(cluster.folder, account);
  const logFile = join(dataDir, 'postgres.log');
  const server = { cluster, programs, account, socketFolder, logFile, onWait };
  return { server, dataDir, log };
}

/** Returns the socket's folder: next to the cluster or, if its path is too long, one that only the server's user can enter. */
async function socketFolderFor(cluster: string, account: Account | undefined): Promise<string> {
  const beside = `${cluster}-socket`;
  if (fits(beside)) {
    await mkdirFor(beside, account).catch((error: unknown) => {
      if (codeOf(error) !== 'EEXIST') throw error;
    });
    return beside;
  }
  // Reuse the last folder, so that it is not lost when the server restarts after a crash.
  const last = (await readServerNote(cluster))?.host;
  if (last !== undefined && fits(last) && (await isPrivateFolder(last, account?.uid))) return last;
  const parent = fits(join(tmpdir(), 'plancast-socket-abcdef')) ? tmpdir() : '/tmp';
  const made = await mkdtemp(join(parent, 'plancast-socket-'));
  if (account) await chown(made, account.uid, account.gid);
  return made;
}

function fits(folder: string): boolean {
  return Buffer.byteLength(join(folder, `.s.PGSQL.${embeddedPort}`)) <= longestSocketPath;
}

async function createDatabase(client: pg.Client): Promise<void> {
  const { rowCount } = await client.query('select from pg_database where datname = $1', [database]);
  if (rowCount === 0) await client.query(`create database ${database}`);
}

/** Restarts the server when the connection that holds the lock ends, and takes the lock again. `end` returns the last connection. */
function keepRunning(owned: Owned, first: pg.Client): { readonly end: () => Promise<pg.Client> } {
  const { log, server } = owned;
  let last = first;
  const ending = new AbortController();
  let reviving = Promise.resolve();

  const watch = (): void => {
    last.once('end', () => {
      if (!ending.signal.aborted) reviving = revive();
    });
  };
  const revive = async (): Promise<void> => {
    log.warn({}, 'the embedded Postgres has ended; restarting it');
    const mayStartAt = Date.now() + grace;
    for (let wait = 200; !ending.signal.aborted; ) {
      const mayStart = Date.now() > mayStartAt;
      const found = await (mayStart ? connectOrStart(server) : connectToServer(server))
        .then((client) => (client instanceof pg.Client ? lockedBy(client, owned) : undefined))
        .catch((error: unknown) => {
          if (!ending.signal.aborted)
            log.error(reasonOf(error), 'the embedded Postgres could not be restarted yet');
        });
      if (found) {
        last = found;
        log.info({}, 'the embedded Postgres is back');
        return watch();
      }
      await sleep(wait, undefined, { signal: ending.signal }).catch(() => undefined);
      // Constant while an admin may be restarting the server, then doubling.
      if (mayStart) wait = Math.min(wait * 2, 10_000);
    }
  };

  watch();
  return {
    end: async () => {
      ending.abort();
      await reviving;
      return last;
    },
  };
}

/** Returns an error's code, and the message of our own errors only; others may quote anything. */
function reasonOf(error: unknown) {
  return { code: codeOf(error), reason: error instanceof EmbeddedPostgresError ? error.message : undefined };
}
