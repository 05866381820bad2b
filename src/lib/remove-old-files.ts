import { opendir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';

/**
 * Removes the files below `folder` that were last written before `before`; folders stay. Never throws: a missing folder counts as empty,
 * and files that cannot be removed stay.
 */
export async function removeOldFiles(folder: string, before: Date): Promise<void> {
  try {
    for await (const entry of await opendir(folder, { recursive: true })) {
      if (!entry.isFile()) continue;
      const path = join(entry.parentPath, entry.name);
      const written = await stat(path).catch(() => null);
      if (written !== null && written.mtime < before) await rm(path, { force: true }).catch(() => undefined);
    }
  } catch {
    // A subfolder may belong to another user, or another process may have just removed it. The next start tries again.
  }
}
