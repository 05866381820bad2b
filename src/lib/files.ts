import { open, opendir, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { earlier } from './durations.ts';

type RemoveOldFilesOptions = {
  readonly now: Date;
  /** How long files are kept after they were last written, in milliseconds. */
  readonly keptMs: number;
  /** How often to search the folder at most, in milliseconds. */
  readonly everyMs: number;
};

/** The file in the folder whose time says when it was last searched. */
const searchedFile = '.searched';

/**
 * Removes the files below `folder` that were not written for a while; folders stay. Never throws: a missing folder counts as empty, and
 * files that cannot be removed stay.
 */
export async function removeOldFiles(
  folder: string,
  { now, keptMs, everyMs }: RemoveOldFilesOptions,
): Promise<void> {
  try {
    const searched = join(folder, searchedFile);
    const last = await stat(searched).catch(() => null);
    if (last !== null && last.mtime > earlier(now, everyMs)) return;
    await writeFile(searched, '');
    await utimes(searched, now, now);
    const before = earlier(now, keptMs);
    for await (const path of filesBelow(folder)) {
      const written = await stat(path).catch(() => null);
      if (written !== null && written.mtime < before) await rm(path, { force: true }).catch(() => undefined);
    }
  } catch {
    // A subfolder may belong to another user, or another process may have just removed it. The next search tries again.
  }
}

/** Lists files one by one. With `recursive`, `opendir` would hold a whole subfolder and take quadratic time (seen in Node 24). */
async function* filesBelow(folder: string): AsyncGenerator<string> {
  for await (const entry of await opendir(folder)) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) yield* filesBelow(path);
    else if (entry.isFile()) yield path;
  }
}

/** Syncs a folder to disk: only then do files created, linked or renamed in it survive a crash of the machine. */
export async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
