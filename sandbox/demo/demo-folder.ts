import { chmod, lstat, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { endPostgresIn } from './end-postgres.ts';
import { isRunning } from './processes.ts';

const prefix = 'plancast-demo-';
/** In each folder: the id of the process that uses it. */
const ownerFile = 'owner.pid';

/** The temporary folder of one demo. */
export type DemoFolder = {
  readonly path: string;
  /** The bot's `DATA_DIR`; the bot creates it. */
  readonly dataDir: string;
  /** The bot's log. */
  readonly logFile: string;
  /** Ends a database server that is still running in it, and removes everything. */
  readonly remove: () => Promise<void>;
};

/**
 * Creates a new folder for a demo.
 * @param parent the folder for temporary files: `temporaryFolder()`
 */
export async function makeDemoFolder(parent: string): Promise<DemoFolder> {
  const path = await mkdtemp(join(parent, prefix));
  // If started as root, the bot runs its database as another user, who must be able to traverse this folder.
  await chmod(path, 0o711);
  await writeFile(join(path, ownerFile), String(process.pid));
  return {
    path,
    dataDir: join(path, 'data'),
    logFile: join(path, 'bot.log'),
    remove: () => removeFolder(path),
  };
}

/** Removes the folders of demos that were killed, and ends the database servers that run in them. */
export async function removeLeftovers(parent: string): Promise<void> {
  for (const name of await readdir(parent)) {
    if (!name.startsWith(prefix)) continue;
    const path = join(parent, name);
    if (await isLeftover(path)) await removeFolder(path);
  }
}

/** Only a folder of the same user: in a world-writable folder, anyone can create one with this name. */
async function isLeftover(path: string): Promise<boolean> {
  const there = await lstat(path).catch(() => undefined);
  if (!there?.isDirectory() || there.uid !== process.getuid?.()) return false;
  const owner = await readFile(join(path, ownerFile), 'utf8').catch(() => undefined);
  return owner !== undefined && !isRunning(Number(owner));
}

async function removeFolder(path: string): Promise<void> {
  await endPostgresIn(path);
  // A server that just ended may still be removing its own files.
  await rm(path, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 });
}
