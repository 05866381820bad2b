import fc from 'fast-check';
import { expect, test } from 'vitest';
import { shortPattern } from '../../../src/core/model/patterns.ts';

test.each([
  ['A/B/C', '…/C'],
  ['A/B/**', '…/B/**'],
  ['A/B/*.pdf', '…/B/*.pdf'],
  ['Bids/Confidential', '…/Confidential'],
  ['!Bids/Secret', '!…/Secret'],
  ['!/Bids/Secret/', '!…/Secret'],
  ['A/B/**/*.pdf', '…/B/**/*.pdf'],
  ['A/Secret*/Offer*', '…/Secret*/Offer*'],
  ['**/Level 1/**', '…/Level 1/**'],
  ['Bids › Secret', '…/Secret'],
  ['Bids > Secret > Offers', '…/Offers'],
  ['Bids\\Secret\\Offers', '…/Offers'],
  ['{Bids/Secret,Plans/Level 1}', '{…/Secret,…/Level 1}'],
  ['{Bids/Secret,Plans}/*.pdf', '{…/Secret,Plans}/*.pdf'],
  ['Bids/{Secret/A,Open}/**', '…/{…/A,Open}/**'],
  ['Bids/{Secret/**,Open}', '…/{Secret/**,Open}'],
  ['Bids/{a,{b/c,d/e}}', '…/{a,{…/c,…/e}}'],
  ['A/B/*.{pdf,dwg}', '…/B/*.{pdf,dwg}'],
  ['Bids{/Secret,/Open}', '…'],
  ['{Bids/,Plans/}Level', '…'],
  ['{a/b}{c,d}', '…'],
  ['{Bids/Secret', '…'],
  ['Bids}/Secret/A', '…'],
  ['Bids', 'Bids'],
  ['/Bids/', '/Bids/'],
  ['Bids/**', 'Bids/**'],
  ['*.{pdf,dwg}', '*.{pdf,dwg}'],
  ['**/*.bak', '**/*.bak'],
])('of %s people of another organization read %s', (pattern, shown) => {
  expect(shortPattern(pattern)).toBe(shown);
});

test('a folder that is followed by another one is never read, wherever braces, wildcards and separators stand', () => {
  const name = fc.constantFrom('Last', '*', '**', '*.pdf', '{x,y}', '{x/Last,y}', 'Level ?', '{', '}');
  const separator = fc.constantFrom('/', ' › ', ' > ', '//');
  const pattern = fc
    .tuple(
      fc.constantFrom('', '!', '/', '!/', '{'),
      fc.array(fc.tuple(name, separator), { maxLength: 3 }),
      separator,
      fc.array(fc.tuple(name, separator), { maxLength: 2 }),
      name,
    )
    .map(([mark, before, behind, after, last]) =>
      [mark, ...before.flat(), 'Parent', behind, 'Folder/', ...after.flat(), last].join(''),
    );
  fc.assert(
    fc.property(pattern, (glob) => {
      expect(shortPattern(glob)).not.toContain('Parent');
    }),
    { numRuns: 2_000 },
  );
});
