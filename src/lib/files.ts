import { open } from 'node:fs/promises';

/** Syncs a folder to disk: only then do files created, linked or renamed in it survive a crash of the machine. */
export async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
