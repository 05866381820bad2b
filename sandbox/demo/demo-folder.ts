import { chmod, lstat, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { endPostgresIn } from './end-postgres.ts';
import { isRunning } from './processes.ts';

const prefix = 'plancast-demo-';
/** In each folder: the process that uses it. */
const ownerFile = 'owner.pid';

/** Where one demo keeps what is only there while it runs. */
export type DemoFolder = {
  readonly path: string;
  /** `DATA_DIR` of the bot; the bot makes it. */
  readonly dataDir: string;
  /** For what the bot says. */
  readonly logFile: string;
  /** Ends a database server that is still running in it, and removes everything. */
  readonly remove: () => Promise<void>;
};

/**
 * Makes a fresh folder for a demo.
 * @param parent a folder for what is temporary: `os.tmpdir()`
 */
export async function makeDemoFolder(parent: string): Promise<DemoFolder> {
  const path = await mkdtemp(join(parent, prefix));
  // Started as root, the bot runs its database as another user, who must be able to pass through.
  await chmod(path, 0o711);
  await writeFile(join(path, ownerFile), String(process.pid));
  return {
    path,
    dataDir: join(path, 'data'),
    logFile: join(path, 'bot.log'),
    remove: () => removeFolder(path),
  };
}

/** Removes the folders of demos that were killed before they could, with the database servers that run in them. */
export async function removeLeftovers(parent: string): Promise<void> {
  for (const name of await readdir(parent)) {
    if (!name.startsWith(prefix)) continue;
    const path = join(parent, name);
    if (await isLeftover(path)) await removeFolder(path);
  }
}

/** Only a folder of one's own: in a folder that everybody may write to, anybody can give one this name. */
async function isLeftover(path: string): Promise<boolean> {
  const there = await lstat(path).catch(() => undefined);
  if (!there?.isDirectory() || there.uid !== process.getuid?.()) return false;
  const owner = await readFile(join(path, ownerFile), 'utf8').catch(() => undefined);
  return owner !== undefined && !isRunning(Number(owner));
}

async function removeFolder(path: string): Promise<void> {
  await endPostgresIn(path);
  // A server that was just ended may still be taking its own files away.
  await rm(path, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 });
}
