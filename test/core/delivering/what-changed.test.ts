import { expect, test } from 'vitest';
import { rememberedAfter, whatChanged } from '../../../src/core/delivering/what-changed.ts';
import type { Notification } from '../../../src/core/model/notification.ts';
import { parseNotifications } from '../../../src/service/notifications.ts';
import { bodyOf } from '../../support/notify.ts';

function notification(extra: Record<string, unknown>): Notification {
  const body = bodyOf({ item: 'x', name: 'Stairs.pdf', eventType: 'Update' });
  const [notification] = parseNotifications({
    ...body,
    ExtraInformation: { ...body.ExtraInformation, ...extra },
  }).notifications;
  if (!notification) throw new Error('no notification');
  return notification;
}
const folderOf = (extra: Record<string, unknown>) => whatChanged(notification(extra), null, null).folder;

test('a path with as many names as there are ids starts with the root folder, which is not shown', () => {
  expect(folderOf({ IdPath: 'r/p/x', Path: 'Root/Plans/Stairs.pdf' })).toEqual(['Plans']);
  expect(folderOf({ IdPath: '/r/x/', Path: '/Root/Stairs.pdf/' })).toEqual([]);
});

test('a path with one name less starts below the root folder, and is shown as it is', () => {
  expect(folderOf({ IdPath: 'r/p/x', Path: 'Plans/Stairs.pdf' })).toEqual(['Plans']);
  expect(folderOf({ IdPath: 'r/x', Path: 'Stairs.pdf' })).toEqual([]);
});

test('without ids nothing is known of the root folder, and the whole path is shown', () => {
  expect(folderOf({ IdPath: null, Path: 'Root/Plans/Stairs.pdf' })).toEqual(['Root', 'Plans']);
});

test('the root folder itself keeps its name', () => {
  expect(whatChanged(notification({ IdPath: 'r', Path: 'Root', Name: 'Root' }), null, null)).toMatchObject({
    name: 'Root',
    folder: [],
  });
});

test('an item that left a folder for the top level was moved, whichever way the service writes paths', () => {
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
