import { describe, expect, test } from 'vitest';
import { betweenMarkers, sectionOf } from '../../bench/report/between-markers.ts';
import { markdownReport, type RunOf, textReport, updateReport } from '../../bench/report/report.ts';
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

test('the page has only what has a goal or answers a main question, and is exempt from padding by the formatter', () => {
  const told = {
    key: 'd',
    what: 'lost',
    value: 0,
    unit: '',
    inShort: 'How many?',
    beside: '9 without',
  } as const;
  const lines = markdownReport(run, [...sections, { figure: 'Kill', measures: [told] }]).split('\n');
  const heading = lines.indexOf('| figure | what | measured | goal | met | day |');

  expect(lines[0]).toBe(
    '2026-11-21 05:06 UTC, 2 cores (Some CPU), 24 GB, `npm run bench`. Postgres 18: fsync on.',
  );
  expect(lines[heading - 1]).toMatch(/^<!-- biome-ignore format: .+ -->$/);
  expect(lines.slice(heading + 2)).toEqual([
    '| Burst | seconds \\| all | 4 s (11 messages) | <= 10 s | yes | 2026-11-21 |',
    '| Burst | messages | 31 | <= 30 | NO | 2026-11-21 |',
    '| Kill | lost | 0 (9 without) |  |  | 2026-11-21 |',
  ]);
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

describe('measuring only some figures again', () => {
  const measured = (figure: string, value: number) => ({
    figure,
    measures: [{ key: 'k', what: `${figure} | takes`, value, unit: 's', goal: { most: 9 } } as const],
  });
  const again: RunOf = { ...run, date: new Date('2026-11-22T05:06:07Z') };
  const before = markdownReport(run, [measured('Burst', 1), measured('Idle', 2)]);
  const rows = (report: string) => report.split('\n').filter((line) => line.includes('takes'));

  test('replaces their rows, in place, and nothing else', () => {
    const after = updateReport(before, again, [measured('Burst', 99)]);

    expect(rows(after)).toEqual([
      '| Burst | Burst \\| takes | 99 s | <= 9 s | NO | 2026-11-22 |',
      '| Idle | Idle \\| takes | 2 s | <= 9 s | yes | 2026-11-21 |',
    ]);
    expect(after.replace(rows(after)[0] ?? '', () => rows(before)[0] ?? '')).toBe(before);
    expect(updateReport(after, again, [measured('Burst', 99)])).toBe(after);
  });

  test('adds a figure that was not in the report at its end', () => {
    const after = updateReport(before, again, [measured('Memory', 7)]);

    expect(after).toBe(`${before}\n| Memory | Memory \\| takes | 7 s | <= 9 s | yes | 2026-11-22 |`);
  });

  test('keeps the figures of what could not be measured', () => {
    const failed = {
      figure: 'Burst',
      measures: [{ key: 'failed', what: 'no', value: Number.NaN, unit: '', goal: { most: 0 } }],
    } as const;

    expect(updateReport(before, again, [failed])).toBe(before);
  });

  test('reads the report of the page that is there', () => {
    expect(sectionOf(page)).toBe('old');
    expect(sectionOf('# Measured\n')).toBe('');
  });
});
