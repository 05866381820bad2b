import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { makeDemoFolder, removeLeftovers } from '../../../sandbox/demo/demo-folder.ts';
import { temporaryFolder as folderForDemos } from '../../../sandbox/demo/temporary-folder.ts';

async function temporaryFolder(): Promise<string> {
  const parent = await mkdtemp(join(tmpdir(), 'demo-folders-'));
  onTestFinished(() => rm(parent, { recursive: true }));
  return parent;
}

async function folderOf(parent: string, name: string, owner?: string): Promise<void> {
  await mkdir(join(parent, name));
  if (owner !== undefined) await writeFile(join(parent, name, 'owner.pid'), owner);
}

test('the remains of a killed demo are removed, and nothing else', async () => {
  const parent = await temporaryFolder();
  const { path } = await makeDemoFolder(parent);
  // The highest process id on Linux is 4,194,304.
  await folderOf(parent, 'plancast-demo-killed', '99999999');
  await folderOf(parent, 'plancast-demo-unowned');
  await folderOf(parent, 'something-else', '99999999');
  await removeLeftovers(parent);
  expect(new Set((await readdir(parent)).map((name) => join(parent, name)))).toEqual(
    new Set([path, join(parent, 'plancast-demo-unowned'), join(parent, 'something-else')]),
  );
});

test('a folder is removed when its demo has ended', async () => {
  const parent = await temporaryFolder();
  const folder = await makeDemoFolder(parent);
  await mkdir(folder.dataDir);
  await folder.remove();
  expect(await readdir(parent)).toEqual([]);
});

test('a person who sets TMPDIR gets the files of the demo there, anybody else where the demo can make its folder', async () => {
  onTestFinished(() => void vi.unstubAllEnvs());
  const parent = await temporaryFolder();
  vi.stubEnv('TMPDIR', parent);
  expect(await folderForDemos()).toBe(parent);
  vi.stubEnv('TMPDIR', undefined);
  const folder = await makeDemoFolder(await folderForDemos());
  await folder.remove();
});
