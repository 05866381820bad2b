import { connect, createServer, type NetConnectOpts } from 'node:net';
import type { Undo } from './undo.ts';

/** A relay to the database that counts the statements sent through it. */
export type Counted = { readonly url: string; readonly statements: () => number };

/** Postgres: frontend messages that run a statement. */
const runs = new Set(['Q', 'E']);

/**
 * Starts a relay between a bot and its database. It counts the Query and Execute messages of Postgres' protocol, so the statements of a
 * transaction count too, including `begin` and `commit`; `pg_stat_database` would count only transactions, and `pg_stat_statements` must be
 * loaded by the server's admin.
 */
export async function countStatements(databaseUrl: string, undo: Undo): Promise<Counted> {
  const to = addressOf(databaseUrl);
  let statements = 0;
  const server = createServer((client) => {
    const database = connect(to);
    const count = makeCounter(() => {
      statements += 1;
    });
    client.on('data', count);
    client.pipe(database).pipe(client);
    client.on('error', () => database.destroy());
    database.on('error', () => client.destroy());
    client.on('close', () => database.destroy());
    database.on('close', () => client.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  undo.add(() => new Promise((resolve) => server.close(resolve)));
  const address = server.address();
  const url = new URL(databaseUrl);
  url.search = '';
  url.host = `127.0.0.1:${typeof address === 'object' && address !== null ? address.port : 0}`;
  return { url: url.href, statements: () => statements };
}

function addressOf(databaseUrl: string): NetConnectOpts {
  const url = new URL(databaseUrl);
  const port = Number(url.port || 5432);
  const folder = url.searchParams.get('host');
  return folder?.startsWith('/')
    ? { path: `${folder}/.s.PGSQL.${port}` }
    : { host: folder ?? url.hostname, port };
}

/**
 * Returns a function that reads what a client sends to Postgres, in chunks of any size, and calls `ran` for each statement. The first
 * message (startup) has no type byte; all others have a type byte and a length that includes itself.
 */
export function makeCounter(ran: () => void): (chunk: Buffer) => void {
  let read: Buffer = Buffer.alloc(0);
  let typeBytes = 0;
  return (chunk) => {
    read = read.length === 0 ? chunk : Buffer.concat([read, chunk]);
    for (let length = lengthOf(read, typeBytes); length <= read.length; length = lengthOf(read, typeBytes)) {
      if (typeBytes > 0 && runs.has(String.fromCharCode(read[0] ?? 0))) ran();
      typeBytes = 1;
      read = read.subarray(length);
    }
  };
}

/** Returns the length of the message that starts here; infinite if it has not arrived yet. */
function lengthOf(read: Buffer, typeBytes: number): number {
  return read.length < typeBytes + 4 ? Number.POSITIVE_INFINITY : typeBytes + read.readUInt32BE(typeBytes);
}
