import { expect, test } from 'vitest';
import { betweenMarkers } from '../../bench/report/between-markers.ts';
import { markdownReport, type RunOf, textReport } from '../../bench/report/report.ts';
import { markdownTable, textTable } from '../../bench/report/table.ts';

const run: RunOf = {
  date: new Date('2026-11-21T05:06:07Z'),
  machine: { cores: 2, cpu: 'Some CPU', memoryGb: 24 },
  command: 'npm run bench',
  remarks: ['Postgres 18: fsync on.'],
};
const sections = [
  {
    figure: 'Burst',
    measures: [
      { key: 'a', what: 'seconds | all', value: 4, unit: 's', goal: { most: 10 }, note: '11 messages' },
      { key: 'b', what: 'messages', value: 31, unit: '', goal: { most: 30 } },
      { key: 'c', what: 'accepted', value: 5_000, unit: '/s' },
    ],
  },
] as const;

test('columns of text line up', () => {
  expect(textTable([['a', 'bb'], ['ccc', 'd'], ['e']])).toBe('a    bb\n---  --\nccc  d\ne');
  expect(textTable([])).toBe('');
});

test('a pipe in a cell does not start another cell', () => {
  expect(markdownTable([['a'], ['b|c']])).toBe('| a |\n|---|\n| b\\|c |');
});

test('a report says when and on what machine it ran, and which goals were missed', () => {
  const text = textReport(run, sections);

  expect(text).toContain('2026-11-21 05:06 UTC, 2 cores (Some CPU), 24 GB, `npm run bench`');
  expect(text).toContain('compared with bare servers');
  expect(text).toContain('Postgres 18: fsync on.');
  expect(text).toMatch(/^messages +31 +<= 30 +NO$/m);
  expect(text).toMatch(/^accepted +5,000\/s$/m);
});

test('every table of the page is exempt from padding by the formatter', () => {
  const lines = markdownReport(run, sections).split('\n');
  const heading = lines.indexOf('| figure | measured | goal | met |');

  expect(lines[heading - 1]).toMatch(/^<!-- biome-ignore format: .+ -->$/);
  expect(lines).toContain('| seconds \\| all | 4 s (11 messages) | <= 10 s | yes |');
});

const page = '# Measured\n\nBefore.\n\n<!-- bench:start -->\nold\n<!-- bench:end -->\n\n## After\n\ntext \n';

test('only the text between the markers is replaced', () => {
  expect(betweenMarkers(page, 'new $& $1\n')).toBe(page.replace('old', () => 'new $& $1'));
  expect(betweenMarkers(betweenMarkers(page, 'one'), 'old')).toBe(page);
});

test('a page without markers gets them at its end, once', () => {
  const once = betweenMarkers('# Measured\n\nText.\n\n', 'figures');

  expect(once).toBe('# Measured\n\nText.\n\n<!-- bench:start -->\nfigures\n<!-- bench:end -->\n');
  expect(betweenMarkers(once, 'figures')).toBe(once);
});

test.each([
  ['only the end', '<!-- bench:end -->'],
  ['only the start', '<!-- bench:start -->'],
  ['the wrong order', '<!-- bench:end --> text <!-- bench:start -->'],
])('a page with broken markers is not changed: %s', (_what, broken) => {
  expect(() => betweenMarkers(broken, 'new')).toThrow('or neither');
});
