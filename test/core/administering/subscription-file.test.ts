import fc from 'fast-check';
import { expect, test } from 'vitest';
import { completed, deliveryOf } from '../../../src/core/administering/plan-import.ts';
import { readFile } from '../../../src/core/administering/read-file.ts';
import { type Exported, writeFile } from '../../../src/core/administering/write-file.ts';
import type { Delivery, Target } from '../../../src/core/model/subscription.ts';
import { isGlob, isItemId, isName } from '../../../src/core/model/typed-text.ts';
import { parseWords } from '../../../src/slack/grammar/parse-fields.ts';
import { anyCharacter } from '../../support/any-character.ts';

/** Text as people and services use it in names, with every character that means something in YAML. */
const text = fc.stringMatching(/^[\w #:'"{}[\],&*!|>%@`~é鉄🔧/.-]{1,30}$/u).map((found) => found.trim());
const id = fc.integer({ min: 0, max: 999_999_999 }).map((number) => {
  const digits = String(number).padStart(9, '0');
  return `${digits.slice(0, 3)}-${digits.slice(3, 6)}-${digits.slice(6)}`;
});
const target: fc.Arbitrary<Target> = fc.oneof(
  id.map((projectId) => ({ kind: 'project' as const, projectId })),
  id.map((sessionId) => ({ kind: 'session' as const, sessionId })),
  fc
    .tuple(id, text.filter(isItemId))
    .map(([projectId, itemId]) => ({ kind: 'file' as const, projectId, itemId })),
);
const person = fc.constantFrom({ userId: 'U0DANA' }, { email: 'dana@example.com' });
const delivery: fc.Arbitrary<Delivery> = fc.constantFrom(
  { when: 'live' },
  { when: 'hourly', except: ['delete'] },
  { when: 'daily', at: '08:30', zone: 'Asia/Tokyo', weekdays: true },
);
const exported: fc.Arbitrary<Exported> = fc.record({
  channelId: fc.constantFrom('C0PLANS', 'G0SECRET', 'D0DANA'),
  ownerUserId: fc.constantFrom('U0DANA', 'W0SAM'),
  target,
  comprehensive: fc.boolean(),
  filters: fc.record({
    only: fc.subarray(['create', 'update', 'delete'] as const, { maxLength: 2 }),
    paths: fc.uniqueArray(text.filter(isGlob), { maxLength: 3 }),
    by: fc.uniqueArray(person, { maxLength: 1 }),
    notBy: fc.constant([]),
  }),
  delivery,
  threads: fc.boolean(),
  typedName: fc.option(text.filter(isName)),
  resourceName: fc.option(fc.string({ unit: anyCharacter })),
});

test('importing an export and exporting again gives the same file, with any characters in names and globs', () => {
  const workspace = { teamId: 'T0ACME', enterpriseId: null };
  fc.assert(
    fc.property(exported, (found) => {
      const row = { ...found, comprehensive: found.comprehensive && found.target.kind !== 'file' };
      const { rows, faults } = readFile(writeFile(workspace, [row]), parseWords);
      expect(faults).toEqual([]);
      const [read] = rows;
      if (!read) throw new Error('nothing was read');
      expect(read).toMatchObject({
        teamId: 'T0ACME',
        channelId: row.channelId === 'D0DANA' ? 'me' : row.channelId,
        ownerUserId: row.ownerUserId,
      });
      const request = completed(read);
      expect(request).toMatchObject({
        target: row.target,
        comprehensive: row.comprehensive,
        filters: row.filters,
        threads: row.threads,
        name: row.typedName ?? undefined,
      });
      expect(deliveryOf(read) ?? request.when).toEqual(row.delivery);
    }),
  );
});

test('a broken line does not affect the other lines', () => {
  const text = [
    'team: T0ACME',
    'channels:',
    '  C0A:',
    '    - project 111-111-111',
    '    - "project 222-222-222',
    '\t- project 333-333-333',
    '    - project 444-444-444',
    '  C0B: {',
    '  C0C:',
    '    - project 555-555-555',
  ].join('\n');

  const { rows, faults } = readFile(text, parseWords);

  expect(rows.map(({ channelId, line }) => [channelId, line])).toEqual([
    ['C0A', 4],
    ['C0A', 7],
    ['C0C', 10],
  ]);
  expect(faults.map(({ line, kind }) => [line, kind])).toEqual([
    [5, 'not yaml'],
    [6, 'not yaml'],
    [8, 'not yaml'],
  ]);
});

test('an entry whose first line is broken costs no other entry, and none gets its owner or time zone', () => {
  const text = [
    'channels:',
    '  C0A:',
    '    - subscribe: project 111-111-111 digest daily 9:00',
    '      owner: U0LEE',
    '    - subscribe: session 222-222-222 in ”a: b”',
    '      owner: U0DANA',
    '      zone: Asia/Tokyo',
    '    - subscribe: project 333-333-333',
    '      owner: U0SAM',
    '  C0B:',
    '    - subscribe: "project 444-444-444',
    '      owner: U0DANA',
    '    - subscribe: project 555-555-555',
    '      owner: U0SAM',
  ].join('\n');

  const { rows, faults } = readFile(text, parseWords);

  expect(rows.map(({ line, ownerUserId, zone }) => [line, ownerUserId, zone])).toEqual([
    [3, 'U0LEE', null],
    [8, 'U0SAM', null],
    [13, 'U0SAM', null],
  ]);
  expect(faults.map(({ line, kind }) => [line, kind])).toEqual([
    [5, 'not yaml'],
    [11, 'not yaml'],
  ]);
});

test.each([
  ['\t- project 222-222-222', '\t'],
  ['    - "project 222-222-222', '"'],
  ['    - [project 222-222-222', '['],
  ['    - subscribe: {project 222-222-222', '{'],
  ['    - @dana', '@'],
  ['    - subscribe: project: 222-222-222', ':'],
  ['    owner: U0DANA', null],
])('what is wrong with the line “%s” is said without words of a library', (line, sign) => {
  const text = ['channels:', '  C0A:', '    - project 111-111-111', line, '    - project 333-333-333'].join(
    '\n',
  );
  const { rows, faults } = readFile(text, parseWords);
  expect(faults).toEqual([{ line: 4, kind: 'not yaml', sign }]);
  expect(rows.map((row) => row.line)).toEqual([3, 5]);
});

test('a file that an editor indented with no-break spaces is read like any other', () => {
  const text = 'team: T0ACME\nchannels:\n  C0A:\n    - subscribe: project 111-111-111\n      owner: U0DANA';

  expect(readFile(text.replaceAll(' ', '\u00a0'), parseWords)).toEqual(readFile(text, parseWords));
});

test.each([
  ['an unclosed quotation mark', '    - "project 222-222-222'],
  ['an unclosed bracket', '    - [project 222-222-222'],
  ['two colons', '    - subscribe: project: 222-222-222'],
  ['an unmatched closing brace', '    }'],
])(
  'of 2,000 lines with %s each one is reported, no other line is lost, and the file is read twice',
  (_what, line) => {
    const text = [
      'team: T0ACME',
      'channels:',
      '  C0A:',
      ...Array.from({ length: 1_000 }, () => line),
      '    - project 444-444-444',
      ...Array.from({ length: 1_000 }, () => line),
      '    - project 555-555-555',
    ].join('\n');
    let reads = 0;
    const { rows, faults } = readFile(text, (words) => {
      reads += words.includes('555-555-555') ? 1 : 0;
      return parseWords(words);
    });
    expect(rows.map((row) => row.line)).toEqual([1_004, 2_005]);
    expect(faults).toHaveLength(2_000);
    expect(faults.every(({ kind }) => kind === 'not yaml')).toBe(true);
    expect(reads).toBeLessThanOrEqual(2);
  },
);

/** Lines whose indentation alternates, so that every second one does not fit the line before it. */
const misplaced = (length: number) =>
  Array.from({ length }, (_, index) => `${' '.repeat(4 - (index % 2))}- project 444-444-444`);

test('of thousands of misindented lines, the first ones are reported and the file is read at most 50 times', () => {
  const lines = misplaced(2_000);
  let reads = 0;
  const { rows, faults } = readFile(['team: T0ACME', 'channels:', '  C0A:', ...lines].join('\n'), (words) => {
    reads += 1;
    return parseWords(words);
  });
  expect(rows.length).toBeGreaterThanOrEqual(50);
  expect(faults.length).toBeGreaterThanOrEqual(50);
  expect(reads).toBeLessThan(60 * 60);
});

test('the longer the file, the less often it is read again', () => {
  const lines = ['team: T0ACME', 'channels:', '  C0A:', '    - project 555-555-555', ...misplaced(4_000)];
  let times = 0;
  readFile(lines.join('\n'), (words) => {
    times += words.includes('555-555-555') ? 1 : 0;
    return parseWords(words);
  });
  expect(times).toBeLessThan(30);
});

test.each([
  ['nothing', ''],
  ['only a list', '- project 111-111-111'],
  ['an alias', 'a: &a [*a]'],
  ['many brackets', '['.repeat(5_000)],
  ['not text', '\u0000\u0001\ud800'],
])('a file with %s is read without harm', (_name, text) => {
  expect(readFile(text, parseWords).rows).toEqual([]);
});
