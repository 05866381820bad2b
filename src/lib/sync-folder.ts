import { open } from 'node:fs/promises';

/** What was made, linked or renamed in `folder` outlives a crash of the machine only when the folder has been synced. */
export async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
