import type { Cluster } from './cluster.ts';
import type { PostgresPrograms } from './programs.ts';
import type { Account } from './run-program.ts';

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
export function serverArguments(options: ServerOptions): string[] {
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
