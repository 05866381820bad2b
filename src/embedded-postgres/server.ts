import { type ChildProcess, spawn } from 'node:child_process';
import { open, readFile, rename, rm, stat } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { minuteMs, within } from '../lib/durations.ts';
import { codeOf } from '../lib/error-code.ts';
import { type Cluster, isPrivateFolder } from './cluster.ts';
import { lockHolderName } from './data-dir-lock.ts';
import { EmbeddedPostgresError } from './embedded-postgres-error.ts';
import type { PostgresPrograms } from './programs.ts';
import { type Account, bareEnvironment, runProgram, succeeds } from './run-program.ts';

/** The contents of a server's `postmaster.pid`. A killed server leaves the file behind. */
type ServerNote = { readonly pid: number; readonly host: string };

const largestLog = 10 * 1024 * 1024;

/** Timeouts in milliseconds. */
const patience = {
  /** Recovery after a crash reads up to a gigabyte of write-ahead log. */
  start: minuteMs,
  /** For a server that has the folder but no socket, since it is starting or stopping, or for the remains of a killed one. */
  silence: 10_000,
  /** For a connection to show whether it is alive. */
  answer: 3_000,
} as const;

/** Timeouts in seconds. The bot has 25 s to stop, and needs most of them for its posts; Postgres kills what is left after 5 s. */
const stopWithin = { fast: 5, immediate: 8 } as const;

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
  clientName = lockHolderName,
): Promise<pg.Client | 'no server' | 'not ready'> {
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
        { cause: error },
      );
    }
    // 57P03: it is starting, recovering or stopping. Any other: it did not answer.
    return 'not ready';
  }
}

/** Whether the cluster's owner has the socket's folder, not one who took it after a cleanup of /tmp, to be sent the password. */
async function isTrusted({ host }: ServerNote, { folder }: Cluster): Promise<boolean> {
  return isPrivateFolder(host, (await stat(folder)).uid);
}

/** Returns how to reach `database` on the server of a cluster. */
export function connectionTo(cluster: Cluster, { host }: Pick<ServerNote, 'host'>, database: string) {
  // Otherwise PGSSLMODE would apply, which an admin has set for other servers.
  return { host, port: embeddedPort, user: 'plancast', password: cluster.password, database, ssl: false };
}

/**
 * Connects to the cluster's server, starting it if none is running. Two processes can do this at once: Postgres lets only one server have
 * the folder, and both become its clients. Throws `EmbeddedPostgresError` with the end of the server's log.
 */
export async function connectOrStart(options: ServerOptions): Promise<pg.Client> {
  const began = Date.now();
  let start: ChildProcess | undefined;
  for (;;) {
    const starting = isRunning(start);
    // pg_ctl looks ten times a second: connecting meanwhile shows sooner that the server is ready.
    const found = await connectToServer(options);
    if (found instanceof pg.Client) return found;
    const waited = Date.now() - began;
    if (waited > patience.start) throw startFailed(options, await endOfLog(options));
    if (found === 'no server' && !starting) {
      if (start !== undefined) await refuseHopeless(options);
      start = await run(waited > patience.silence ? 'restart' : 'start', options);
    }
    // Wait longer as time passes: a quick start is noticed soon, and a slow one does not cause many attempts.
    await sleep(Math.min(15 + waited / 20, 250));
  }
}

function isRunning(child: ChildProcess | undefined): boolean {
  return child?.pid !== undefined && child.exitCode === null && child.signalCode === null;
}

/**
 * Stops the server: rolls back open transactions, closes connections, writes everything. After a few seconds it is stopped immediately,
 * which loses nothing confirmed, since it recovers at the next start. Does nothing if the server is not a process of this machine, or its
 * folder was removed: Postgres notices that within a minute, and ends.
 */
export async function stopServer(
  { cluster: { folder }, programs, account }: ServerOptions,
  client: pg.Client,
): Promise<void> {
  const pid = (await readServerNote(folder))?.pid;
  if (pid === undefined || !(await isServer(pid, folder))) return;
  const stop = (mode: keyof typeof stopWithin): Promise<boolean> => {
    const args = ['stop', '-D', folder, '-m', mode, '-t', String(stopWithin[mode])];
    return succeeds(runProgram(programs.pgCtl, args, account));
  };
  // Seen with Postgres 18.4: a fast shutdown requested during recovery from a crashed process never ends.
  const answers = await succeeds(within(patience.answer, client.query('select')));
  if (answers && (await stop('fast'))) return;
  if (await stop('immediate')) return;
  throw new EmbeddedPostgresError(`The embedded Postgres (process ${pid}) does not stop.`);
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
 * Runs pg_ctl, which starts the server in a session of its own. Otherwise Ctrl-C in a terminal would end it too, and the bot still has to
 * drain through the database. `restart` first stops a server that cannot be reached.
 */
async function run(act: 'start' | 'restart', options: ServerOptions): Promise<ChildProcess> {
  const { cluster, programs, account, logFile, onWait } = options;
  const socketLock = join(options.socketFolder, `.s.PGSQL.${embeddedPort}.lock`);
  for (const file of [join(cluster.folder, 'postmaster.pid'), socketLock]) {
    await removeIfStrangers(file, cluster.folder);
  }
  const { size } = await stat(logFile).catch(() => ({ size: 0 }));
  if (size > largestLog) await rename(logFile, `${logFile}.1`);
  const log = await open(logFile, 'a', 0o600);
  try {
    // pg_ctl hands both to a shell, the program between double quotes. Without -p, it would first ask Postgres for its version.
    const program = programs.postgres.replaceAll(/["$`\\]/g, '\\$&');
    const words = serverArguments(options).map((word) => `'${word.replaceAll("'", `'\\''`)}'`);
    const args = [act, '-s', '-w', '-m', 'immediate', '-o', words.join(' '), '-p', program];
    const child = spawn(programs.pgCtl, args, {
      // Or Ctrl-C would end pg_ctl, which passes it on while it waits.
      detached: true,
      cwd: '/',
      env: { ...bareEnvironment, PGDATA: cluster.folder },
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
async function refuseHopeless(options: ServerOptions): Promise<void> {
  const said = await endOfLog(options);
  const isHeld = /lock file "[^"]*" already exists|pre-existing shared memory block/.test(said);
  if (!isHeld) throw startFailed(options, said);
  await sleep(200);
}

function startFailed({ logFile }: ServerOptions, said: string): EmbeddedPostgresError {
  return new EmbeddedPostgresError(`The embedded Postgres does not start (${logFile}): ${said}`);
}

/**
 * Whether the process is a running Postgres server on `folder`. A zombie does not count; it has no command line. (A server stays a zombie
 * if nobody waits for it: process 1 of a container may be the bot, which does not wait for processes that pg_ctl started.)
 */
async function isServer(pid: number, folder: string): Promise<boolean> {
  if (!isAlive(pid)) return false;
  const [program = '', ...args] = await commandLine(pid);
  return basename(program) === 'postgres' && args.includes(folder);
}

async function commandLine(pid: number): Promise<string[]> {
  try {
    return (await readFile(`/proc/${pid}/cmdline`, 'utf8')).split('\0');
  } catch {
    // No /proc (macOS), or the process has ended. `ps` does not separate arguments, but ours come first.
    const line = await runProgram('ps', ['-o', 'command=', '-p', String(pid)]).catch(() => '');
    const [, program = '', folder = ''] = /^(\S*) -D (.*?) -c /.exec(line) ?? [];
    return [program, folder];
  }
}

/** Whether there is a process with this pid, of any user. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return codeOf(error) === 'EPERM';
  }
}

/** What is needed to start the server of a cluster. */
export type ServerOptions = {
  readonly cluster: Cluster;
  readonly programs: PostgresPrograms;
  readonly account: Account | undefined;
  /** The folder of its Unix socket. */
  readonly socketFolder: string;
  /** The server's log file. */
  readonly logFile: string;
  /** Called when the server has been started, before it is ready. */
  readonly onWait?: (() => void) | undefined;
};

/** There is no TCP port: this is only the suffix of the socket's name. */
export const embeddedPort = 5432;

/** Returns the command-line arguments of a server. */
function serverArguments(options: ServerOptions): string[] {
  const settings = {
    ...serverSettings,
    unix_socket_directories: `"${options.socketFolder.replaceAll('"', '""')}"`,
  };
  return [
    '-D',
    options.cluster.folder,
    ...Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]),
  ];
}

/** Passed on the command line, where they override every file. */
const serverSettings = {
  // Only a socket that no other user can reach: the database is not on the network, and no port can be taken.
  listen_addresses: '',
  unix_socket_permissions: '0700',
  port: embeddedPort,
  // A notification answered with 200 must survive a crash of the machine.
  fsync: 'on',
  synchronous_commit: 'on',
  full_page_writes: 'on',
  // No replicas, so less has to be written.
  wal_level: 'minimal',
  max_wal_senders: 0,
  timezone: 'UTC',
  log_timezone: 'UTC',
  // Log only starts, stops and crashes: statements and error details contain what people and the service have sent.
  log_min_messages: 'log',
  log_min_error_statement: 'panic',
  log_error_verbosity: 'terse',
  log_checkpoints: 'off',
} as const;
