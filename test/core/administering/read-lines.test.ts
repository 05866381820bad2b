import fc from 'fast-check';
import { expect, test } from 'vitest';
import { lineOf } from '../../../src/core/administering/export-lines.ts';
import { readLines } from '../../../src/core/administering/import-lines.ts';
import type { Delivery, Ping, Target } from '../../../src/core/model/subscription.ts';
import { isGlob, isItemId, isName } from '../../../src/core/model/typed-text.ts';
import { defaultNames } from '../../../src/core/model/verbs.ts';
import { importFaults as faults } from '../../../src/messages/admin/imports.ts';
import { parseTyped } from '../../../src/slack/grammar/parse-command.ts';

/** Text as people and services use it in names, with every character that means something in a line. */
const text = fc.stringMatching(/^[\w #:'"{}[\],&*!|>%@`~é鉄🔧/.()<-]{1,30}$/u).map((found) => found.trim());
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
  { when: 'daily', at: '17:00', zone: 'America/Argentina/Buenos_Aires', except: ['delete'] },
  { when: 'daily', at: '17:00', zone: 'Etc/GMT+5' },
  { when: 'daily', at: '17:00', zone: 'UTC' },
);
const subscription = fc.record({
  target,
  comprehensive: fc.boolean(),
  filters: fc.record({
    only: fc.subarray(['create', 'update', 'delete'] as const, { maxLength: 2 }),
    // Stored patterns have no space after the !.
    paths: fc.uniqueArray(
      text.filter((pattern) => isGlob(pattern) && !pattern.startsWith('! ')),
      { maxLength: 3 },
    ),
    by: fc.uniqueArray(person, { maxLength: 1 }),
    notBy: fc.constant([]),
  }),
  delivery,
  threads: fc.boolean(),
  typedName: fc.option(text.filter(isName)),
  ping: fc.constantFrom<(Ping | null)[]>(
    null,
    { kind: 'user', id: 'U0SAM', on: ['delete'] },
    { kind: 'group', id: 'S0DESIGN', name: 'designers', on: ['create', 'delete'] },
    { kind: 'group', id: 'S0DESIGN', on: ['update'] },
  ),
});
const names = new Map([
  ['C0A', 'plans'],
  ['G0B', 'board-minutes'],
  ['C0C', 'plans-2'],
  ['C0D', 'twin'],
  ['C0E', 'twin'],
]);
const read = (lines: string) => [...readLines(lines, names, parseTyped)];
const placesIn = (lines: string) =>
  read(lines).map((each) => ('fault' in each ? [each.line, each.fault] : [each.line, each.channelId]));

test('an exported line says everything about the subscription, with any characters in names and globs', () => {
  fc.assert(
    fc.property(subscription, (row) => {
      const [line] = read(`#plans\n${lineOf(row, defaultNames)}`);
      const { filters, when, typedName = null, ...rest } = { ...row, when: row.delivery };
      const some = (list: readonly unknown[]) => (list.length > 0 ? list : undefined);
      expect(line).toMatchObject({
        channelId: 'C0A',
        request: {
          target: rest.target,
          comprehensive: rest.comprehensive,
          filters: { only: some(filters.only), paths: some(filters.paths), by: some(filters.by) },
          when,
          threads: rest.threads || undefined,
          name: typedName ?? undefined,
          ping: rest.ping ?? undefined,
        },
      });
    }),
  );
});

test('a broken line does not affect the other lines', () => {
  const lines = [
    '#plans',
    '/subscribe project 111-111-111',
    '/subscribe projct 222-222-222',
    '\t/subscribe project 333-333-333',
    '/subscribe 444-444-444',
    '/subscribe project 555-555-555 to me',
    '/unsubscribe all',
    '/plancast subscribe project 666-666-666 only added',
    'subscribe project 777-777-777',
    'project 888-888-888',
    '/studio-subscribe project 999-999-999',
    '/subscribe project 121-212-121 digest daily 9:00 (Mars/Olympus)',
  ];
  expect(placesIn(lines.join('\n'))).toEqual([
    [2, 'C0A'],
    [3, expect.any(Array)],
    [4, 'C0A'],
    [5, faults.kindUnknown('444-444-444')],
    [6, faults.personal],
    [7, faults.noSubscription],
    [8, 'C0A'],
    [9, 'C0A'],
    [10, expect.any(Array)],
    [11, 'C0A'],
    [12, expect.any(Array)],
  ]);
});

test('what is below a channel that is not clear, or below none, is imported nowhere', () => {
  const line = '/subscribe project 111-111-111';
  const lines = [
    line,
    '#elsewhere',
    line,
    '#twin',
    line,
    'C0D',
    line,
    'C0UNKNOWN',
    line,
    '#Board-Minutes',
    line,
  ];
  expect(placesIn(lines.join('\n'))).toEqual([
    [1, faults.noChannel],
    [2, faults.notInChannel('#elsewhere')],
    [3, faults.noChannel],
    [4, faults.severalChannels('#twin')],
    [5, faults.noChannel],
    [7, 'C0D'],
    [8, faults.notInChannel('C0UNKNOWN')],
    [9, faults.noChannel],
    [11, 'G0B'],
  ]);
});

test.each([
  ['indented with no-break spaces', (lines: string) => lines.replaceAll('\n', '\n\u00a0\u00a0')],
  ['indented with tabs', (lines: string) => lines.replaceAll('\n', '\n\t')],
  ['from Windows', (lines: string) => lines.replaceAll('\n', '\r\n')],
])('lines %s are read like any others', (_what, edited) => {
  const lines = [
    '#plans',
    `/subscribe project 111-111-111 in "it's #1"`,
    '<#G0B|board-minutes>',
    'subscribe session 222-222-222',
    '',
  ];
  const asTyped = read(lines.join('\n'));
  expect(placesIn(lines.join('\n'))).toEqual([
    [2, 'C0A'],
    [4, 'G0B'],
  ]);
  expect(read(edited(lines.join('\n')))).toEqual(asTyped);
});

test('Slack does not say which channels I am in: no line is imported, and the channel says why', () => {
  const lines = [...readLines('#plans\n/subscribe project 111-111-111', null, parseTyped)];
  expect(lines.map((each) => 'fault' in each && each.fault)).toEqual([
    faults.channelsUnknown,
    faults.noChannel,
  ]);
});

test('each of 6,000 lines is read once, whatever is wrong with them', () => {
  const broken = ['/subscribe "project', '}', '#', '/subscribe project 444-444-444', 'zone: x'];
  const lines = Array.from({ length: 6_000 }, (_, index) => broken[index % broken.length]);
  let reads = 0;
  const found = readLines(['C0A', ...lines].join('\n'), names, (line) => {
    reads += 1;
    return parseTyped(line);
  });
  expect([[...found].length, reads]).toEqual([6_000, 6_000]);
});

test('from the first line on that there is no time for, nothing is read', () => {
  const lines = ['C0A', ...Array.from({ length: 10 }, () => '/subscribe project 444-444-444')].join('\n');
  const found = [...readLines(lines, names, parseTyped, (line) => line < 5)];
  expect(found.map(({ line }) => line)).toEqual([2, 3, 4, 5]);
  expect(found.at(-1)).toEqual({ line: 5, fault: faults.tooMuch });
});

test.each([
  ['nothing', ''],
  ['no channel', '/subscribe project 111-111-111'],
  ['many brackets', '['.repeat(3_000)],
  ['not text', '\u0000\u0001\ud800'],
])('text with %s is read without harm', (_name, lines) => {
  expect(read(lines).filter((each) => 'request' in each)).toEqual([]);
});
