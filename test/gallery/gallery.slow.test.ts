import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, onTestFinished, test } from 'vitest';
import { findChromium } from '../sandbox/demo/find-chromium.ts';
import { schemes } from './manifest.ts';

test('npm run gallery takes missing pictures in light and dark, and takes them only once', async ({
  skip,
}) => {
  const found = findChromium();
  skip('missing' in found, 'missing' in found ? found.missing : '');
  const folder = await mkdtemp(join(tmpdir(), 'gallery-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const take = async () => {
    const args = ['test/gallery/take-pictures.ts', '--into', folder, '--group', 'Tour'];
    const { stdout } = await promisify(execFile)(process.execPath, args);
    return stdout;
  };
  expect(await take()).toContain('4 pictures in light and dark, 4 of them new');
  const [light, dark] = await Promise.all(
    schemes.map((scheme) => readFile(join(folder, scheme, 'a-channel.webp'))),
  );
  expect(light?.subarray(8, 12).toString()).toBe('WEBP');
  expect(light?.equals(dark ?? Buffer.of())).toBe(false);
  expect(await readFile(join(folder, 'tour.html'), 'utf8')).toContain('dark/a-channel.webp');
  expect(await take()).toContain('0 of them new');
}, 120_000);
