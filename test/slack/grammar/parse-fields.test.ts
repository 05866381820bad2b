import { expect, test } from 'vitest';
import {
  parseItemId,
  parseName,
  parsePaths,
  parsePeople,
  parseResource,
  parseTogether,
  parseTyped,
} from '../../../src/slack/grammar/parse-fields.ts';

const id = '123-456-789';
const project = { kind: 'project', projectId: id } as const;
const session = { kind: 'session', sessionId: id } as const;

test.each([
  ['123 456 789', 'project', project],
  ['123-456-789', 'folder', project],
  ['https://plans.example/projects/123456789?a=1&b=<2>', 'file', project],
  ['123456789', 'session', session],
  ['https://plans.example/sessions/123456789', 'document', session],
  ['https://plans.example/sessions/123456789', null, session],
  ['123-456-789', null, { kind: 'unknown', id }],
] as const)('the resource field takes %s for a %s', (text, kind, value) => {
  expect(parseResource(text, kind)).toEqual({ ok: true, value });
});

test.each([
  ['123-456-789 only added', '123-456-789 only added'],
  ['123-456-789 in Plans', '123-456-789 in Plans'],
  ['123-456-789 by dana@example.com', '123-456-789 by dana@example.com'],
  ['123-456-789 not by dana@example.com', '123-456-789 not by dana@example.com'],
  ['123-456-789 live', '123-456-789 live'],
  [' 123-456-789 threads ', '123-456-789 threads'],
  [`123-456-789 as "${'x'.repeat(100)}" live`, `123-456-789 as "${'x'.repeat(64)}`],
  ['412-873-550/Plans/Level1', '412-873-550/Plans/Level1'],
  ['help', 'help'],
  ['  ', null],
])('the resource field takes a link or an id, and not “%s”', (text, word) => {
  expect(parseResource(text, null)).toEqual({
    ok: false,
    mistake: { word, expected: 'a link or a 9-digit id, and nothing else' },
  });
});

test('a link to a session in the field of a project is explained', () => {
  expect(parseResource('https://plans.example/sessions/123456789', 'project')).toMatchObject({
    ok: false,
    mistake: { expected: 'a link to a project' },
  });
});

test.each([
  ['folder', ' F 1 '],
  ['file', 'only'],
  ['document', '"D" <1> & co'],
] as const)('the id of a %s may be “%s”', (kind, text) => {
  expect(parseItemId(text, kind)).toEqual({ ok: true, value: text.trim() });
});

test.each(['', ' '])('a folder whose id is “%s” is asked for its id, without an empty quotation', (text) => {
  expect(parseItemId(text, 'folder')).toEqual({
    ok: false,
    mistake: { word: null, expected: 'the id of the folder' },
  });
});

test.each(['folder', 'file', 'document'] as const)('a %s needs an id without a slash', (kind) => {
  expect(parseItemId('a/b', kind)).toMatchObject({
    ok: false,
    mistake: { word: 'a/b', expected: expect.stringContaining(`the id of the ${kind}`) },
  });
});

test('folders are typed one a line, with or without quotes', () => {
  expect(
    parsePaths(
      ' Plans/Level 1/** \r\n\n"Docs/**"\u2028!“Old <1> & 2/**”\u2029„Pläne“\n«Étage»\n3"pipes"\n"Old" plans',
    ),
  ).toEqual({
    ok: true,
    value: ['Plans/Level 1/**', 'Docs/**', '!Old <1> & 2/**', 'Pläne', 'Étage', '3"pipes"', '"Old" plans'],
  });
});

test('an empty field of folders means anywhere', () => {
  expect(parsePaths(' \n ')).toEqual({ ok: true, value: [] });
});

test('a line that cannot be a folder is pointed out', () => {
  expect(parsePaths('Plans\n!')).toMatchObject({ ok: false, mistake: { word: '!' } });
});

test('people who are picked and addresses that are typed make one list', () => {
  const people = {
    userIds: ['U12AB'],
    emails: ' dana@example.com,sam@example.com; x&y@z.org\nbo@example.com ',
  };
  expect(parsePeople(people)).toEqual({
    ok: true,
    value: [
      { userId: 'U12AB' },
      { email: 'dana@example.com' },
      { email: 'sam@example.com' },
      { email: 'x&y@z.org' },
      { email: 'bo@example.com' },
    ],
  });
  expect(parsePeople({ userIds: [], emails: '' })).toEqual({ ok: true, value: [] });
});

test('a word that is not an address is pointed out', () => {
  expect(parsePeople({ userIds: [], emails: 'dana' })).toMatchObject({
    ok: false,
    mistake: { word: 'dana' },
  });
});

test('a name may hold quotes and signs', () => {
  expect(parseName(' The "Tower" <1> & co ')).toEqual({ ok: true, value: 'The "Tower" <1> & co' });
});

test('an emoji in a name counts as one character, typed or in the form', () => {
  const name = '🏗'.repeat(100);
  expect(parseName(name)).toEqual({ ok: true, value: name });
  expect(parseTyped(`/subscribe project 123-456-789 as "${name}"`)).toMatchObject({
    ok: true,
    request: { name },
  });
  expect(parseName(`${name}x`)).toMatchObject({ ok: false });
});

test('a name of more than 100 characters, or of none, is refused', () => {
  expect(parseName('x'.repeat(101))).toMatchObject({ ok: false });
  expect(parseName('  ')).toMatchObject({
    ok: false,
    mistake: { expected: expect.stringContaining('a name') },
  });
});

test('nobody can be followed and ignored at once', () => {
  const dana = { email: 'dana@example.com' };
  expect(parseTogether({ by: [dana] })).toMatchObject({ ok: true });
  expect(parseTogether({ by: [dana], notBy: [dana] })).toMatchObject({
    ok: false,
    mistake: { word: dana.email },
  });
});

test('a line of an import is read as it stands, not as Slack sends it', () => {
  expect(parseTyped('/subscribe project 123-456-789 in "R&amp;D <new>"')).toMatchObject({
    ok: true,
    request: { target: project, filters: { paths: ['R&amp;D <new>'] } },
  });
});
