import { expect, test } from 'vitest';
import type { Change } from '../../../src/core/model/change.ts';
import { listBlocks, listPages } from '../../../src/messages/activity/change-list.ts';
import { rowsOf } from '../../../src/messages/activity/digest.ts';
import { showAllView } from '../../../src/messages/activity/show-all.ts';
import { asSeen } from '../as-seen.ts';
import { harbourTower, makeChange, weeklyReview } from '../changes.ts';

const files = (...names: readonly string[]) => names.map((name) => makeChange({ name }));

/** The lines of Show all, without its heading and buttons. */
function listed(changes: readonly Change[]): string[] {
  return asSeen(showAllView({ changes, page: 0, metadata: '' }))
    .split('\n')
    .filter((line) => /^ {2}\| •/.test(line))
    .map((line) => line.slice(6).replaceAll('*', ''));
}

test('names are sorted as people sort them, and numbers in a row are one line', () => {
  const photos = [16, 9, 12, 10, 11, 14, 8].map((number) => `Photo ${number}.jpg`);
  expect(listed(files(...photos, 'a plan.pdf', 'B plan.pdf'))).toEqual([
    'a plan.pdf',
    'B plan.pdf',
    'Photo 8–12.jpg',
    'Photo 14.jpg',
    'Photo 16.jpg',
  ]);
});

test.for([
  [
    ['Photo 1.jpg', 'Photo 2.jpg'],
    ['Photo 1.jpg', 'Photo 2.jpg'],
  ],
  [
    ['IMG_0009.jpg', 'IMG_0010.jpg', 'IMG_0011.jpg', 'x'],
    ['IMG_0009–0011.jpg', 'x'],
  ],
  [
    ['IMG_009.jpg', 'IMG_10.jpg', 'IMG_11.jpg'],
    ['IMG_009.jpg', 'IMG_10.jpg', 'IMG_11.jpg'],
  ],
  [
    ['1 a.mp4', '2 a.mp4', '3 a.mp4', 'x'],
    ['1–3 a.mp4', 'x'],
  ],
  [
    ['P1.jpg', 'P2.png', 'P3.jpg'],
    ['P1.jpg', 'P2.png', 'P3.jpg'],
  ],
  [
    ['P1 rev A.pdf', 'P2 rev A.pdf', 'P3 rev B.pdf'],
    ['P1 rev A.pdf', 'P2 rev A.pdf', 'P3 rev B.pdf'],
  ],
] as const)('%j are listed as %j', ([names, lines]) => {
  expect(listed(files(...names))).toEqual(lines);
});

test('folders are sorted within a project, and what must be noticed has no place of its own', () => {
  const changes = [
    makeChange({ name: 'b', folder: ['Plans', 'Level 10'] }),
    makeChange({ name: 'c', folder: ['Plans', 'Level 2'] }),
    makeChange({ name: 'd', folder: ['Plans'], verb: 'deleted' }),
    makeChange({ name: 'e', folder: null, kind: 'document', within: weeklyReview }),
  ];
  const view = asSeen(showAllView({ changes, page: 0, metadata: '' }));
  expect(view.replaceAll(/[\s\S]*?\| (.*)/g, '$1\n')).toMatch(
    /Harbour Tower.*\n.*\*d\*.*\n.*\*c\*.*\n.*\*b\*.*\n.*Weekly review.*\n.*\*e\*/,
  );
});

test('a page that starts within a project or a row repeats its heading and its sentence', () => {
  const changes = Array.from({ length: 60 }, (_, index) =>
    makeChange({ name: `Sheet ${2 * index}.pdf`, within: harbourTower }),
  );
  const pages = listPages(rowsOf(changes, { signed: true, byName: true }), true, { blocks: 400 });
  expect(pages.length).toBeGreaterThan(2);
  const texts = pages.map((page) => JSON.stringify(listBlocks(page)));
  for (const text of texts) expect(text).toMatch(/\*Harbour Tower\*.*added 60 files.*• /);
  expect(texts.join().match(/• /g)).toHaveLength(60);
});
