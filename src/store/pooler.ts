import pg from 'pg';
import { EndError, exitCodes } from '../lib/end-error.ts';
import { type Connection, poolConfig } from './database.ts';

/** Throws an `EndError` if the database is behind a pooler that gives each transaction whichever connection is free. */
export async function refusePooler(connection: Connection): Promise<void> {
  if (!(await isTransactionPooled(connection))) return;
  const lost = 'where prepared statements, LISTEN and locks of a session get lost';
  const remedy = 'give the address of Postgres itself, or set pool_mode = session in PgBouncer';
  const sentence = `DATABASE_URL leads to a pooler in transaction mode, ${lost}: ${remedy}.`;
  throw new EndError(sentence, exitCodes.config);
}

/** Whether two of our connections turn out to be the same connection at the server. */
async function isTransactionPooled(connection: Connection): Promise<boolean> {
  const config = poolConfig({ connection });
  const [one, other] = [new pg.Client(config), new pg.Client(config)];
  for (const client of [one, other]) client.on('error', () => undefined);
  try {
    await Promise.all([one.connect(), other.connect()]);
    // One after the other, so that the second can get the server connection that the first has just released.
    return (await backendOf(one)) === (await backendOf(other));
  } finally {
    await Promise.allSettled([one.end(), other.end()]);
  }
}

async function backendOf(client: pg.Client): Promise<number | undefined> {
  const { rows } = await client.query<{ pid: number }>('select pg_backend_pid() as pid');
  return rows[0]?.pid;
}
