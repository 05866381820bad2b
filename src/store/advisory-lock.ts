import { type Db, first, sql } from './sql.ts';

/**
 * Runs `work` unless work of the same name is already running, in this process or another; returns `busy` then. The connection holds the
 * lock and no transaction stays open meanwhile: the work may take minutes, and the lock ends with the connection of a process that dies.
 */
export function whileAlone<T>(db: Db, name: string, work: () => Promise<T>): Promise<T | 'busy'> {
  return db.connection().execute(async (connection) => {
    const lock = sql`hashtextextended(${name}, 0)`;
    const row = await first(connection)<{ taken: boolean }>`select pg_try_advisory_lock(${lock}) as taken`;
    if (!row?.taken) return 'busy';
    try {
      return await work();
    } finally {
      await sql`select pg_advisory_unlock(${lock})`.execute(connection);
    }
  });
}
