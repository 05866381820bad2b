import fc from 'fast-check';
import { expect, test } from 'vitest';
import { parseNotifications } from '../../src/service/notifications.ts';
import { anyCharacter } from '../support/any-character.ts';

/** A notification of a comprehensive project subscription about a file, as in the interface's tables. */
const fileMoved = {
  Id: '3F2504E0-4F89-11D3-9A0C-0305E82C3301',
  SubscriptionId: 4711,
  Source: 1,
  Resource: '/Primes/57/Projects/123-456-789/ProjectItems/88/',
  Timestamp: '2026-11-20T12:34:56.7891234+02:00',
  ExtraInformation: {
    ResourceType: 'ProjectItems',
    User: 'dana@example.com',
    EventType: 'Update',
    IdPath: '1/17/88',
    Path: 'Plans/Level 1/A-101.pdf',
    ItemType: 'File',
    Name: 'A-101.pdf',
  },
};

function only(json: unknown) {
  const notifications = parseNotifications(json);
  expect(notifications).toHaveLength(1);
  return notifications[0];
}

function withExtra(extra: Record<string, unknown>) {
  return { ...fileMoved, ExtraInformation: { ...fileMoved.ExtraInformation, ...extra } };
}

test('a notification as the interface shows it is read completely', () => {
  expect(only(fileMoved)).toEqual({
    id: '3f2504e0-4f89-11d3-9a0c-0305e82c3301',
    serviceSubscriptionId: '4711',
    source: '1',
    resource: '/Primes/57/Projects/123-456-789/ProjectItems/88/',
    primeId: '57',
    projectId: '123-456-789',
    sessionId: null,
    itemId: '88',
    happenedAt: '2026-11-20T10:34:56.789Z',
    resourceType: 'ProjectItems',
    eventType: 'Update',
    actorEmail: 'dana@example.com',
    idPath: '1/17/88',
    path: 'Plans/Level 1/A-101.pdf',
    itemType: 'file',
    name: 'A-101.pdf',
  });
});

test('a notification with only a Resource is read, and its kind is known from the path', () => {
  expect(only({ Resource: '/Primes/57/Sessions/123456789/SessionDocuments/9/' })).toMatchObject({
    resource: '/Primes/57/Sessions/123-456-789/SessionDocuments/9/',
    sessionId: '123-456-789',
    itemId: '9',
    resourceType: 'SessionDocuments',
    eventType: 'Unknown',
    name: null,
  });
});

test('a notification with only an EventType is read', () => {
  expect(only({ ExtraInformation: { EventType: 'Delete' } })).toMatchObject({
    resource: null,
    resourceType: 'Unknown',
    eventType: 'Delete',
  });
});

test.each([
  null,
  true,
  0,
  'Resource',
  {},
  [[fileMoved]],
  { Resource: '' },
  { Resource: '   ' },
  { Resource: 7 },
  { Resource: null, ExtraInformation: null },
  { Resource: ['/x'] },
  { ExtraInformation: { EventType: '' } },
  { ExtraInformation: { EventType: 1 } },
  { ExtraInformation: [{ EventType: 'Update' }] },
  { EventType: 'Update' },
])('%j is not a notification', (json) => {
  expect(parseNotifications(json)).toEqual([]);
});

test.each([
  ['{3F2504E0-4F89-11D3-9A0C-0305E82C3301}', '3f2504e0-4f89-11d3-9a0c-0305e82c3301'],
  [' 3F2504E0 ', '3f2504e0'],
  [12345, '12345'],
])('an Id of %j is the same notification as %j', (sent, id) => {
  expect(only({ ...fileMoved, Id: sent })?.id).toBe(id);
});

test.each([undefined, null, '', '  ', '{}', {}, [], true, 'x'.repeat(201), `${'x'.repeat(201)}\ud83d\ude00`])(
  'an Id of %j is replaced by one derived from the body',
  (sent) => {
    expect(only({ ...fileMoved, Id: sent })?.id).toMatch(/^derived:[0-9a-f]{32}$/);
  },
);

test.each([
  ['4711', '4711'],
  [' 4711 ', '4711'],
  ['0004711', '4711'],
  [0, '0'],
  ['999999999999999999', '999999999999999999'],
  [-1, '-1'],
  [1.5, '-1'],
  [1e300, '-1'],
  ['1'.repeat(19), '-1'],
  ['x', '-1'],
  [{}, '-1'],
  [undefined, null],
  [null, null],
  [' ', null],
])('a SubscriptionId of %j is read as %j, which fits a bigint', (sent, id) => {
  expect(only({ ...fileMoved, SubscriptionId: sent })?.serviceSubscriptionId).toBe(id);
});

test.each([
  ['2026-11-20T12:34:56Z', '2026-11-20T12:34:56.000Z'],
  ['2026-11-20T12:34:56.1-05:30', '2026-11-20T18:04:56.100Z'],
  ['2026-11-20T12:34:56.1234567+0000', '2026-11-20T12:34:56.123Z'],
  ['2026-11-20 12:34:56.123', '2026-11-20T12:34:56.123Z'],
  ['1970-01-01T00:00:00Z', '1970-01-01T00:00:00.000Z'],
  ['9999-12-31T23:59:59Z', '9999-12-31T23:59:59.000Z'],
  ['9999-12-31T23:59:59-01:00', null],
  ['0001-01-01T00:00:00+02:00', null],
  ['2026-13-01T00:00:00Z', null],
  ['2026-11-20T25:00:00Z', null],
  ['yesterday', null],
  ['', null],
  [1763642096, null],
  [undefined, null],
])('a Timestamp of %j is %j', (sent, happenedAt) => {
  expect(only({ ...fileMoved, Timestamp: sent })?.happenedAt).toBe(happenedAt);
});

test('an item of a comprehensive subscription is identified by its IdPath if Resource names the project', () => {
  const parent = { ...fileMoved, Resource: '/Primes/57/Projects/123-456-789/' };
  expect(only(parent)).toMatchObject({ itemId: '88', resourceType: 'ProjectItems' });
  const folder = { ...fileMoved, Resource: '/Primes/57/Projects/123-456-789/ProjectItems/17/' };
  expect(only(folder)?.itemId).toBe('88');
});

test('an item without an IdPath is identified by its Resource, and one without either is not identified', () => {
  expect(only(withExtra({ IdPath: null }))?.itemId).toBe('88');
  expect(
    only({ ...withExtra({ IdPath: null }), Resource: '/Primes/57/Projects/123-456-789/' })?.itemId,
  ).toBeNull();
});

test('the item of a path that is too long to store is still the last one', () => {
  const long = only(withExtra({ IdPath: `${'1234567/'.repeat(1000)}88` }));
  expect(long?.itemId).toBe('88');
  expect(long?.idPath).toHaveLength(4_000);
});

test('known words are recognized in any letter case; new ones are kept unchanged', () => {
  expect(
    only(withExtra({ EventType: 'UPDATE', ResourceType: 'projectitems', ItemType: 'FOLDER' })),
  ).toMatchObject({
    eventType: 'Update',
    resourceType: 'ProjectItems',
    itemType: 'folder',
  });
  expect(only(withExtra({ EventType: 'CheckIn', ResourceType: 'Markups', ItemType: 'Stamp' }))).toMatchObject(
    {
      eventType: 'CheckIn',
      resourceType: 'Markups',
      itemType: 'stamp',
    },
  );
});

test.each([7, true, {}, [], '', ' ', undefined, null])('optional fields of %j count as missing', (odd) => {
  const extra = { User: odd, IdPath: odd, Path: odd, ItemType: odd, Name: odd };
  expect(only({ ...withExtra(extra), Resource: '/x' })).toMatchObject({
    actorEmail: null,
    path: null,
    itemType: null,
    name: null,
    itemId: null,
  });
});

test('a name of 200 kB is cut between characters, so it can be stored', () => {
  const name = only(withExtra({ Name: `a${'😀'.repeat(50_000)}` }))?.name ?? '';
  expect(name).toHaveLength(3_999);
  expect(name.endsWith('😀')).toBe(true);
});

/** Returns whether nothing in a body is read because of its depth or its number of keys. */
function tooDeep(json: unknown): boolean {
  return parseNotifications(json).length === 0;
}

function nested(levels: number): unknown {
  return levels === 0 ? 1 : { Resource: '/x', in: nested(levels - 1) };
}

test('20 levels are read, 21 are too deep', () => {
  expect(tooDeep(nested(20))).toBe(false);
  expect(tooDeep(nested(21))).toBe(true);
});

test('1,000 keys are read, 1,001 are too many', () => {
  const keys = (count: number) => ({
    Resource: '/x',
    more: Object.fromEntries(Array.from({ length: count - 2 }, (_, nth) => [`k${nth}`, nth])),
  });
  expect(tooDeep(keys(1_000))).toBe(false);
  expect(tooDeep(keys(1_001))).toBe(true);
});

test('a hundred notifications in one array are not too many keys, and a bad entry affects no other', () => {
  const batch = Array.from({ length: 100 }, () => fileMoved);
  expect(parseNotifications(batch)).toHaveLength(100);
  expect(parseNotifications([...batch, nested(25)])).toHaveLength(100);
  expect(tooDeep([nested(25), nested(25)])).toBe(true);
});

test('100,000 opening brackets are rejected and crash nothing', () => {
  const body = JSON.parse('['.repeat(100_000) + ']'.repeat(100_000));
  expect(tooDeep(body)).toBe(true);
  const inside = JSON.parse(`{"Resource":"/x","a":${'['.repeat(100_000)}${']'.repeat(100_000)}}`);
  expect(tooDeep(inside)).toBe(true);
});

test('for any JSON nothing is thrown, no entry is read twice, and what is read can be stored', () => {
  const json = fc.jsonValue({ maxDepth: 2 });
  const field = fc.oneof(json, fc.string({ unit: anyCharacter }));
  const extra = fc.record(
    {
      ResourceType: field,
      User: field,
      EventType: field,
      IdPath: field,
      Path: field,
      ItemType: field,
      Name: field,
    },
    { requiredKeys: [] },
  );
  const like = fc.record(
    {
      Id: field,
      SubscriptionId: field,
      Source: field,
      Resource: field,
      Timestamp: field,
      ExtraInformation: fc.oneof(field, extra),
    },
    { requiredKeys: [] },
  );
  fc.assert(
    fc.property(fc.oneof(json, like, fc.array(fc.oneof(json, like))), (body) => {
      const notifications = parseNotifications(body);
      const entries = Array.isArray(body) ? body.length : 1;
      if (notifications.length > entries) throw new Error(`${notifications.length} of ${entries} entries`);
      for (const value of notifications.flatMap((notification) => Object.values(notification))) {
        if (value !== null && (value.includes('\0') || !value.isWellFormed() || value.length > 4_000)) {
          throw new Error(`cannot be stored: ${JSON.stringify(value)}`);
        }
      }
    }),
    { numRuns: 500 },
  );
});
