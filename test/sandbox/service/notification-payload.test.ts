import { expect, test } from 'vitest';
import {
  forms,
  type Notified,
  REVIEW,
  SAM,
  startReceiver,
  startService,
  subscribe,
  TOWER,
} from './support.ts';

const GUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

async function rig() {
  const service = await startService();
  const receiver = await startReceiver();
  return { service, receiver, form: forms(service, receiver.uri) };
}

test('a notification of a project item has every field of both tables, and no others', async () => {
  const { service, receiver, form } = await rig();
  await subscribe(service, form.project, { comprehensive: true });
  const tower = service.data.project(TOWER);
  const made = service.act(SAM, {
    action: 'create-file',
    project: TOWER,
    parent: 'Plans/Level 2',
    name: 'A-203.pdf',
  });
  await service.settled();
  const ids = ['', 'Plans', 'Plans/Level 2'].map((ref) => service.data.item(tower, ref).id);
  expect(receiver.callbacks).toHaveLength(1);
  expect(receiver.callbacks[0]).toMatchObject({
    method: 'POST',
    headers: { 'content-type': 'application/json' },
  });
  expect(receiver.notifications()[0]).toEqual({
    Id: expect.stringMatching(GUID),
    SubscriptionId: 1201,
    Source: 2,
    Resource: `/Primes/4021/Projects/${TOWER}/ProjectItems/${made.id}/`,
    Timestamp: '2026-03-04T09:15:42.1230000+00:00',
    ExtraInformation: {
      ResourceType: 'ProjectItems',
      User: SAM,
      EventType: 'Create',
      IdPath: [...ids, made.id].join('/'),
      Path: 'Root/Plans/Level 2/A-203.pdf',
      ItemType: 'File',
      Name: 'A-203.pdf',
    },
  });
});

test('ItemType of a folder is Folder', async () => {
  const { service, receiver, form } = await rig();
  await subscribe(service, form.folder);
  service.act(SAM, { action: 'rename-item', project: TOWER, item: 'Plans/Level 1', name: 'Ground' });
  await service.settled();
  expect(receiver.notifications()[0]?.ExtraInformation).toMatchObject({
    ItemType: 'Folder',
    Path: 'Root/Plans/Ground',
    Name: 'Ground',
  });
});

test.each([
  [
    'a project',
    'Projects',
    { action: 'rename-project', project: TOWER, name: 'New' },
    `/Primes/4021/Projects/${TOWER}/`,
  ],
  [
    'a session',
    'Sessions',
    { action: 'rename-session', session: REVIEW, name: 'New' },
    `/Primes/4021/Sessions/${REVIEW}/`,
  ],
] as const)('IdPath, Path and ItemType are null for %s', async (_, ResourceType, action, Resource) => {
  const { service, receiver, form } = await rig();
  await subscribe(service, ResourceType === 'Projects' ? form.project : form.session);
  service.act(SAM, action);
  await service.settled();
  expect(receiver.notifications()[0]).toMatchObject({
    Resource,
    ExtraInformation: {
      ResourceType,
      User: SAM,
      EventType: 'Update',
      IdPath: null,
      Path: null,
      ItemType: null,
      Name: 'New',
    },
  });
});

test('IdPath, Path and ItemType are null for a session document', async () => {
  const { service, receiver, form } = await rig();
  await subscribe(service, form.session, { comprehensive: true });
  const { id } = service.act(SAM, { action: 'add-document', session: REVIEW, name: 'Roof.pdf' });
  await service.settled();
  expect(receiver.notifications()[0]).toMatchObject({
    Resource: `/Primes/4021/Sessions/${REVIEW}/SessionDocuments/${id}/`,
    ExtraInformation: {
      ResourceType: 'SessionDocuments',
      EventType: 'Create',
      IdPath: null,
      Path: null,
      ItemType: null,
      Name: 'Roof.pdf',
    },
  });
});

test('a renamed or moved item is sent with its new name and path, a deleted one with its last', async () => {
  const { service, receiver, form } = await rig();
  await subscribe(service, form.file);
  const { id: item } = service.data.item(service.data.project(TOWER), 'Plans/Level 1/A-101 Floor plan.pdf');
  service.act(SAM, { action: 'rename-item', project: TOWER, item, name: 'A-101b.pdf' });
  service.act(SAM, { action: 'rename-item', project: TOWER, item: 'Details', name: 'Sections' });
  service.act(SAM, { action: 'move-item', project: TOWER, item, to: 'Sections' });
  service.act(SAM, { action: 'delete-item', project: TOWER, item });
  await service.settled();
  const received = receiver
    .notifications()
    .map(({ ExtraInformation: { EventType, Path } }: Notified) => [EventType, Path]);
  expect(received).toEqual([
    ['Update', 'Root/Plans/Level 1/A-101b.pdf'],
    ['Update', 'Root/Sections/A-101b.pdf'],
    ['Delete', 'Root/Sections/A-101b.pdf'],
  ]);
});

test('Timestamp is the time of the change, even if it is delivered later', async () => {
  const { service, receiver, form } = await rig();
  await subscribe(service, form.project);
  service.deliveries.hold();
  service.act(SAM, { action: 'rename-project', project: TOWER, name: 'New' });
  service.clock.advance(3_600_000);
  service.deliveries.release();
  await service.settled();
  expect(receiver.notifications()[0]?.Timestamp).toBe('2026-03-04T09:15:42.1230000+00:00');
});
