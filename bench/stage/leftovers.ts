import { readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { visitEmbeddedPostgres } from '../../src/embedded-postgres/embedded-postgres.ts';
import { silentLog } from './silent-log.ts';

/** Prefix of folders that contain a benchmark's server. */
export const serverFolderPrefix = 'plancast-bench-server-';
/** In such a folder: the id of the process that uses it. */
const ownerFile = 'owner';

/** Marks a folder as this process's, so that a later run leaves it alone. */
export async function own(folder: string): Promise<void> {
  await writeFile(join(folder, ownerFile), String(process.pid));
}

/** Ends the servers of killed runs and removes their folders. A folder without an owner file is not removed. */
export async function removeLeftovers(): Promise<void> {
  for (const name of await readdir(tmpdir())) {
    if (!name.startsWith(serverFolderPrefix)) continue;
    const folder = join(tmpdir(), name);
    const owner = await readFile(join(folder, ownerFile), 'utf8').catch(() => undefined);
    if (owner === undefined || isAlive(owner)) continue;
    // Visiting an unowned server takes it over, so ending the visit stops it.
    const server = await visitEmbeddedPostgres({ dataDir: folder, log: silentLog }).catch(() => undefined);
    await server?.stop();
    await rm(folder, { recursive: true, force: true });
  }
}

function isAlive(pid: string): boolean {
  try {
    return /^\d+$/.test(pid) && process.kill(Number(pid), 0);
  } catch {
    return false;
  }
}
