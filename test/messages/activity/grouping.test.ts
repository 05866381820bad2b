import { expect, test } from 'vitest';
import type { Change } from '../../../src/core/model/change.ts';
import {
  actorKey,
  groupChanges,
  hasMoved,
  keysOfThing,
  wasRenamed,
} from '../../../src/messages/activity/grouping.ts';
import { namesOf } from '../../../src/messages/activity/item-lines.ts';
import { inMrkdwn } from '../../../src/messages/text/phrase.ts';
import { makeChange } from '../changes.ts';

const sizesOf = (...changes: Partial<Change>[]) =>
  groupChanges(changes.map(makeChange)).map(({ changes }) => changes.length);
const other = { kind: 'other', verb: 'other' } as const;

test('one sentence covers one kind of resource and one kind of event, even if this release has no word for them', () => {
  expect(sizesOf({ ...other, name: 'a' }, { ...other, name: 'b' })).toEqual([2]);
  expect(sizesOf({ ...other, resourceType: 'Reviews' }, { ...other, resourceType: 'Walls' })).toEqual([1, 1]);
  expect(sizesOf({ ...other, eventType: 'Lock' }, { ...other, eventType: 'Unlock' })).toEqual([1, 1]);
  // Changes with a known word are grouped by that word alone.
  expect(sizesOf({ name: 'a', resourceType: 'Reviews' }, { name: 'b' })).toEqual([2]);
  expect(sizesOf({ name: 'a', eventType: 'Import' }, { name: 'b' })).toEqual([2]);
});

test('files moved from different folders get a sentence each', () => {
  const moved = { verb: 'renamed and moved', previousName: 'x' } as const;
  const from = (folder: string, name: string) => ({ ...moved, name, previousFolder: [folder] });

  expect(sizesOf(from('Inbox', 'a'), from('Inbox', 'b'))).toEqual([2]);
  expect(sizesOf(from('Inbox', 'a'), from('Archive', 'b'))).toEqual([1, 1]);
});

test('changes outside any project or session are grouped, too', () => {
  expect(sizesOf({ within: null, name: 'a' }, { within: null, name: 'b', itemId: '7' })).toEqual([2]);
  expect(keysOfThing(makeChange({ within: null, itemId: '7' }))).toHaveLength(3);
});

test.each([
  ['moved', true, false],
  ['renamed', false, true],
  ['renamed and moved', true, true],
  ['added', false, false],
] as const)('an item that was %s: did its place change, and did its name', (verb, moved, renamed) => {
  expect([hasMoved(makeChange({ verb })), wasRenamed(makeChange({ verb }))]).toEqual([moved, renamed]);
});

test('differently written addresses of one person are grouped together', () => {
  expect(actorKey(makeChange({ actorEmail: 'Dana.Ek@Example.com' }))).toBe('dana.ek@example.com');
  expect(actorKey(makeChange({ actorEmail: null }))).toBe('Dana Ek');
  expect(actorKey(makeChange({ actorEmail: null, actorName: null }))).toBeNull();
});

test('items without a name are counted by their ids, and each separately if they have none', () => {
  const thingsOf = (...changes: Partial<Change>[]) =>
    groupChanges(changes.map((change) => makeChange({ name: null, ...change })))[0]?.things.length;

  expect(thingsOf({ itemId: '7' }, { itemId: '7' })).toBe(1);
  expect(thingsOf({ itemId: '7' }, { itemId: '8' })).toBe(2);
  expect(thingsOf({}, {})).toBe(2);
});

test('as many names are shown as there is room for', () => {
  const [group] = groupChanges(
    Array.from({ length: 10 }, (_, index) => makeChange({ name: `Plan ${index}.pdf` })),
  );
  if (!group) throw new Error('no group');
  const shownIn = (room: number) => {
    const words = namesOf(group, room);
    return words && inMrkdwn(words);
  };
  // A name takes 12 characters, a comma and a space; 19 are reserved for the number of further names.
  expect(shownIn(19 + 14 - 1)).toBeNull();
  expect(shownIn(19 + 14)).toBe(' *Plan 0.pdf* and 9 more');
  expect(shownIn(19 + 28 - 1)).toBe(' *Plan 0.pdf* and 9 more');
  expect(shownIn(19 + 28)).toBe(' *Plan 0.pdf*, *Plan 1.pdf* and 8 more');
  expect(shownIn(1_000)).toBe(' *Plan 0.pdf*, *Plan 1.pdf*, *Plan 2.pdf* and 7 more');
});
