import { readFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { isGoneWithin, runningProcesses, signal } from './processes.ts';

/** Postgres docs, "Shutting Down the Server": these three, from the gentlest to the harshest. */
const ways: readonly [NodeJS.Signals, number][] = [
  ['SIGINT', 5_000],
  ['SIGQUIT', 2_000],
  ['SIGKILL', 1_000],
];

/** Returns whether the bot's database server accepts connections, according to the last line of its `postmaster.pid`. */
export async function isPostgresReady(dataDir: string): Promise<boolean> {
  const text = await readFile(join(dataDir, 'postgres', 'postmaster.pid'), 'utf8').catch(() => '');
  return /\nready\s*$/.test(text);
}

/**
 * Ends the database server of a bot that was killed, or interrupted during its start, and could not end it itself.
 * @param folder the demo's folder, which contains the server's data; its name is unique
 */
export async function endPostgresIn(folder: string): Promise<void> {
  const running = await runningProcesses();
  // Not by pid file, which a server has only once it has started: search the command lines.
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
