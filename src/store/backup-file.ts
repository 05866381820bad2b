import { once } from 'node:events';
import { createReadStream } from 'node:fs';
import { open, rm } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { finished, pipeline } from 'node:stream/promises';
import { createGunzip, createGzip } from 'node:zlib';
import type pg from 'pg';
import { type CopyStreamQuery, from as copyFrom, to as copyTo } from 'pg-copy-streams';
import { codeOf } from '../lib/error-code.ts';

/** A table of the schema `plancast`, with its columns as SQL lists them. */
type DataTable = { readonly name: string; readonly columns: string };

/** The position of a sequence: its last value, and whether it has already returned that value. */
type SequencePosition = { readonly name: string; readonly last: string; readonly called: boolean };

/** Tables whose rows are true of one database only. */
const bookkeeping = ['migrations', 'migrations_lock', 'probe'];

/** Lists every table with rows of the bot. Omits pg-boss's tables: it recreates its schedule at each start. */
export async function dataTables(client: Pick<pg.ClientBase, 'query'>): Promise<DataTable[]> {
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
function readRows(client: pg.ClientBase, { name, columns }: DataTable): Readable {
  return client.query(copyTo(`copy (select ${columns} from plancast.${name}) to stdout`));
}

/** Opens a stream that takes rows in that format. Once it has finished, `rowCount` is the number of rows. */
function writeRows(client: pg.ClientBase, { name, columns }: DataTable): CopyStreamQuery {
  return client.query(copyFrom(`copy plancast.${name} (${columns}) from stdin`));
}

/** Reads the position of every sequence of the bot. Call this after reading the tables, since sequences ignore transactions. */
async function sequencePositions(client: pg.ClientBase): Promise<SequencePosition[]> {
  const { rows } = await client.query<SequencePosition>(
    `select sequencename as name, coalesce(last_value, start_value) as last, last_value is not null as called
     from pg_sequences where schemaname = 'plancast' order by 1`,
  );
  return rows;
}

/** Moves a sequence to the position of another one. */
async function setSequence(client: pg.ClientBase, { name, last, called }: SequencePosition): Promise<void> {
  await client.query('select setval($1, $2, $3)', [`plancast.${name}`, last, called]);
}

/**
 * Returns the name of a table that is in use: any table of others, or one of the bot's that has a row. Null if the database is empty or has
 * only empty tables of the bot, as `npm run release` creates them (releases before this one kept their chores in `pgboss`).
 */
export async function firstUsedTable(client: Pick<pg.ClientBase, 'query'>): Promise<string | null> {
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
type CopiedTable = { readonly name: string; readonly rows: number };

/** The file is not a backup of the bot, or not a complete one. */
export class BackupFileError extends Error {
  override readonly name = 'BackupFileError';
}

const notOurs = 'The file is not a backup of Plancast.';
const notWhole = 'The backup is incomplete.';

const firstLine = '-- Plancast backup';
const lastLine = '-- end of the backup';
const migrationsLine = /^-- migrations: ([\w-]+(?: [\w-]+)*)$/;
const copyLine = /^copy plancast\.(\w+) \(([\w", ]+)\) from stdin;$/;
const sequenceLine = /^select setval\('plancast\.(\w+)', (\d+), (true|false)\);$/;

/**
 * Writes every row of the bot to a new file, as SQL that `psql` can read too, compressed with gzip. It is one snapshot of the database, so
 * the bot can keep running. Throws the system's error if the file exists or cannot be written; leaves no partial file.
 */
export async function writeBackup({ pool, file }: { pool: pg.Pool; file: string }): Promise<CopiedTable[]> {
  const copied: CopiedTable[] = [];
  const handle = await open(file, 'wx', 0o600);
  try {
    const write = (client: pg.ClientBase) =>
      pipeline(
        Readable.from(backupOf(client, copied)),
        createGzip(),
        handle.createWriteStream({ flush: true }),
      );
    await inOneTransaction(pool, write, 'begin isolation level repeatable read, read only');
    return copied;
  } catch (error) {
    await handle.close().catch(() => undefined);
    await rm(file, { force: true });
    throw error;
  }
}

async function* backupOf(client: pg.ClientBase, copied: CopiedTable[]): AsyncGenerator<string | Buffer> {
  const { rows } = await client.query<{ name: string }>('select name from plancast.migrations order by name');
  yield `${firstLine}\n-- migrations: ${rows.map(({ name }) => name).join(' ')}\nbegin;\n`;
  for (const table of await dataTables(client)) {
    yield `copy plancast.${table.name} (${table.columns}) from stdin;\n`;
    let count = 0;
    for await (const chunk of readRows(client, table) as AsyncIterable<Buffer>) {
      for (const byte of chunk) if (byte === lineBreak) count += 1;
      yield chunk;
    }
    yield '\\.\n';
    copied.push({ name: table.name, rows: count });
  }
  for (const { name, last, called } of await sequencePositions(client)) {
    yield `select setval('plancast.${name}', ${last}, ${called});\n`;
  }
  yield `commit;\n${lastLine}\n`;
}

const lineBreak = 0x0a;

/** Returns the migrations that had run when a backup was made, in order. Throws a `BackupFileError` if the file is not a backup. */
export async function migrationsOf(file: string): Promise<string[]> {
  for await (const lines of linesOf(file)) {
    const [first, second] = lines.map(String);
    const found = first === firstLine ? migrationsLine.exec(second ?? '')?.[1] : undefined;
    if (found !== undefined) return found.split(' ');
    break;
  }
  throw new BackupFileError(notOurs);
}

/** Loads a backup into empty tables and marks the data as a copy, in the caller's transaction, to be rolled back if this throws. */
export async function readBackup(client: pg.ClientBase, file: string): Promise<CopiedTable[]> {
  const copied: CopiedTable[] = [];
  let open: OpenTable | null = null;
  let ended = false;

  for await (const lines of linesOf(file)) {
    let rows: Buffer[] = [];
    for (const line of lines) {
      if (open === null) open = await statement(client, line.toString());
      else if (line.equals(endOfRows)) {
        await writeLines(open, rows);
        rows = [];
        open.rows.end();
        await open.done;
        copied.push({ name: open.table.name, rows: open.rows.rowCount });
        open = null;
      } else rows.push(line);
      ended = line.toString('latin1') === lastLine;
    }
    if (open !== null) await writeLines(open, rows);
  }
  if (!ended) throw new BackupFileError(notWhole);
  if (copied.some(({ name }) => name === 'served_address')) await markRestored(client);
  return copied;
}

/** Records that the database is a copy, on which no bot works before `npm run take-over`. */
export async function markRestored(database: Pick<pg.ClientBase, 'query'>): Promise<void> {
  await database.query(
    'insert into plancast.served_address (restored) values (true) on conflict (id) do update set restored = true',
  );
}

const endOfRows = Buffer.from('\\.');

/** A table whose rows are being loaded. `done` rejects whenever that fails, also while the file is read or after it could not be. */
type OpenTable = {
  readonly table: DataTable;
  readonly rows: CopyStreamQuery;
  readonly done: Promise<void>;
};

async function writeLines({ rows, done }: OpenTable, lines: readonly Buffer[]): Promise<void> {
  if (lines.length === 0) return;
  await Promise.race([done, undefined]);
  const text = Buffer.concat(lines.flatMap((line) => [line, Buffer.of(lineBreak)]));
  if (!rows.write(text)) await Promise.race([done, once(rows, 'drain')]);
}

/** Executes a line that is one of our own statements; nothing else in a file is ever run. */
async function statement(client: pg.ClientBase, line: string): Promise<OpenTable | null> {
  const [, name, columns] = copyLine.exec(line) ?? [];
  if (name !== undefined && columns !== undefined) {
    const table = { name, columns };
    const rows = writeRows(client, table);
    const done = finished(rows);
    done.catch(() => undefined);
    return { table, rows, done };
  }
  const [, sequence, last, called] = sequenceLine.exec(line) ?? [];
  if (sequence !== undefined && last !== undefined) {
    await setSequence(client, { name: sequence, last, called: called === 'true' });
  } else if (!/^(?:begin;|commit;|--.*)$/.test(line)) {
    throw new BackupFileError(notOurs);
  }
  return null;
}

/** Yields whole lines without line breaks, as many at a time as a chunk of the file completes. */
async function* linesOf(file: string): AsyncGenerator<Buffer[]> {
  let rest: Buffer = Buffer.alloc(0);
  for await (const chunk of unpacked(file)) {
    const text = rest.length === 0 ? chunk : Buffer.concat([rest, chunk]);
    const lines: Buffer[] = [];
    let from = 0;
    for (let at = text.indexOf(lineBreak); at >= 0; at = text.indexOf(lineBreak, from)) {
      lines.push(text.subarray(from, at));
      from = at + 1;
    }
    rest = text.subarray(from);
    if (lines.length > 0) yield lines;
  }
}

async function* unpacked(file: string): AsyncGenerator<Buffer> {
  const unzip = createGunzip();
  const packed = createReadStream(file).on('error', (error) => unzip.destroy(error));
  try {
    yield* packed.pipe(unzip) as AsyncIterable<Buffer>;
  } catch (error) {
    // zlib's codes for a file that is not gzip or is truncated.
    const code = codeOf(error);
    if (!code.startsWith('Z_')) throw error;
    const said = code === 'Z_BUF_ERROR' ? notWhole : notOurs;
    throw new BackupFileError(said, { cause: error });
  } finally {
    packed.destroy();
  }
}
