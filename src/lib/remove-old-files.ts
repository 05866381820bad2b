import { opendir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';

/**
 * Removes the files below `folder` that were last written before `before`; folders stay. Never throws: a folder that is not there has none,
 * and what cannot be removed stays.
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
    // A folder below may be another user's, or be removed by another process meanwhile. The next start looks again.
  }
}
