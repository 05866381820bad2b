import { chmod, mkdtemp, readdir, readFile, rm, statfs, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import type { TestProject } from 'vitest/node';
import {
  type EmbeddedPostgres,
  startEmbeddedPostgres,
  visitEmbeddedPostgres,
} from '../../src/embedded-postgres/embedded-postgres.ts';
import { migrate } from '../../src/store/migrate.ts';
import { inDatabase } from './database-url.ts';
import { silentLog } from './log.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** URL of a database on the server, for a user who can create databases. */
    adminUrl: string;
    /** Name of a migrated database that is only ever copied. */
    templateDatabase: string;
  }
}

const folderPrefix = 'plancast-test-';
/** File in a folder with the id of the process that uses it, or a word that the folder is kept for the databases of failed tests. */
const ownerFile = 'owner';
const kept = 'kept';
/** A folder in memory, on Linux. */
const memory = '/dev/shm';
/** Bytes that it has to have free: a run needs a tenth of this. */
const memoryNeeded = 4_000_000_000;

/** Provides one Postgres for the whole run: the one of `TEST_DATABASE_URL`, or an embedded one in a folder of its own. */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const given = process.env.TEST_DATABASE_URL;
  const server =
    given === undefined
      ? await startServer(await parentOf(project))
      : { url: given, stop: async () => undefined };
  const template = await makeTemplate(server.url);
  project.provide('adminUrl', server.url);
  project.provide('templateDatabase', template);
  return async () => {
    await withClient(server.url, (client) =>
      client.query(`drop database if exists ${template} with (force)`),
    );
    await server.stop();
  };
}

/**
 * Returns where to put the server's folder. The quick tests make a hundred databases and commit all the time, and wait for no disk if it is in
 * memory. Other tests may store more than fits there.
 */
async function parentOf({ name }: TestProject): Promise<string> {
  const room = await statfs(memory).catch(() => null);
  const hasRoom = room !== null && room.bavail * room.bsize >= memoryNeeded;
  return ['default', 'ci'].includes(name) && hasRoom ? memory : tmpdir();
}

async function startServer(parent: string): Promise<{ url: string; stop: () => Promise<void> }> {
  await removeLeftovers(parent);
  const folder = await mkdtemp(join(parent, folderPrefix));
  // When started as root, the server runs as another user, who needs access.
  await chmod(folder, 0o755);
  await writeFile(join(folder, ownerFile), String(process.pid));
  const server = await startWithRoom(folder);
  return {
    url: server.url,
    stop: async () => {
      const databases = await keptDatabases(server.url);
      await server.stop();
      if (databases.length === 0) {
        await rm(folder, { recursive: true });
        return;
      }
      // The next run removes the folder.
      await writeFile(join(folder, ownerFile), kept);
      process.stderr.write(`Databases of failed tests are kept in ${folder}: ${databases.join(', ')}\n`);
    },
  };
}

/**
 * Other settings than the bot's embedded server has: more connections than the default 100, because five test files at a time needed up to 84,
 * and no waiting for writes, because nothing here outlives the run.
 */
const quickSettings = {
  max_connections: '300',
  fsync: 'off',
  synchronous_commit: 'off',
  full_page_writes: 'off',
  wal_level: 'minimal',
  max_wal_senders: '0',
  jit: 'off',
};

async function startWithRoom(folder: string): Promise<EmbeddedPostgres> {
  const usual = await startEmbeddedPostgres({ dataDir: folder, log: silentLog });
  await withClient(usual.url, async (client) => {
    for (const [setting, value] of Object.entries(quickSettings))
      await client.query(`alter system set ${setting} = '${value}'`);
  });
  await usual.stop();
  return startEmbeddedPostgres({ dataDir: folder, log: silentLog });
}

/** Removes the folders of runs that were killed, and the databases kept by the last run. */
async function removeLeftovers(parent: string): Promise<void> {
  for (const name of await readdir(parent)) {
    if (!name.startsWith(folderPrefix)) continue;
    const folder = join(parent, name);
    const owner = await readFile(join(folder, ownerFile), 'utf8').catch(() => undefined);
    if (owner === undefined || isAlive(owner)) continue;
    if (owner !== kept) await stopServerIn(folder);
    await rm(folder, { recursive: true, force: true });
  }
}

/** Stops an orphaned server: visiting it takes it over, so ending the visit stops it. */
async function stopServerIn(folder: string): Promise<void> {
  const server = await visitEmbeddedPostgres({ dataDir: folder, log: silentLog }).catch(() => undefined);
  await server?.stop();
}

function isAlive(pid: string): boolean {
  try {
    return /^\d+$/.test(pid) && process.kill(Number(pid), 0);
  } catch {
    return false;
  }
}

async function makeTemplate(adminUrl: string): Promise<string> {
  const name = `template_${process.pid}_${Date.now()}`;
  await withClient(adminUrl, (client) => client.query(`create database ${name}`));
  await migrate({ connection: { connectionString: inDatabase(adminUrl, name) }, log: silentLog });
  return name;
}

function keptDatabases(adminUrl: string): Promise<string[]> {
  return withClient(adminUrl, async (client) => {
    const { rows } = await client.query<{ datname: string }>(
      `select datname from pg_database where datname like 'test\\_%' order by datname`,
    );
    return rows.map(({ datname }) => datname);
  });
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
