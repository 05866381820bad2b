import { readFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { isGoneWithin, runningProcesses, signal } from './processes.ts';

/** Postgres, "Shutting Down the Server": these three, from the orderly to the rough. */
const ways: readonly [NodeJS.Signals, number][] = [
  ['SIGINT', 5_000],
  ['SIGQUIT', 2_000],
  ['SIGKILL', 1_000],
];

/** Whether the database server of a bot takes connections: the last line of its `postmaster.pid` says so. */
export async function isPostgresReady(dataDir: string): Promise<boolean> {
  const text = await readFile(join(dataDir, 'postgres', 'postmaster.pid'), 'utf8').catch(() => '');
  return /\nready\s*$/.test(text);
}

/**
 * Ends the database server that a bot has left behind: one that was killed, or interrupted while it was starting, could
 * not do it.
 * @param folder the demo's, in which the server keeps its data; its name is like no other's
 */
export async function endPostgresIn(folder: string): Promise<void> {
  const running = await runningProcesses();
  // A server that is just being made or started has no note of its process yet, so it is looked for by its arguments.
  const servers = running.filter(
    ({ commandLine }) => /\b(postgres|initdb) /.test(commandLine) && commandLine.includes(basename(folder)),
  );
  await Promise.all(servers.map(({ pid }) => endServer(pid)));
}

async function endServer(pid: number): Promise<void> {
  for (const [name, withinMs] of ways) {
    signal(pid, name);
    if (await isGoneWithin(pid, withinMs)) return;
  }
}
