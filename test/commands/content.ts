import pg from 'pg';
import { visitEmbeddedPostgres } from '../../src/embedded-postgres/embedded-postgres.ts';
import { dataTables } from '../../src/store/backup-file.ts';
import { silentLog } from '../support/log.ts';

/** Returns the row count and a hash of all rows of every table, and the position of each sequence. */
export function contentOf(url: string): Promise<Record<string, string>> {
  return withClient(url, async (client) => {
    const content: Record<string, string> = {};
    for (const { name } of await dataTables(client)) {
      const { rows } = await client.query(
        `select count(*) || ' ' || coalesce(md5(string_agg(md5(t::text), '' order by md5(t::text))), '') as hash
         from plancast.${name} t`,
      );
      content[name] = rows[0].hash;
    }
    const { rows } = await client.query(
      `select string_agg(sequencename || ' ' || coalesce(last_value, 0), ', ' order by 1) as at
       from pg_sequences where schemaname = 'plancast'`,
    );
    return { ...content, sequences: rows[0].at };
  });
}

/** Runs a statement in a database and returns the number of affected rows. */
export function runSql(url: string, statement: string): Promise<number | null> {
  return withClient(url, async (client) => (await client.query(statement)).rowCount);
}

/** Runs `work` on the embedded database in a folder, whether or not a bot is running on it. */
export async function inEmbedded<T>(dataDir: string, work: (url: string) => Promise<T>): Promise<T> {
  const server = await visitEmbeddedPostgres({ dataDir, log: silentLog });
  try {
    return await work(server.url);
  } finally {
    await server.stop();
  }
}

async function withClient<T>(url: string, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}
