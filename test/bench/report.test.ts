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

describe('measuring only some figures again', () => {
  const measured = (figure: string, value: number, inShort?: string) => ({
    figure,
    about: `About ${figure}.`,
    measures: [{ key: 'k', what: `${figure} takes`, value, unit: 's', inShort } as const],
  });
  const all = [measured('Burst', 1, 'How | fast?'), measured('Idle', 2), measured('Start', 3, 'How soon?')];
  const again: RunOf = {
    ...run,
    date: new Date('2026-11-22T05:06:07Z'),
    command: 'npm run bench -- --only x',
  };
  const before = markdownReport(run, all);

  test('replaces their tables and their rows of the summary, and nothing else', () => {
    const after = updateReport(before, again, [measured('Start', 99, 'How soon?')]);
    const lines = after.split('\n');

    const [head, note] = [before, after].map((text) => text.split('\n')[0]);
    expect(note).toBe(head);
    expect(lines.filter((line) => line.startsWith('### '))).toEqual([
      '### Burst',
      '### Idle',
      '### Start',
      '### Summary',
    ]);
    const gone = before.split('\n').filter((line) => !lines.includes(line));
    expect(gone).toEqual(['| Start takes | 3 s |  |  |', '| How soon? | 3 s |  |  |  |']);
    const fresh = lines.filter((line) => !before.includes(line));
    expect(fresh).toEqual([
      expect.stringMatching(/^Measured again: 2026-11-22 05:06 UTC, .*--only x`\. Postgres 18: fsync on\.$/),
      '| Start takes | 99 s |  |  |',
      '| How soon? | 99 s |  |  |  |',
    ]);
  });

  test('does not say twice that it was done', () => {
    const once = updateReport(before, again, [measured('Idle', 5)]);
    expect(updateReport(once, again, [measured('Idle', 5)])).toBe(once);
  });

  test('adds a figure that was not in the report before its summary', () => {
    const after = updateReport(before, again, [measured('Memory', 7, 'How much?')]);
    expect(after.split('\n').filter((line) => line.startsWith('### '))).toEqual([
      '### Burst',
      '### Idle',
      '### Start',
      '### Memory',
      '### Summary',
    ]);
    expect(after).toMatch(/\n\| How much\? \| 7 s \|.*$/);
  });

  test('keeps the figures of what could not be measured', () => {
    const failed = {
      figure: 'Start',
      measures: [{ key: 'failed', what: 'no', value: Number.NaN, unit: '' }],
    } as const;
    expect(updateReport(before, again, [failed])).toBe(before);
  });

  test('reads the report of the page that is there', () => {
    expect(sectionOf(page)).toBe('old');
    expect(sectionOf('# Measured\n')).toBe('');
  });
});
