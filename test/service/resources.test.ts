import { expect, test } from 'vitest';
import { isOpaqueId, lastIdOf, normalizeResource, readResource } from '../../src/service/resources.ts';

test('ids of items and documents are accepted in any form, except with slashes or control characters or when too long', () => {
  const taken = ['1', 'a1b2-…', '{6F9619FF}', 'x'.repeat(200), 'ünï 1', '..'];
  const refused = ['', ' ', 'a/b', 'a\u0000b', 'a\nb', 'x'.repeat(201), '\ud800'];
  expect(taken.filter(isOpaqueId)).toEqual(taken);
  expect(refused.filter(isOpaqueId)).toEqual([]);
});

test.each([
  ['/Primes/77/Projects/123-456-789/', 'Projects', { projectId: '123-456-789' }],
  ['/Primes/77/Projects/123456789', 'Projects', { projectId: '123-456-789' }],
  ['Primes/77/Projects/123-456-789', 'Projects', { projectId: '123-456-789' }],
  [
    '/Primes/77/Projects/123-456-789/ProjectItems/i-1/',
    'ProjectItems',
    { projectId: '123-456-789', itemId: 'i-1' },
  ],
  ['/Primes/77/Sessions/123456789/', 'Sessions', { sessionId: '123-456-789' }],
  [
    '/primes/77/sessions/123-456-789/sessiondocuments/5/',
    'SessionDocuments',
    { sessionId: '123-456-789', itemId: '5' },
  ],
  ['https://service.example/v1/Primes/77/Projects/123456789/', 'Projects', { projectId: '123-456-789' }],
])('%s is read as the resource it names', (path, type, ids) => {
  const nothing = { projectId: null, sessionId: null, itemId: null };
  expect(readResource(path)).toEqual({ type, primeId: '77', ...nothing, ...ids });
});

test('an item whose id looks like part of a path is still an item of its project', () => {
  expect(readResource('/Primes/1/Projects/123-456-789/ProjectItems/Sessions/')).toMatchObject({
    type: 'ProjectItems',
    projectId: '123-456-789',
    sessionId: null,
    itemId: 'Sessions',
  });
  expect(readResource('/Primes/SessionDocuments/Projects/123-456-789/')).toMatchObject({
    type: 'Projects',
    primeId: 'SessionDocuments',
    itemId: null,
  });
});

test.each(['', '/', '//', 'nonsense', '/Primes', '/Primes/', '/Projects//', '/a/b/c'])(
  'a path of %j names nothing, and is not a fault',
  (path) => {
    expect(readResource(path)).toMatchObject({ projectId: null, sessionId: null, itemId: null });
  },
);

test('a resource written with or without hyphens gets one spelling, and nothing else in it changes', () => {
  const hyphenated = '/Primes/123456789/Projects/123-456-789/ProjectItems/987654321/';
  expect(normalizeResource('/Primes/123456789/Projects/123456789/ProjectItems/987654321/')).toBe(hyphenated);
  expect(normalizeResource(hyphenated)).toBe(hyphenated);
  expect(normalizeResource('/Primes/1/Sessions/123456789')).toBe('/Primes/1/Sessions/123-456-789');
  expect(normalizeResource('/Primes/1/Projects/12345/')).toBe('/Primes/1/Projects/12345/');
});

test('the last id of an IdPath is the item, with or without outer slashes', () => {
  expect(lastIdOf('1/22/333')).toBe('333');
  expect(lastIdOf('/1/22/333/')).toBe('333');
  expect(lastIdOf('')).toBeNull();
  expect(lastIdOf('///')).toBeNull();
});
