import fc from 'fast-check';
import { expect, test } from 'vitest';
import { grouped } from '../../../src/messages/text/phrase.ts';

test('a whole number reads as people write it in English', () => {
  expect([0, 7, 999, 1_000, 12_345, 1_234_567].map(grouped)).toEqual([
    '0',
    '7',
    '999',
    '1,000',
    '12,345',
    '1,234,567',
  ]);
  fc.assert(fc.property(fc.maxSafeInteger(), (count) => grouped(count) === count.toLocaleString('en')));
});
