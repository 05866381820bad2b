import { randomBytes } from 'node:crypto';
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { startEmbeddedPostgres } from '../../src/embedded-postgres/embedded-postgres.ts';
import { own, removeLeftovers, serverFolderPrefix } from './leftovers.ts';
import { silentLog } from './silent-log.ts';
import type { Undo } from './undo.ts';

/** A Postgres server on which databases can be created. */
export type Postgres = {
  /** Creates an empty database; returns its URL and a function that drops it. */
  readonly create: (name: string) => Promise<{ url: string; drop: () => Promise<void> }>;
  /** Postgres' version and the settings that affect durability, in words. */
  readonly about: string;
  /** The folder that contains its data, if known. */
  readonly folder: string | null;
};

/** Uses the server at `url` or, without one, a real one in a folder of its own that is removed afterward. */
export async function startPostgres(url: string | undefined, undo: Undo): Promise<Postgres> {
  const server = url === undefined ? await startOwn(undo) : { url, folder: null };
  const ask = (sql: string) => withClient(server.url, async (client) => (await client.query(sql)).rows[0]);
  const settings = await ask(
    `select current_setting('server_version') as version, current_setting('fsync') as fsync,
       current_setting('synchronous_commit') as commit, current_setting('shared_buffers') as buffers`,
  );
  return {
    folder: server.folder,
    about:
      `Postgres ${settings.version}${url === undefined ? ' (embedded)' : ''}: fsync ${settings.fsync}, ` +
      `synchronous_commit ${settings.commit}, shared_buffers ${settings.buffers}`,
    async create(name) {
      const database = `bench_${name}_${randomBytes(4).toString('hex')}`;
      await withClient(server.url, (client) =>
        client.query(`create database ${database} template template0`),
      );
      return {
        url: inDatabase(server.url, database),
        drop: () =>
          withClient(server.url, async (client) => {
            await client.query(`drop database if exists ${database} with (force)`);
          }),
      };
    },
  };
}

async function startOwn(undo: Undo): Promise<{ url: string; folder: string }> {
  await removeLeftovers();
  const folder = await mkdtemp(join(tmpdir(), serverFolderPrefix));
  undo.add(() => rm(folder, { recursive: true, force: true }));
  // As root, the server runs as another user, who must have access.
  await chmod(folder, 0o755);
  await own(folder);
  const server = await startEmbeddedPostgres({ dataDir: folder, log: silentLog });
  undo.add(() => server.stop());
  return { url: server.url, folder };
}

function inDatabase(url: string, database: string): string {
  const other = new URL(url);
  other.pathname = `/${database}`;
  return other.href;
}

async function withClient<T>(url: string, use: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return await use(client);
  } finally {
    await client.end();
  }
}
