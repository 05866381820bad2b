import { globSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { readText, root } from '../guards/source-files.ts';
import { keptFolder, readManifest, schemes } from './manifest.ts';
import { everythingPictured, textOf, tour } from './pictured.ts';

const renew = 'Update the pictures that differ: npm run gallery';
const everything = everythingPictured();
const pictures = await readManifest(keptFolder);

test('every picture in docs/pictures shows the text that the code renders', () => {
  const now = everything
    .filter(({ group }) => group === tour)
    .map(({ group, title, name, text }) => ({ group, title, name, text }));
  const then = pictures.map(({ group, title, name, text }) => ({ group, title, name, text }));
  expect(then.length).toBeGreaterThan(0);
  expect(then, renew).toEqual(now);
});

test('every picture in docs/pictures exists in light and dark, both are on a page, and there are no others', async () => {
  const wanted = pictures.map(({ name }) => `${name}.webp`);
  const pages = globSync(['*.md', 'docs/*.md'], { cwd: root }).map(readText).join('\n');
  for (const scheme of schemes) {
    expect(new Set(await readdir(join(keptFolder, scheme))), renew).toEqual(new Set(wanted));
    expect(wanted.filter((file) => !pages.includes(`pictures/${scheme}/${file}`))).toEqual([]);
  }
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

test('no two pictures have the same name', () => {
  const names = everything.map(({ name }) => name);
  expect(names.filter((name, index) => names.indexOf(name) !== index)).toEqual([]);
});
