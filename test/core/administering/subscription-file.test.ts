import fc from 'fast-check';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
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
      const file = writeFile(workspace, [row]);
      expect(parse(file)).toMatchObject({ team: 'T0ACME' });
      const { rows, faults } = readFile(file, parseWords);
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
    '    - [projct 444-444-444',
    '    - project 444-444-444',
    '  C0B: {',
    '    - project 555-555-555',
    '  C0C:',
    'session 666-666-666',
    '  - project 777-777-777',
    `  - project ${'7'.repeat(5_000)}`,
  ].join('\n');

  const { rows, faults } = readFile(text, parseWords);

  expect(rows.map(({ channelId, line }) => [channelId, line])).toEqual([
    ['C0A', 4],
    ['C0A', 6],
    ['C0A', 8],
    ['C0C', 13],
  ]);
  expect(faults.map(({ line, kind }) => [line, kind])).toEqual([
    [5, 'quote'],
    [7, 'words'],
    [9, 'shape'],
    [12, 'shape'],
    [14, 'shape'],
  ]);
});

test('an entry with a broken line costs no other entry, and none gets its owner or time zone', () => {
  const text = [
    'channels:',
    '  C0A:',
    '    - subscribe: project 111-111-111 digest daily 9:00',
    '      owner: U0LEE',
    '    - subscribe: "session 222-222-222',
    '      owner: U0DANA',
    '      zone: Asia/Tokyo',
    '    - subscribe: project 333-333-333',
    '      owner: U0SAM',
    '  C0B:',
    '    - subscribe: project 444-444-444',
    '      onwer: U0DANA',
    '      zone: Asia/Tokyo',
    '    - owner: U0SAM',
    '      subscribe: project 555-555-555',
  ].join('\n');

  const { rows, faults } = readFile(text, parseWords);

  expect(rows.map(({ line, ownerUserId, zone }) => [line, ownerUserId, zone])).toEqual([
    [3, 'U0LEE', null],
    [8, 'U0SAM', null],
    [14, 'U0SAM', null],
  ]);
  expect(faults.map(({ line, kind }) => [line, kind])).toEqual([
    [5, 'quote'],
    [12, 'key'],
  ]);
});

test('what is below a line that should be a channel, or below none, is imported nowhere', () => {
  const text = [
    '- project 111-111-111',
    'zone: Asia/Tokyo',
    'C0A:',
    '- project 222-222-222',
    'general:',
    '- project 333-333-333',
    '---',
    '- project 444-444-444',
  ].join('\n');

  const { rows, faults } = readFile(text, parseWords);

  expect(rows.map(({ channelId, line }) => [channelId, line])).toEqual([['C0A', 4]]);
  expect(faults.map(({ line, kind }) => [line, kind])).toEqual([
    [1, 'shape'],
    [5, 'channel'],
    [8, 'shape'],
  ]);
});

test.each([
  ['a file that an editor indented with no-break spaces', (text: string) => text.replaceAll(' ', '\u00a0')],
  ['a file that an editor indented with tabs', (text: string) => text.replaceAll('  ', '\t')],
  ['a file that lost its indentation', (text: string) => text.replaceAll(/^ +/gm, '')],
  ['a file from Windows', (text: string) => text.replaceAll('\n', '\r\n')],
  ['a file with comments', (text: string) => text.replaceAll('\n', ' # a "comment"\n')],
])('%s is read like any other', (_what, edited) => {
  const text = [
    'team: T0ACME',
    'channels:',
    '  C0A:',
    `    - subscribe: 'project 111-111-111 in "it''s #1"'`,
    '      owner: U0DANA',
    '  <#C0B|plans>:',
    '    - "project 222-222-222"',
    '',
  ].join('\n');
  const read = readFile(text, parseWords);

  expect(read.rows.map(({ channelId, ownerUserId }) => [channelId, ownerUserId])).toEqual([
    ['C0A', 'U0DANA'],
    ['C0B', null],
  ]);
  expect(read.rows[0]?.request.filters.paths).toEqual(["it's #1"]);
  expect(readFile(edited(text), parseWords)).toEqual(read);
});

test('each of 6,000 lines is read once, whatever is wrong with them', () => {
  const broken = ['- "project', '}', '- subscribe: project: 1', '  - project 444-444-444', 'zone: x'];
  const lines = Array.from({ length: 6_000 }, (_, index) => broken[index % broken.length]);
  let reads = 0;
  const { rows, faults } = readFile(['C0A:', ...lines].join('\n'), (words) => {
    reads += 1;
    return parseWords(words);
  });
  expect(reads).toBe(1_200);
  expect(rows.length + faults.length).toBe(4_800);
});

test('from the first entry on that there is no time for, nothing is read', () => {
  const lines = Array.from({ length: 10 }, () => '- project 444-444-444');
  const { rows, faults } = readFile(['C0A:', ...lines].join('\n'), parseWords, (line) => line < 5);
  expect(rows.map(({ line }) => line)).toEqual([2, 3, 4]);
  expect(faults).toEqual([{ line: 5, kind: 'too much' }]);
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
