import { type Kysely, sql } from 'kysely';
import type { Database } from './schema.ts';

/**
 * Does `work` unless something of the same name is being done already, in this process or another. The lock is the connection's, and no
 * transaction is open meanwhile: it may take minutes, and goes with the connection of a process that dies.
 */
export function whileAlone<T>(
  db: Kysely<Database>,
  name: string,
  work: () => Promise<T>,
): Promise<T | 'busy'> {
  return db.connection().execute(async (connection) => {
    const lock = sql`hashtextextended(${name}, 0)`;
    const { rows } = await sql<{ mine: boolean }>`select pg_try_advisory_lock(${lock}) as mine`.execute(
      connection,
    );
    if (!rows[0]?.mine) return 'busy';
    try {
      return await work();
    } finally {
      await sql`select pg_advisory_unlock(${lock})`.execute(connection);
    }
  });
}
