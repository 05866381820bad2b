import { expect, test } from 'vitest';
import { comparedTo, goalShown, isMet, type Measure, shown } from '../../bench/report/measure.ts';

const measure = (key: string, value: number, better?: Measure['better']): Measure => ({
  key,
  what: key,
  value,
  unit: '/s',
  better,
  goal: { least: 1 },
});

test('a figure exactly at its bound meets it, and one that was not measured never does', () => {
  expect(isMet({ value: 105, goal: { most: 105 } })).toBe(true);
  expect(isMet({ value: 105.1, goal: { most: 105 } })).toBe(false);
  expect(isMet({ value: 0.8, goal: { least: 0.8 } })).toBe(true);
  expect(isMet({ value: 0.79, goal: { least: 0.8 } })).toBe(false);
  expect(isMet({ value: Number.NaN, goal: { most: 105 } })).toBe(false);
  expect(isMet({ value: 1 })).toBe(null);
});

test.each([
  [12_345.6, '/s', '12,346/s'],
  [0.794, 'x', '0.79 x'],
  [43.25, 'ms', '43.3 ms'],
  [0.234, '%', '0.23 %'],
  [30, '', '30'],
  [Number.NaN, 'ms', 'none'],
] as const)('%d in %s is shown as %s', (value, unit, text) => {
  expect(shown(value, unit)).toBe(text);
});

test('a goal is shown in the unit of its figure', () => {
  expect(goalShown({ goal: { most: 3 }, unit: 's' })).toBe('<= 3 s');
  expect(goalShown({ goal: { least: 0.8 }, unit: 'x' })).toBe('>= 0.8 x');
  expect(goalShown({ unit: 's' })).toBe('');
});

test('a big store is worse if it accepts fewer notifications or takes longer', () => {
  const small = [
    {
      figure: 'A',
      measures: [measure('taken', 1_000, 'more'), measure('time', 10, 'less'), measure('c', 5)],
    },
  ];
  const big = [
    { figure: 'A', measures: [measure('taken', 500, 'more'), measure('time', 11, 'less'), measure('c', 9)] },
  ];

  const [section] = comparedTo(small, big);

  const ratios = section?.measures.filter(({ key }) => key.endsWith('ratio')) ?? [];
  expect(ratios.map(({ key, value }) => [key, value])).toEqual([
    ['taken ratio', 2],
    ['time ratio', 1.1],
  ]);
  expect(ratios.map(isMet)).toEqual([false, true]);
});

test('a figure measured only on the big store has no ratio', () => {
  const [section] = comparedTo([], [{ figure: 'A', measures: [measure('taken', 1, 'more')] }]);

  expect(section?.measures.map(({ key }) => key)).toEqual(['taken']);
});
