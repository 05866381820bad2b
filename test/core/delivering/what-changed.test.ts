import { expect, test } from 'vitest';
import { rememberedAfter, whatChanged } from '../../../src/core/delivering/what-changed.ts';
import type { Notification } from '../../../src/core/model/notification.ts';
import { joinPath } from '../../../src/messages/text/escape.ts';
import { parseNotifications } from '../../../src/service/notifications.ts';
import { bodyOf } from '../../support/notify.ts';

function notification(extra: Record<string, unknown>): Notification {
  const body = bodyOf({ item: 'x', name: 'Stairs.pdf', eventType: 'Update' });
  const [notification] = parseNotifications({
    ...body,
    ExtraInformation: { ...body.ExtraInformation, ...extra },
  });
  if (!notification) throw new Error('no notification');
  return notification;
}
const folderOf = (extra: Record<string, unknown>) => whatChanged(notification(extra), null, null).folder;

test('a path with as many names as ids starts with the root folder, which is not shown', () => {
  expect(folderOf({ IdPath: 'r/p/x', Path: 'Root/Plans/Stairs.pdf' })).toEqual(['Plans']);
  expect(folderOf({ IdPath: '/r/x/', Path: '/Root/Stairs.pdf/' })).toEqual([]);
});

test('a path with one name fewer starts below the root folder, and is shown whole', () => {
  expect(folderOf({ IdPath: 'r/p/x', Path: 'Plans/Stairs.pdf' })).toEqual(['Plans']);
  expect(folderOf({ IdPath: 'r/x', Path: 'Stairs.pdf' })).toEqual([]);
});

test('without ids nothing is known about the root folder, and the whole path is shown', () => {
  expect(folderOf({ IdPath: null, Path: 'Root/Plans/Stairs.pdf' })).toEqual(['Root', 'Plans']);
});

test('of a place 1,900 folders deep, only the root and what a message has room for are kept', () => {
  const names = Array.from({ length: 1_900 }, (_, index) => String(index % 10));
  const folder = folderOf({ IdPath: null, Path: `${names.join('/')}/Stairs.pdf` });
  expect(folder).toHaveLength(100);
  expect(joinPath(folder ?? [])).toBe(joinPath(names));
});

test('the root folder itself keeps its name', () => {
  expect(whatChanged(notification({ IdPath: 'r', Path: 'Root', Name: 'Root' }), null, null)).toMatchObject({
    name: 'Root',
    folder: [],
  });
});

test('an item that left a folder for the top level was moved, however the service writes paths', () => {
  for (const root of ['Root/', '']) {
    const before = rememberedAfter(notification({ IdPath: 'r/p/x', Path: `${root}Plans/Stairs.pdf` }), null);
    expect(
      whatChanged(notification({ IdPath: 'r/x', Path: `${root}Stairs.pdf` }), before, null),
    ).toMatchObject({
      verb: 'moved',
      previousFolder: ['Plans'],
      folder: [],
    });
  }
});

test('renaming or moving a folder above a file does not move the file, and moving the file itself does', () => {
  const before = rememberedAfter(notification({ IdPath: 'r/p/x', Path: 'Root/Plans/Stairs.pdf' }), null);
  const verbOf = (extra: Record<string, unknown>) => whatChanged(notification(extra), before, null).verb;
  expect(verbOf({ IdPath: 'r/p/x', Path: 'Root/Drawings/Stairs.pdf' })).toBe('updated');
  expect(verbOf({ IdPath: 'r/a/p/x', Path: 'Root/Archive/Plans/Stairs.pdf' })).toBe('updated');
  expect(verbOf({ IdPath: 'r/q/x', Path: 'Root/Plans/Stairs.pdf' })).toBe('moved');
});

test('if the ids do not fit the path, the path decides whether a file was moved', () => {
  const before = rememberedAfter(notification({ IdPath: 'r/x', Path: 'Root/A/Plans/Stairs.pdf' }), null);
  const after = whatChanged(notification({ IdPath: 'r/x', Path: 'Root/B/Plans/Stairs.pdf' }), before, null);
  expect(after.verb).toBe('moved');
});

const at = (path: string, name = 'Stairs.pdf') => ({ name, path, idPath: null });
const inPlans = { Path: 'Plans/Stairs.pdf', IdPath: null };

test.each<[string, Record<string, unknown>, Parameters<typeof whatChanged>[1], string]>([
  ['a file is created', { EventType: 'Create' }, null, 'added'],
  ['a file is deleted', { EventType: 'Delete' }, null, 'deleted'],
  ['an event has a type unknown to this release', { EventType: 'Archive' }, null, 'other'],
  ['a file is seen for the first time', inPlans, null, 'updated'],
  ['a file with only a known folder is updated', inPlans, { ...at('Plans'), name: null }, 'updated'],
  ['a file arrives with nothing new', inPlans, at('Plans/Stairs.pdf'), 'updated'],
  [
    'a folder arrives with nothing new',
    { ...inPlans, ItemType: 'Folder' },
    at('Plans/Stairs.pdf'),
    'updated',
  ],
  ['a file has a new name', inPlans, at('Plans/Steps.pdf', 'Steps.pdf'), 'renamed'],
  ['a file is in another folder', inPlans, at('Archive/Stairs.pdf'), 'moved'],
  ['a file has a new name and folder', inPlans, at('Archive/Steps.pdf', 'Steps.pdf'), 'renamed and moved'],
  [
    'a file has a new name, and its previous folder is unknown',
    inPlans,
    { ...at(''), path: null, name: 'Steps.pdf' },
    'renamed',
  ],
  ['a file arrives, and its previous folder is unknown', inPlans, { ...at(''), path: null }, 'updated'],
  ['a file arrives without a path', { Path: null, IdPath: null }, at('Plans/Stairs.pdf'), 'updated'],
  ['a file arrives without a name', { ...inPlans, Name: null }, at('Plans/Stairs.pdf'), 'updated'],
  ['a project is updated', { ResourceType: 'Projects' }, null, 'renamed'],
  ['a project arrives with the same name', { ResourceType: 'Projects' }, at(''), 'updated'],
  ['a project arrives with a new name', { ResourceType: 'Projects' }, at('', 'Old Harbour'), 'renamed'],
  ['a project arrives without a name', { ResourceType: 'Projects', Name: null }, at(''), 'renamed'],
  ['a session arrives with the same name', { ResourceType: 'Sessions' }, at(''), 'session changed'],
  ['a session arrives with a new name', { ResourceType: 'Sessions' }, at('', 'Weekly'), 'renamed'],
  ['a document arrives with the same name', { ResourceType: 'SessionDocuments' }, at(''), 'updated'],
  ['a document arrives with a new name', { ResourceType: 'SessionDocuments' }, at('', 'Old.pdf'), 'renamed'],
])('a message claims no more than is known: %s', (_what, extra, before, verb) => {
  expect(whatChanged(notification(extra), before, null).verb).toBe(verb);
});

test.each([
  [{ ResourceType: 'Projects' }, 'project'],
  [{ ResourceType: 'Sessions' }, 'session'],
  [{ ResourceType: 'SessionDocuments' }, 'document'],
  [{ ResourceType: 'ProjectItems', ItemType: 'File' }, 'file'],
  [{ ResourceType: 'ProjectItems', ItemType: 'Folder' }, 'folder'],
  [{ ResourceType: 'ProjectItems', ItemType: 'Shortcut' }, 'item'],
  [{ ResourceType: 'Reviews', ItemType: 'File' }, 'other'],
])('a reader sees what kind of thing it is: %o is a %s', (extra, kind) => {
  expect(whatChanged(notification(extra), null, null).kind).toBe(kind);
});

test('what is known about a file is the latest value, or an earlier one where the latest event had none', () => {
  const remembered = { name: 'Stairs.pdf', path: 'Plans/Stairs.pdf', idPath: 'r/p/x' };
  const silent = notification({ Name: null, Path: null, IdPath: null });

  expect(rememberedAfter(notification({ IdPath: 'r/p/x', Path: 'Plans/Stairs.pdf' }), null)).toEqual(
    remembered,
  );
  expect(rememberedAfter(silent, remembered)).toEqual(remembered);
  expect(rememberedAfter(silent, null)).toEqual({ name: null, path: null, idPath: null });
  expect(rememberedAfter(notification({ EventType: 'Delete' }), remembered)).toBeNull();
});

test('a file without a name is called by the last part of its path', () => {
  const named = (extra: Record<string, unknown>) => whatChanged(notification(extra), null, null).name;

  expect(named({ Name: null, Path: 'Plans/Stairs.pdf', IdPath: null })).toBe('Stairs.pdf');
  expect(named({ Name: null, Path: '/', IdPath: null })).toBeNull();
});
