import { mkdir, mkdtemp, readdir, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { dayMs, earlier, hourMs, later } from '../../src/lib/durations.ts';
import { removeOldFiles } from '../../src/lib/files.ts';

test('a start on the same day as another one does not search thousands of compiled files again', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'plancast-old-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const release = join(folder, 'release');
  await mkdir(release);
  const now = new Date();
  const write = async (name: string): Promise<void> => {
    await writeFile(join(release, name), 'compiled');
    await utimes(join(release, name), earlier(now, 31 * dayMs), earlier(now, 31 * dayMs));
  };
  const startAt = async (time: Date): Promise<string[]> => {
    await removeOldFiles(folder, { now: time, keptMs: 30 * dayMs, everyMs: dayMs });
    return readdir(release);
  };
  await write('first');

  expect(await startAt(now)).toEqual([]);
  await write('second');
  expect(await startAt(later(now, hourMs))).toEqual(['second']);
  expect(await startAt(later(now, dayMs + hourMs))).toEqual([]);
});
