import { setTimeout as sleep } from 'node:timers/promises';
import type pg from 'pg';
import { DataDirInUseError } from './embedded-postgres-error.ts';

/** Key of the advisory lock: two arbitrary numbers, "plan" and "cast" in ASCII. */
const lock = [0x706c616e, 0x63617374] as const;

/** In milliseconds: the server notices that the killed holder of the lock is gone when the kernel closes the connection. */
const patience = 1_000;

/** The application name of the connection with the lock, so that a refused process can say who holds it. */
export const lockHolderName = `plancast process ${process.pid}`;

/**
 * Takes the lock on a data folder for as long as `client` stays connected; throws `DataDirInUseError` if another process has it.
 *
 * It is an advisory lock in the folder's own database, and not a pid file. It is released when its holder ends, for whatever reason. It
 * cannot be taken twice in a race, and works between containers that share the folder. Postgres itself makes sure that a folder has only one
 * server.
 */
export async function takeDataDirLock(client: pg.Client, dataDir: string): Promise<void> {
  for (const end = Date.now() + patience; ; await sleep(50)) {
    const { rows } = await client.query<{ taken: boolean }>('select pg_try_advisory_lock($1, $2) as taken', [
      ...lock,
    ]);
    if (rows[0]?.taken) return;
    if (Date.now() < end) continue;
    const pid = /\d+$/.exec((await dataDirLockHolder(client)) ?? '')?.[0];
    const by = pid === undefined ? 'another process' : `process ${pid}`;
    const sentence = `The folder ${dataDir} (DATA_DIR) is already in use by ${by}: stop that one or set another DATA_DIR.`;
    throw new DataDirInUseError(sentence);
  }
}

/** Returns the application name of the connection that holds the lock right now; undefined if none does. */
export async function dataDirLockHolder(client: pg.Client): Promise<string | undefined> {
  const { rows } = await client.query<{ name: string }>(
    `select a.application_name as name from pg_locks l join pg_stat_activity a on a.pid = l.pid
     where l.locktype = 'advisory' and l.classid = $1 and l.objid = $2 and l.objsubid = 2 and l.granted`,
    [...lock],
  );
  return rows[0]?.name;
}
