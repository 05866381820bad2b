import { type ChildProcess, spawn } from 'node:child_process';
import { open, readFile, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { minuteMs } from '../lib/durations.ts';
import { codeOf } from '../lib/error-code.ts';
import { type Cluster, isPrivateFolder } from './cluster.ts';
import { EmbeddedPostgresError } from './embedded-postgres-error.ts';
import { bareEnvironment } from './run-program.ts';
import { isAlive, isRunning, isServer, send } from './server-process.ts';
import { embeddedPort, fingerprint, type ServerOptions, serverArguments } from './server-settings.ts';

/** The contents of a server's `postmaster.pid`. A killed server leaves the file behind. */
export type ServerNote = { readonly pid: number; readonly host: string };

const largestLog = 10 * 1024 * 1024;

/** Timeouts in milliseconds. */
const patience = {
  /** Recovery after a crash reads up to a gigabyte of write-ahead log. */
  start: minuteMs,
  /** For a server that has the folder but no socket: it is starting or stopping. */
  silence: 10_000,
  /** For the remains of a killed server to release the folder. */
  leftovers: 10_000,
  /** For a server that is recovering from a crash to be ready before it is stopped. */
  recovery: 3_000,
  /** The bot has 25 s to stop, and needs most of them for its posts. */
  fastStop: 5_000,
  /** After 5 s Postgres kills its remaining processes itself. */
  immediateStop: 8_000,
} as const;

/** Reads `postmaster.pid` of a cluster; undefined if there is none. */
export async function readServerNote(folder: string): Promise<ServerNote | undefined> {
  const text = await readFile(join(folder, 'postmaster.pid'), 'utf8').catch(() => '');
  const [pid = '', , , , host = ''] = text.split('\n');
  return /^\d+$/.test(pid) && host !== '' ? { pid: Number(pid), host } : undefined;
}

/**
 * Connects to the cluster's server; returns a client, or why there is none. Only connecting shows whether a server runs: a pid means
 * nothing in another container that shares the folder, and after a reboot it may belong to any process.
 */
export async function connectToServer(
  { cluster }: Pick<ServerOptions, 'cluster'>,
  clientName: string,
): Promise<pg.Client | 'no server' | 'starting' | 'no answer'> {
  const note = await readServerNote(cluster.folder);
  if (note === undefined || !(await isTrusted(note, cluster))) return 'no server';
  const client = new pg.Client({
    ...connectionTo(cluster, note, 'postgres'),
    application_name: clientName,
    connectionTimeoutMillis: 5_000,
  });
  // Without a listener, an error on this connection would end the process.
  client.on('error', () => undefined);
  try {
    await client.connect();
    return client;
  } catch (error) {
    const code = codeOf(error);
    if (['ENOENT', 'ECONNREFUSED', 'ENOTSOCK'].includes(code)) return 'no server';
    // Class 28: the server does not know the user or the password.
    if (code.startsWith('28') || code === 'EACCES') {
      throw new EmbeddedPostgresError(
        `The embedded Postgres in ${cluster.folder} refuses its password (${code}).`,
        {
          cause: error,
        },
      );
    }
    // 57P03: the server is starting, recovering or stopping.
    return code === '57P03' ? 'starting' : 'no answer';
  }
}

/**
 * Whether the socket's folder belongs to the owner of the cluster. After a cleanup of /tmp it may belong to another user, who could ask for
 * the password.
 */
async function isTrusted({ host }: ServerNote, { folder }: Cluster): Promise<boolean> {
  return isPrivateFolder(host, (await stat(folder)).uid);
}

/** Returns how to reach `database` on the server of a cluster. */
export function connectionTo(cluster: Cluster, { host }: Pick<ServerNote, 'host'>, database: string) {
  return { host, port: embeddedPort, user: 'plancast', password: cluster.password, database };
}

/**
 * Connects to the cluster's server, starting it if none is running. Two processes can do this at once: Postgres lets only one server have
 * the folder, and both become its clients. Throws `EmbeddedPostgresError` with the end of the server's log; if `signal` is aborted, ends
 * what it started and throws the signal's reason.
 */
export async function connectOrStart(
  options: ServerOptions,
  clientName: string,
  signal?: AbortSignal,
): Promise<pg.Client> {
  const began = Date.now();
  let child: ChildProcess | undefined;
  for (;;) {
    if (signal?.aborted) {
      await endAtOnce(child);
      signal.throwIfAborted();
    }
    const found = await connectToServer(options, clientName);
    if (found instanceof pg.Client) return found;
    const waited = Date.now() - began;
    if (waited > patience.start) throw startFailed(options, await endOfLog(options));
    if (found === 'no server' && !isRunning(child)) {
      if (child !== undefined) await refuseHopeless(options, waited);
      child = await startUnlessHeld(options, waited > patience.silence);
    }
    // Wait longer as time passes: a quick start is noticed soon, and a slow one does not cause many attempts.
    await sleep(Math.min(15 + waited / 20, 250));
  }
}

async function endAtOnce(child: ChildProcess | undefined): Promise<void> {
  child?.kill('SIGQUIT');
  while (isRunning(child)) await sleep(15);
}

/** Whether a server was started with these programs and settings; if not, as after an upgrade, it is restarted. */
export async function isUpToDate(options: ServerOptions, client: pg.Client): Promise<boolean> {
  const { rows } = await client.query<{ print: string | null }>(
    `select current_setting('plancast.settings', true) as print`,
  );
  return rows[0]?.print === fingerprint(options);
}

/**
 * Stops the server: rolls back open transactions, closes connections, writes everything. After a few seconds it is stopped immediately,
 * which loses nothing confirmed, since it recovers at the next start. Does nothing if the server is not a process of this machine. `known`
 * is used if the folder is gone.
 */
export async function stopServer(
  { cluster }: Pick<ServerOptions, 'cluster'>,
  known?: ServerNote,
): Promise<void> {
  const note = (await readServerNote(cluster.folder)) ?? known;
  if (note === undefined || !(await isServer(note.pid, cluster.folder))) return;
  const gone = async (within: number): Promise<boolean> => {
    for (const end = Date.now() + within; Date.now() < end; await sleep(15)) {
      if (!(await isServer(note.pid, cluster.folder))) return true;
    }
    return false;
  };
  // Seen with Postgres 18.4: a fast shutdown requested during recovery from a crashed process never ends.
  if (await isReadySoon({ cluster })) {
    send(note.pid, 'SIGINT');
    if (await gone(patience.fastStop)) return;
  }
  send(note.pid, 'SIGQUIT');
  if (await gone(patience.immediateStop)) return;
  throw new EmbeddedPostgresError(`The embedded Postgres (process ${note.pid}) does not stop.`);
}

async function isReadySoon(server: Pick<ServerOptions, 'cluster'>): Promise<boolean> {
  for (const end = Date.now() + patience.recovery; Date.now() < end; await sleep(50)) {
    const found = await connectToServer(server, 'plancast stop');
    if (found instanceof pg.Client) await found.end();
    if (found !== 'starting') return true;
  }
  return false;
}

/** Starts a server, unless one that cannot be reached (yet) has the folder; if `impatient`, stops that one. */
async function startUnlessHeld(
  options: ServerOptions,
  impatient: boolean,
): Promise<ChildProcess | undefined> {
  const { folder } = options.cluster;
  const note = await readServerNote(folder);
  if (note !== undefined && (await isServer(note.pid, folder))) {
    if (impatient) await stopServer(options);
    return undefined;
  }
  for (const file of [
    join(folder, 'postmaster.pid'),
    join(options.socketFolder, `.s.PGSQL.${embeddedPort}.lock`),
  ]) {
    await removeIfStrangers(file, folder);
  }
  return start(options);
}

/**
 * Removes a file whose pid now belongs to another program. A killed server leaves two files with its pid. After a reboot or in a new
 * container that pid may belong to any process, and Postgres takes any process of its user for a server. Postgres itself handles files with
 * a dead pid.
 */
async function removeIfStrangers(file: string, folder: string): Promise<void> {
  const pid = Number.parseInt(await readFile(file, 'utf8').catch(() => ''), 10);
  if (pid > 0 && isAlive(pid) && !(await isServer(pid, folder))) await rm(file, { force: true });
}

/**
 * Starts the server detached: Ctrl-C in a terminal goes to all of its foreground processes, and the bot still has to drain through the
 * database.
 */
async function start(options: ServerOptions): Promise<ChildProcess> {
  const { programs, account, logFile, onWait } = options;
  const { size } = await stat(logFile).catch(() => ({ size: 0 }));
  if (size > largestLog) await rename(logFile, `${logFile}.1`);
  const log = await open(logFile, 'a', 0o600);
  try {
    const child = spawn(programs.postgres, serverArguments(options), {
      detached: true,
      cwd: '/',
      env: bareEnvironment,
      stdio: ['ignore', log.fd, log.fd],
      ...account,
    });
    // An error here (the program has vanished) leaves a child without a pid: the loop tries again and then reports it.
    child.on('error', () => undefined);
    child.unref();
    onWait?.();
    return child;
  } finally {
    await log.close();
  }
}

async function endOfLog({ logFile }: ServerOptions): Promise<string> {
  const text = await readFile(logFile, 'utf8').catch(() => '');
  return text.trim().split('\n').slice(-5).join(' / ');
}

/** Throws if another try is hopeless: a failed start is retried only while another server, or its remains, may be releasing the folder. */
async function refuseHopeless(options: ServerOptions, waited: number): Promise<void> {
  const said = await endOfLog(options);
  if (!isHeldByAnother(said) || waited > patience.leftovers) throw startFailed(options, said);
  await sleep(200);
}

/** Whether Postgres says that another server has the folder, or the remains of a killed one, whose other processes will end soon. */
function isHeldByAnother(said: string): boolean {
  return /lock file "[^"]*" already exists|pre-existing shared memory block/.test(said);
}

function startFailed({ logFile }: ServerOptions, said: string): EmbeddedPostgresError {
  return new EmbeddedPostgresError(`The embedded Postgres does not start (${logFile}): ${said}`);
}
