import { describe, expect, test } from 'vitest';
import type { PracticeAction } from '../../sandbox/service/actions.ts';
import type { SwitchValues } from '../../sandbox/service/switches.ts';
import type { Notification } from '../../src/core/model/notification.ts';
import type { TargetKind } from '../../src/core/model/subscription.ts';
import { observe, parseSignatureSetting, verify } from '../../src/core/receiving/key-signatures.ts';
import { dana, type Practice, sidesOf, startPractice } from './practice.ts';

const project = 'Harbour Tower';
const session = 'Façade review';
const file = 'Plans/Level 1/A-101 Floor plan.pdf';
const folder = 'Plans/Level 1';

/** Returns what a subscription receives when Dana does something. */
async function receivedAfter(
  action: PracticeAction,
  how: { follows: TargetKind; comprehensive?: boolean; side?: Partial<SwitchValues> },
) {
  const practice = await startPractice(how.side);
  const { id } = await practice.subscribe(practice.targets[how.follows], how.comprehensive ?? false);
  practice.service.act(dana, action);
  return { practice, id, notifications: await practice.notified() };
}

function only(notifications: readonly Notification[]): Notification {
  const [notification] = notifications;
  if (notification === undefined || notifications.length !== 1)
    throw new Error(`${notifications.length} notifications instead of one`);
  return notification;
}

/** Renames a file in a comprehensive project subscription, whose notification has every field. */
async function renamed(side: Partial<SwitchValues> = {}) {
  const action = { action: 'rename-item', project, item: file, name: 'A-101 rev B.pdf' } as const;
  const { practice, id, notifications } = await receivedAfter(action, {
    follows: 'project',
    comprehensive: true,
    side,
  });
  return { practice, id, notification: only(notifications) };
}

/** Returns what was sent, before it was parsed. */
function sent({ service }: Practice) {
  const [body] = service.deliveries.all().flatMap(({ notifications }) => notifications);
  return body as { Id: string; Timestamp: string; ExtraInformation: { IdPath: string; Path: string } };
}

describe('Notification payload', () => {
  test.each(['guid', 'upper case', 'in braces'] as const)(
    'Id: a GUID in lowercase without braces (%s)',
    async (side) => {
      const { practice, notification } = await renamed({ notificationId: side });
      expect(notification.id).toMatch(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/);
      expect(notification.id).toBe(sent(practice).Id.toLowerCase().replace(/[{}]/g, ''));
    },
  );

  test('Id: missing, so derived from the body: equal for a copy, different for another notification', async () => {
    const practice = await startPractice({ notificationId: 'missing', duplicates: 1 });
    await practice.subscribe(practice.targets.project, true);
    for (const name of ['One.pdf', 'Two.pdf'])
      practice.service.act(dana, { action: 'create-file', project, name });
    const ids = (await practice.notified()).map(({ id }) => id);
    expect(ids.filter((id) => /^derived:[0-9a-f]{32}$/.test(id))).toHaveLength(4);
    expect(new Set(ids).size).toBe(2);
  });

  test.each([...sidesOf('numbers'), ...sidesOf('subscriptionIds')])(
    'SubscriptionId: that of the create (%o)',
    async (side) => {
      const { notification, id } = await renamed(side);
      expect(notification.serviceSubscriptionId).toBe(id);
    },
  );

  test.each(sidesOf('numbers'))('Source: kept as text (%o)', async (side) => {
    expect((await renamed(side)).notification.source).toBe('2');
  });

  test.each([...sidesOf('resourceIds'), ...sidesOf('resourceEnd'), ...sidesOf('comprehensiveResource')])(
    'Resource: its ids, hyphenated; the item is known, whichever path was sent (%o)',
    async (side) => {
      const { practice, notification } = await renamed(side);
      expect(notification).toMatchObject({
        primeId: '4021',
        projectId: '412-873-550',
        sessionId: null,
        itemId: practice.targets.file.itemId,
      });
      expect(notification.resource).toContain('/Projects/412-873-550');
    },
  );

  test.each(sidesOf('timestampOffset'))(
    'Timestamp: the moment in UTC, to the millisecond (%o)',
    async (side) => {
      const { practice, notification } = await renamed(side);
      const { Timestamp } = sent(practice);
      expect(Timestamp).toContain(side.timestampOffset);
      expect(notification.happenedAt).toBe(new Date(Timestamp).toISOString());
    },
  );

  test.each(sidesOf('unknownFields'))('ExtraInformation: read, whatever else is in it (%o)', async (side) => {
    expect((await renamed(side)).notification).toMatchObject({
      eventType: 'Update',
      name: 'A-101 rev B.pdf',
    });
  });
});

describe('ExtraInformation', () => {
  test.each([
    ['project', 'Projects', { action: 'rename-project', project, name: 'New' }],
    ['project', 'ProjectItems', { action: 'check-in', project, item: file }],
    ['session', 'Sessions', { action: 'rename-session', session, name: 'New' }],
    ['session', 'SessionDocuments', { action: 'add-document', session, name: 'New.pdf' }],
  ] as const)('ResourceType: of a %s %s', async (follows, resourceType, action) => {
    const { notifications } = await receivedAfter(action, { follows, comprehensive: true });
    expect(only(notifications).resourceType).toBe(resourceType);
  });

  test('User: the email address of who did it', async () => {
    expect((await renamed()).notification.actorEmail).toBe(dana);
  });

  test.each([
    ['Create', { action: 'create-file', project, name: 'New.pdf' }],
    ['Update', { action: 'check-in', project, item: file }],
    ['Delete', { action: 'delete-item', project, item: file }],
  ] as const)('EventType: %s', async (eventType, action) => {
    const { notifications } = await receivedAfter(action, { follows: 'project', comprehensive: true });
    expect(only(notifications).eventType).toBe(eventType);
  });

  test.each(sidesOf('eventNames'))(
    'EventType and ResourceType nobody announced: kept as they are (%o)',
    async (side) => {
      const move = { action: 'move-item', project, item: file, to: 'Details' } as const;
      const add = { action: 'add-document', session, name: 'New.pdf' } as const;
      const moved = await receivedAfter(move, { follows: 'project', comprehensive: true, side });
      const added = await receivedAfter(add, { follows: 'session', comprehensive: true, side });
      expect(only(moved.notifications).eventType).toBe(
        side.eventNames === 'new EventType' ? 'Move' : 'Update',
      );
      expect(only(added.notifications).resourceType).toBe(
        side.eventNames === 'new ResourceType' ? 'SessionMarkups' : 'SessionDocuments',
      );
      expect(only(added.notifications)).toMatchObject({
        sessionId: '731-450-286',
        itemId: expect.any(String),
      });
    },
  );

  test.each([...sidesOf('pathSlashes'), ...sidesOf('itemIds')])(
    'IdPath: as sent; its last id is the item (%o)',
    async (side) => {
      const { practice, notification } = await renamed(side);
      expect(notification.idPath).toBe(sent(practice).ExtraInformation.IdPath);
      expect(notification.itemId).toBe(practice.targets.file.itemId);
    },
  );

  test.each([...sidesOf('pathRoot'), ...sidesOf('pathSlashes')])('Path: as sent (%o)', async (side) => {
    const { practice, notification } = await renamed(side);
    expect(notification.path).toBe(sent(practice).ExtraInformation.Path);
    expect(notification.path).toContain('Plans/Level 1/A-101 rev B.pdf');
  });

  test.each(sidesOf('notifiedItemType'))('ItemType: in lowercase (%o)', async (side) => {
    expect((await renamed(side)).notification.itemType).toBe('file');
    const action = { action: 'create-folder', project, name: 'New' } as const;
    const made = await receivedAfter(action, { follows: 'project', comprehensive: true, side });
    expect(only(made.notifications).itemType).toBe('folder');
  });

  test.each(sidesOf('absentFields'))(
    'IdPath, Path, ItemType: null for anything but a project item (%o)',
    async (side) => {
      const rename = { action: 'rename-session', session, name: 'New' } as const;
      const { notifications } = await receivedAfter(rename, { follows: 'session', side });
      expect(only(notifications)).toMatchObject({ idPath: null, path: null, itemType: null, itemId: null });
    },
  );

  test('Name: of the project, item, session or document', async () => {
    const document = await receivedAfter(
      { action: 'add-document', session, name: 'Schnitt ß ✓.pdf' },
      { follows: 'session', comprehensive: true },
    );
    expect(only(document.notifications).name).toBe('Schnitt ß ✓.pdf');
    expect((await renamed()).notification.name).toBe('A-101 rev B.pdf');
  });
});

const expires = new Date('2030-01-01T00:00:00Z');

describe('Events', () => {
  test.each([
    ['Project', 'Update', 'rename', 'project', { action: 'rename-project', project, name: 'New' }],
    ['Project', 'Delete', 'deleted', 'project', { action: 'delete-project', project }],
    [
      'Project item',
      'Create',
      'file created',
      'project',
      { action: 'create-file', project, name: 'New.pdf' },
    ],
    [
      'Project item',
      'Create',
      'folder created',
      'project',
      { action: 'create-folder', project, name: 'New' },
    ],
    [
      'Project item',
      'Update',
      'move',
      'project',
      { action: 'move-item', project, item: file, to: 'Details' },
    ],
    [
      'Project item',
      'Update',
      'rename',
      'project',
      { action: 'rename-item', project, item: folder, name: 'New' },
    ],
    ['Project item', 'Update', 'file check-in', 'project', { action: 'check-in', project, item: file }],
    ['Project item', 'Delete', 'deleted', 'project', { action: 'delete-item', project, item: file }],
    ['Session', 'Update', 'rename', 'session', { action: 'rename-session', session, name: 'New' }],
    [
      'Session',
      'Update',
      'change of expiration date',
      'session',
      { action: 'change-expiry', session, expires },
    ],
    ['Session', 'Update', 'finalize', 'session', { action: 'finalize-session', session }],
    ['Session', 'Delete', 'deleted', 'session', { action: 'delete-session', session }],
    ['Session document', 'Create', 'added', 'session', { action: 'add-document', session, name: 'New.pdf' }],
    [
      'Session document',
      'Delete',
      'deleted',
      'session',
      { action: 'delete-document', session, document: 'Curtain wall.pdf' },
    ],
  ] as const)('%s, %s: %s', async (resource, eventType, _cause, follows, action) => {
    const types = {
      Project: 'Projects',
      'Project item': 'ProjectItems',
      Session: 'Sessions',
      'Session document': 'SessionDocuments',
    };
    const { notifications } = await receivedAfter(action, { follows, comprehensive: true });
    expect(only(notifications)).toMatchObject({ resourceType: types[resource], eventType, actorEmail: dana });
  });
});

describe('What each kind of subscription receives', () => {
  async function count(action: PracticeAction, follows: TargetKind, side: Partial<SwitchValues> = {}) {
    return (await receivedAfter(action, { follows, side })).notifications.length;
  }

  test('1: a project: only its rename and delete', async () => {
    expect(await count({ action: 'rename-project', project, name: 'New' }, 'project')).toBe(1);
    expect(await count({ action: 'delete-project', project }, 'project')).toBe(1);
    expect(await count({ action: 'check-in', project, item: file }, 'project')).toBe(0);
  });

  test.each(sidesOf('checkInToPlainFile'))(
    '2: an item: its move, rename and delete, and possibly a check-in (%o)',
    async (side) => {
      expect(await count({ action: 'move-item', project, item: file, to: 'Details' }, 'file', side)).toBe(1);
      expect(await count({ action: 'rename-item', project, item: folder, name: 'New' }, 'folder', side)).toBe(
        1,
      );
      expect(await count({ action: 'delete-item', project, item: file }, 'file', side)).toBe(1);
      const checkIns = await count({ action: 'check-in', project, item: file }, 'file', side);
      expect(checkIns).toBe(side.checkInToPlainFile === 'yes' ? 1 : 0);
    },
  );

  test('3: a session: only its rename, expiry, finalizing and delete', async () => {
    expect(await count({ action: 'rename-session', session, name: 'New' }, 'session')).toBe(1);
    expect(await count({ action: 'change-expiry', session, expires }, 'session')).toBe(1);
    expect(await count({ action: 'finalize-session', session }, 'session')).toBe(1);
    expect(await count({ action: 'delete-session', session }, 'session')).toBe(1);
    expect(await count({ action: 'add-document', session, name: 'New.pdf' }, 'session')).toBe(0);
  });

  test('4: a session document: only its deletion', async () => {
    const gone = await receivedAfter(
      { action: 'delete-document', session, document: 'Curtain wall.pdf' },
      { follows: 'document' },
    );
    expect(only(gone.notifications)).toMatchObject({ resourceType: 'SessionDocuments', eventType: 'Delete' });
    expect(await count({ action: 'rename-session', session, name: 'New' }, 'document')).toBe(0);
  });

  test.each(sidesOf('comprehensiveResource'))(
    '5: a comprehensive one: the parent and its contents (%o)',
    async (side) => {
      const practice = await startPractice(side);
      const { service, targets } = practice;
      await practice.subscribe(targets.project, true);
      await practice.subscribe(targets.session, true);
      service.act(dana, { action: 'rename-project', project, name: 'Tower' });
      service.act(dana, { action: 'check-in', project: 'Tower', item: file });
      service.act(dana, { action: 'rename-session', session, name: 'Review' });
      service.act(dana, { action: 'add-document', session: 'Review', name: 'New.pdf' });
      const notifications = await practice.notified();
      const byType = new Map(notifications.map((notification) => [notification.resourceType, notification]));
      expect([...byType.keys()].toSorted((one, other) => one.localeCompare(other))).toEqual([
        'ProjectItems',
        'Projects',
        'SessionDocuments',
        'Sessions',
      ]);
      expect(byType.get('ProjectItems')).toMatchObject({
        itemId: targets.file.itemId,
        idPath: expect.any(String),
        path: expect.any(String),
        itemType: 'file',
      });
      expect(byType.get('SessionDocuments')).toMatchObject({ name: 'New.pdf', sessionId: '731-450-286' });
    },
  );
});

describe('Delivery details', () => {
  test.each([...sidesOf('callbackShape'), ...sidesOf('callbackMethod'), ...sidesOf('callbackContentType')])(
    'method, headers and shape of a callback: all read (%o)',
    async (side) => {
      const practice = await startPractice(side);
      await practice.subscribe(practice.targets.project, true);
      practice.service.act(dana, { action: 'add-files', project, count: 5 });
      expect(await practice.notified()).toHaveLength(5);
    },
  );

  test.each(
    sidesOf('signatureScheme').flatMap((scheme) =>
      [...sidesOf('keyCase'), ...sidesOf('signaturePrefix'), ...sidesOf('signatureHeader')].map((side) => ({
        ...scheme,
        ...side,
      })),
    ),
  )('use of the Key: detected, and can then be enforced (%o)', async (side) => {
    const practice = await startPractice(side);
    const { key } = await practice.subscribe(practice.targets.project);
    practice.service.act(dana, { action: 'rename-project', project, name: 'New' });
    await practice.notified();
    const [request] = practice.received;
    if (request === undefined) throw new Error('no notification was sent');
    const { headers, body } = request;
    const received = { headers, rawBody: Buffer.from(body), key };
    const header = (side.signatureHeader ?? 'X-Signature').toLowerCase();
    const rule = observe(received);
    expect(rule).toBe(side.signatureScheme === 'none' ? null : `${header}:${side.signatureScheme}`);
    const setting = parseSignatureSetting(
      rule === null ? 'enforce:x-signature:sha256-hex' : `enforce:${rule}`,
    );
    if (setting === null) throw new Error(`${rule} cannot be enforced`);
    expect(verify(setting, received)).toBe(rule !== null);
    expect(verify(setting, { ...received, key: 'ab'.repeat(32) })).toBe(false);
  });

  test.each([...sidesOf('duplicates'), ...sidesOf('order'), ...sidesOf('retries')])(
    'retries, order and copies: each notification has one id (%o)',
    async (side) => {
      const practice = await startPractice(side);
      await practice.subscribe(practice.targets.project, true);
      practice.service.act(dana, { action: 'add-files', project, count: 4 });
      const ids = (await practice.notified()).map(({ id }) => id);
      expect(new Set(ids).size).toBe(4);
    },
  );

  test.each(sidesOf('deletionAtCreate'))(
    'a deletion notified before the create is answered: still read (%o)',
    async (side) => {
      const practice = await startPractice(side);
      const { id } = await practice.subscribe(practice.targets.project);
      const received = (await practice.notified()).map(({ serviceSubscriptionId, eventType }) => ({
        serviceSubscriptionId,
        eventType,
      }));
      const deletion = { serviceSubscriptionId: id, eventType: 'Delete' };
      expect(received).toEqual(side.deletionAtCreate === 'no' ? [] : [deletion]);
    },
  );
});
