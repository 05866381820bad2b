import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, onTestFinished, test } from 'vitest';
import { findChromium } from '../sandbox/demo/find-chromium.ts';
import { galleryFolder, readManifest, schemes } from './manifest.ts';
import { everythingPictured, textOf } from './pictured.ts';

const renew = 'Take the pictures that differ again: npm run gallery';
const pictures = await readManifest(galleryFolder);

test('every picture in docs/gallery says what the code says', () => {
  const now = everythingPictured().map(({ group, title, name, text }) => ({ group, title, name, text }));
  const then = pictures.map(({ group, title, name, text }) => ({ group, title, name, text }));
  expect(then, renew).toEqual(now);
});

test('every picture is there in light and dark, and no other', async () => {
  const wanted = new Set(pictures.map(({ name }) => `${name}.webp`));
  for (const scheme of schemes) {
    expect(new Set(await readdir(join(galleryFolder, scheme))), renew).toEqual(wanted);
  }
  expect(wanted.size).toBe(pictures.length);
  expect(existsSync(join(galleryFolder, 'index.html')), renew).toBe(true);
});

test('the text of a picture has what fields hold and which options are chosen', () => {
  const markup =
    '<style>p{}</style><h3>Edit</h3><p>Dana &amp; <b>Sam</b></p><input type="text" value="12"><input type="text" placeholder="https://…" value="">' +
    '<select><option value="">Choose…</option><option value="a" selected>Daily</option></select>' +
    '<label><input type="checkbox" checked>Added</label><label><input type="checkbox">Deleted</label>';
  expect(textOf(markup).split('\n')).toEqual([
    'Edit',
    'Dana & Sam',
    '[12][https://…]',
    'Choose…',
    '✓ Daily',
    '✓ Added',
    'Deleted',
  ]);
});

test('npm run gallery takes a picture in light and dark of what is not pictured yet, and takes it once', async ({
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
