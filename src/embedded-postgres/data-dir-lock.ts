import { setTimeout as sleep } from 'node:timers/promises';
import type pg from 'pg';
import { DataDirInUseError } from './embedded-postgres-error.ts';

/** Key of the advisory lock: two arbitrary numbers, "plan" and "cast" in ASCII. */
const lock = [0x706c616e, 0x63617374] as const;

/**
 * Time in milliseconds for the server to notice that the killed holder of the lock is gone, which it does when the kernel closes the
 * connection.
 */
const patience = 1_000;

/** Returns the application name for the connection with the lock, so that a refused process can say who holds it. */
export function lockHolderName(pid: number): string {
  return `plancast process ${pid}`;
}

/**
 * Takes the lock on a data folder for as long as `client` stays connected; throws `DataDirInUseError` if another process has it.
 *
 * It is an advisory lock in the folder's own database. It is released when its holder ends, for whatever reason (a pid file is not, and
 * pids are reused), cannot be taken twice in a race, and works between containers that share the folder. Postgres itself makes sure that a
 * folder has only one server.
 */
export async function takeDataDirLock(client: pg.Client, dataDir: string): Promise<void> {
  for (const end = Date.now() + patience; ; await sleep(50)) {
    const { rows } = await client.query<{ taken: boolean }>('select pg_try_advisory_lock($1, $2) as taken', [
      ...lock,
    ]);
    if (rows[0]?.taken) return;
    if (Date.now() > end) throw new DataDirInUseError(dataDir, await findHolder(client));
  }
}

/** Whether a process holds the lock right now. */
export async function isDataDirLocked(client: pg.Client): Promise<boolean> {
  return (await holders(client)).length > 0;
}

async function findHolder(client: pg.Client): Promise<number | undefined> {
  const [name] = await holders(client);
  const pid = /^plancast process (\d+)$/.exec(name ?? '')?.[1];
  return pid === undefined ? undefined : Number(pid);
}

async function holders(client: pg.Client): Promise<string[]> {
  const { rows } = await client.query<{ name: string }>(
    `select a.application_name as name from pg_locks l join pg_stat_activity a on a.pid = l.pid
     where l.locktype = 'advisory' and l.classid = $1 and l.objid = $2 and l.objsubid = 2 and l.granted`,
    [...lock],
  );
  return rows.map(({ name }) => name);
}
