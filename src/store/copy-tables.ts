import type { Readable } from 'node:stream';
import type pg from 'pg';
import { type CopyStreamQuery, from as copyFrom, to as copyTo } from 'pg-copy-streams';

/** A table of the schema `plancast`, with its columns as SQL lists them. */
export type DataTable = { readonly name: string; readonly columns: string };

/** The position of a sequence: its last value, and whether it has already returned that value. */
type SequencePosition = { readonly name: string; readonly last: string; readonly called: boolean };

/** Tables whose rows are true of one database only. */
const bookkeeping = ['migrations', 'migrations_lock', 'probe'];

/** Lists every table with rows of the bot. Omits pg-boss's tables: it recreates its schedule at each start. */
export async function dataTables(client: pg.ClientBase): Promise<DataTable[]> {
  const { rows } = await client.query<DataTable>(
    `select c.relname as name, string_agg(quote_ident(a.attname), ', ' order by a.attname) as columns
     from pg_class c
     join pg_namespace n on n.oid = c.relnamespace
     join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped and a.attgenerated = ''
     where n.nspname = 'plancast' and c.relkind in ('r', 'p') and not c.relispartition and c.relname <> all($1)
     group by c.relname order by c.relname`,
    [bookkeeping],
  );
  return rows;
}

/** Streams the rows of a table in Postgres' text format, which any version of Postgres reads. */
export function readRows(client: pg.ClientBase, { name, columns }: DataTable): Readable {
  return client.query(copyTo(`copy (select ${columns} from plancast.${name}) to stdout`));
}

/** Opens a stream that takes rows in that format. Once it has finished, `rowCount` is the number of rows. */
export function writeRows(client: pg.ClientBase, { name, columns }: DataTable): CopyStreamQuery {
  return client.query(copyFrom(`copy plancast.${name} (${columns}) from stdin`));
}

/** Reads the position of every sequence of the bot. Call this after reading the tables, since sequences ignore transactions. */
export async function sequencePositions(client: pg.ClientBase): Promise<SequencePosition[]> {
  const { rows: names } = await client.query<{ name: string }>(
    `select sequencename as name from pg_sequences where schemaname = 'plancast' order by 1`,
  );
  const positions: SequencePosition[] = [];
  for (const { name } of names) {
    const { rows } = await client.query<{ last: string; called: boolean }>(
      `select last_value as last, is_called as called from plancast.${name}`,
    );
    positions.push(...rows.map((row) => ({ name, ...row })));
  }
  return positions;
}

/** Moves a sequence to the position of another one. */
export async function setSequence(
  client: pg.ClientBase,
  { name, last, called }: SequencePosition,
): Promise<void> {
  await client.query('select setval($1, $2, $3)', [`plancast.${name}`, last, called]);
}

/**
 * Returns the name of a table that is in use: any table of others, or one of the bot's that has a row. Null if the database is empty or has
 * only empty tables of the bot, as `npm run release` creates them (releases before this one kept their chores in `pgboss`).
 */
export async function firstUsedTable(client: pg.ClientBase): Promise<string | null> {
  const { rows } = await client.query<{ name: string }>(
    `select n.nspname || '.' || c.relname as name from pg_class c join pg_namespace n on n.oid = c.relnamespace
     where c.relkind in ('r', 'p') and n.nspname !~ '^pg_' and n.nspname not in ('information_schema', 'plancast', 'plancast_chores', 'pgboss')
       -- Not an extension's table, which providers create in every database.
       and not exists (select from pg_depend d
                       where d.classid = 'pg_class'::regclass and d.objid = c.oid and d.deptype = 'e')
     order by 1 limit 1`,
  );
  if (rows[0]) return rows[0].name;
  for (const { name } of await dataTables(client)) {
    const { rowCount } = await client.query(`select from plancast.${name} limit 1`);
    if (rowCount) return `plancast.${name}`;
  }
  return null;
}

/** Runs `work` on one snapshot of the database, whatever changes meanwhile and however long it takes. */
export function inSnapshot<T>(pool: pg.Pool, work: (client: pg.PoolClient) => Promise<T>): Promise<T> {
  return inOneTransaction(pool, work, 'begin isolation level repeatable read, read only');
}

/** Runs `work` in one transaction, however long it takes. */
export async function inOneTransaction<T>(
  pool: pg.Pool,
  work: (client: pg.PoolClient) => Promise<T>,
  begin = 'begin',
): Promise<T> {
  const client = await pool.connect();
  try {
    await client.query(begin);
    // One side of a copy waits for the other, which may be slow.
    await client.query('set local idle_in_transaction_session_timeout = 0');
    const result = await work(client);
    await client.query('commit');
    client.release();
    return result;
  } catch (error) {
    // Close the connection instead of returning it to the pool: it may be in the middle of a stream. The server rolls back.
    client.release(true);
    throw error;
  }
}

/** How many rows of a table were copied. */
export type CopiedTable = { readonly name: string; readonly rows: number };
