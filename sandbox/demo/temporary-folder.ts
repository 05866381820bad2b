import { access, constants, readFile, statfs } from 'node:fs/promises';
import { tmpdir } from 'node:os';

/** Linux keeps this folder in memory. */
const inMemory = '/dev/shm';
const gib = 1024 ** 3;

/**
 * Returns the folder for the demo's files: in memory where that is possible, because creating and syncing the more than 1,000 files of a
 * database on a disk takes longer. `TMPDIR` comes first.
 */
export async function temporaryFolder(): Promise<string> {
  return process.env.TMPDIR === undefined && (await canHold(inMemory)) ? inMemory : tmpdir();
}

/** Whether a folder is in memory, with room to spare (a demo writes 0.2 GiB; Docker's default is 64 MiB), and can contain programs. */
async function canHold(folder: string): Promise<boolean> {
  try {
    const [{ bavail, bsize }, mounts] = await Promise.all([
      statfs(folder),
      readFile('/proc/mounts', 'utf8'),
      access(folder, constants.W_OK),
    ]);
    const [, , type, options = ''] =
      mounts
        .split('\n')
        .map((line) => line.split(' '))
        .findLast(([, at]) => at === folder) ?? [];
    const hasRoom = bavail * bsize >= gib && process.availableMemory() >= 2 * gib;
    return type === 'tmpfs' && hasRoom && !options.split(',').includes('noexec');
  } catch {
    // Only Linux has it.
    return false;
  }
}
