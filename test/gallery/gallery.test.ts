import { existsSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { galleryFolder, phoneFolder, readManifest, schemes } from './manifest.ts';
import { pairs } from './pairs.ts';
import { everythingPictured, textOf } from './pictured.ts';

const renew = 'Update the pictures that differ: npm run gallery';
const pictures = await readManifest(galleryFolder);

test('every picture in docs/gallery shows the text that the code renders', () => {
  const now = everythingPictured().map(({ group, title, name, text }) => ({ group, title, name, text }));
  const then = pictures.map(({ group, title, name, text }) => ({ group, title, name, text }));
  expect(then, renew).toEqual(now);
});

test('every picture exists in light and dark, and there are no others', async () => {
  const wanted = new Set(pictures.map(({ name }) => `${name}.webp`));
  for (const scheme of schemes) {
    expect(new Set(await readdir(join(galleryFolder, scheme))), renew).toEqual(wanted);
  }
  expect(wanted.size).toBe(pictures.length);
  expect(existsSync(join(galleryFolder, 'index.html')), renew).toBe(true);
});

test('every pair has a picture before and now, in light and dark, as wide as a channel and as a phone', async () => {
  const before = new Set(pairs.map((pair) => `${pair.before}.webp`));
  const now = new Set(pairs.map((pair) => `${pair.now}.webp`));
  for (const scheme of schemes) {
    expect(new Set(await readdir(join(galleryFolder, 'before', scheme)))).toEqual(before);
    expect(new Set(await readdir(join(galleryFolder, 'before', 'phone', scheme)))).toEqual(before);
    expect(new Set(await readdir(join(phoneFolder, scheme))), renew).toEqual(now);
  }
  const onPhone = await readManifest(phoneFolder);
  const texts = new Map(pictures.map(({ name, text }) => [name, text]));
  expect(
    onPhone.map(({ name, text }) => [name, text]),
    renew,
  ).toEqual(onPhone.map(({ name }) => [name, texts.get(name)]));
  expect(onPhone).toHaveLength(pairs.length);
});

test('the text of a picture includes the values of fields and the chosen options', () => {
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
