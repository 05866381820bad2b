import { once } from 'node:events';
import { createReadStream } from 'node:fs';
import { open, rm } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { finished, pipeline } from 'node:stream/promises';
import { createGunzip, createGzip } from 'node:zlib';
import type pg from 'pg';
import type { CopyStreamQuery } from 'pg-copy-streams';
import { codeOf } from '../lib/error-code.ts';
import {
  type CopiedTable,
  type DataTable,
  dataTables,
  inSnapshot,
  readRows,
  sequencePositions,
  setSequence,
  writeRows,
} from './copy-tables.ts';

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
    await inSnapshot(pool, (client) =>
      pipeline(
        Readable.from(backupOf(client, copied)),
        createGzip(),
        handle.createWriteStream({ flush: true }),
      ),
    );
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

/** Loads the rows of a backup into empty tables. Runs inside the caller's transaction, which must be rolled back if this throws. */
export async function readBackup(client: pg.ClientBase, file: string): Promise<CopiedTable[]> {
  const copied: CopiedTable[] = [];
  let open: { readonly table: DataTable; readonly rows: CopyStreamQuery } | null = null;
  let ended = false;

  for await (const lines of linesOf(file)) {
    let rows: Buffer[] = [];
    for (const line of lines) {
      if (open === null) open = await statement(client, line.toString());
      else if (line.equals(endOfRows)) {
        await writeLines(open.rows, rows);
        rows = [];
        open.rows.end();
        await finished(open.rows);
        copied.push({ name: open.table.name, rows: open.rows.rowCount });
        open = null;
      } else rows.push(line);
      ended = line.toString('latin1') === lastLine;
    }
    if (open !== null) await writeLines(open.rows, rows);
  }
  if (!ended) throw new BackupFileError(notWhole);
  return copied;
}

const endOfRows = Buffer.from('\\.');

async function writeLines(stream: CopyStreamQuery, lines: readonly Buffer[]): Promise<void> {
  if (lines.length === 0) return;
  const text = Buffer.concat(lines.flatMap((line) => [line, Buffer.of(lineBreak)]));
  if (!stream.write(text)) await once(stream, 'drain');
}

/** Executes a line that is one of our own statements; nothing else in a file is ever run. */
async function statement(client: pg.ClientBase, line: string) {
  const [, name, columns] = copyLine.exec(line) ?? [];
  if (name !== undefined && columns !== undefined) {
    const table = { name, columns };
    return { table, rows: writeRows(client, table) };
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
