import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

const page = readFileSync(new URL('../../docs/service.md', import.meta.url), 'utf8');
const tableRows = page
  .split('\n')
  .filter((line) => line.startsWith('|'))
  .map((line) =>
    line
      .split('|')
      .slice(1, -1)
      .map((cell) => cell.trim()),
  );
const rows = tableRows.flatMap(([row = '', file = '', name = '']) =>
  file.startsWith('interface-') ? [{ row, file, path: name.split(' > ') }] : [],
);

test('the page on the service names a test for each row', () => {
  expect(rows.length).toBeGreaterThan(90);
});

test.each(rows)('the page names a test that exists: $row', ({ file, path }) => {
  const source = readFileSync(new URL(`./${file}.test.ts`, import.meta.url), 'utf8');
  const [first = '', second] = path;
  const group =
    second === undefined ? source : (source.split(`describe('${first}'`)[1]?.split('\ndescribe(')[0] ?? '');
  expect(group).toContain(second === undefined ? `test('${first}` : `'${second}`);
});

test('each open question is answered once', () => {
  const questions = tableRows.flatMap(([name = '']) => /^U(\d+)$/.exec(name)?.[1] ?? []);
  expect(questions).toEqual(Array.from({ length: 23 }, (_, at) => String(at + 1)));
});
