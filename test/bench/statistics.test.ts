import { expect, test } from 'vitest';
import { median, percentile, smallestGap } from '../../bench/report/statistics.ts';

const hundred = Array.from({ length: 100 }, (_, index) => 100 - index);

test.each([
  [0.5, 50],
  [0.99, 99],
  [0.991, 100],
  [1, 100],
  [0, 1],
])('of 1 to 100 in any order, a share of %f is at or below %i', (share, value) => {
  expect(percentile(hundred, share)).toBe(value);
});

test('an answer that never came counts among the slowest', () => {
  expect(percentile([3, Number.NaN, 1, 2], 1)).toBeNaN();
  expect(percentile([3, Number.NaN, 1, 2], 0.5)).toBe(2);
});

test('the median of an even count is the mean of the middle two, and an empty list has none', () => {
  expect(median([9, 1, 3])).toBe(3);
  expect(median([4, 1, 3, 9])).toBe(3.5);
  expect(median([])).toBeNaN();
  expect(percentile([], 0.5)).toBeNaN();
});

test('the smallest gap is between neighbors in time, not in the list', () => {
  expect(smallestGap([5_000, 1_000, 2_100, 3_900])).toBe(1_100);
  expect(smallestGap([1])).toBeNaN();
});
