import { expect, test } from 'vitest';
import type { PracticeAction } from '../../../sandbox/service/actions.ts';
import type { PracticeService } from '../../../sandbox/service/practice-service.ts';
import {
  DANA,
  forms,
  type Notified,
  REVIEW,
  SAM,
  startReceiver,
  startService,
  subscribe,
  TOWER,
} from './support.ts';

const FILE = 'Plans/Level 1/A-101 Floor plan.pdf';
const FOLDER = 'Plans/Level 1';
const in_ = { project: TOWER };
const at = { session: REVIEW };

/** One subscription of every kind, all to resources that the actions below affect. */
const all = [
  'project',
  'folder',
  'file',
  'session',
  'document',
  'comprehensive project',
  'comprehensive session',
] as const;
type Kind = (typeof all)[number];

async function subscribeAll(service: PracticeService, uri: string): Promise<Map<number, Kind>> {
  const form = forms(service, uri);
  const ids = new Map<number, Kind>();
  for (const kind of ['project', 'folder', 'file', 'session', 'document'] as const) {
    ids.set((await subscribe(service, form[kind])).SubscriptionId, kind);
  }
  for (const kind of ['project', 'session'] as const) {
    const { SubscriptionId } = await subscribe(service, form[kind], { comprehensive: true });
    ids.set(SubscriptionId, `comprehensive ${kind}`);
  }
  return ids;
}

/** Runs the actions, and returns who received what, as `kind: ResourceType EventType Name`. */
async function receivedAfter(...actions: PracticeAction[]): Promise<string[]> {
  const service = await startService();
  const receiver = await startReceiver();
  const kinds = await subscribeAll(service, receiver.uri);
  service.act(DANA, {
    action: 'set-permission',
    project: 'Riverside School',
    email: SAM,
    permission: 'write',
  });
  for (const action of actions) service.act(SAM, action);
  await service.settled();
  return receiver
    .notifications()
    .map(({ SubscriptionId, ExtraInformation: { ResourceType, EventType, Name } }: Notified) => {
      return `${kinds.get(SubscriptionId)}: ${ResourceType} ${EventType} ${Name}`;
    })
    .sort((one, other) => (one < other ? -1 : 1));
}

type Row = [string, PracticeAction, string[]];

const rows: Row[] = [
  [
    'Project, Update: rename',
    { action: 'rename-project', ...in_, name: 'Harbour Tower II' },
    ['comprehensive project: Projects Update Harbour Tower II', 'project: Projects Update Harbour Tower II'],
  ],
  [
    'Project, Delete: project deleted',
    { action: 'delete-project', ...in_ },
    ['comprehensive project: Projects Delete Harbour Tower', 'project: Projects Delete Harbour Tower'],
  ],
  [
    'Project item, Create: a file created in the subscribed folder',
    { action: 'create-file', ...in_, parent: FOLDER, name: 'A-103.pdf' },
    ['comprehensive project: ProjectItems Create A-103.pdf'],
  ],
  [
    'Project item, Create: a folder created',
    { action: 'create-folder', ...in_, name: 'Level 9' },
    ['comprehensive project: ProjectItems Create Level 9'],
  ],
  [
    'Project item, Update: the file moved',
    { action: 'move-item', ...in_, item: FILE, to: 'Details' },
    [
      'comprehensive project: ProjectItems Update A-101 Floor plan.pdf',
      'file: ProjectItems Update A-101 Floor plan.pdf',
    ],
  ],
  [
    'Project item, Update: the file renamed',
    { action: 'rename-item', ...in_, item: FILE, name: 'A-101b.pdf' },
    ['comprehensive project: ProjectItems Update A-101b.pdf', 'file: ProjectItems Update A-101b.pdf'],
  ],
  [
    'Project item, Update: the file checked in (not sent to a plain subscription)',
    { action: 'check-in', ...in_, item: FILE },
    ['comprehensive project: ProjectItems Update A-101 Floor plan.pdf'],
  ],
  [
    'Project item, Delete: the file deleted',
    { action: 'delete-item', ...in_, item: FILE },
    [
      'comprehensive project: ProjectItems Delete A-101 Floor plan.pdf',
      'file: ProjectItems Delete A-101 Floor plan.pdf',
    ],
  ],
  [
    'Project item, Update: the folder moved (nothing is sent about its contents)',
    { action: 'move-item', ...in_, item: FOLDER },
    ['comprehensive project: ProjectItems Update Level 1', 'folder: ProjectItems Update Level 1'],
  ],
  [
    'Project item, Update: the folder renamed (nothing is sent about its contents)',
    { action: 'rename-item', ...in_, item: FOLDER, name: 'Ground floor' },
    ['comprehensive project: ProjectItems Update Ground floor', 'folder: ProjectItems Update Ground floor'],
  ],
  [
    'Project item, Delete: the folder deleted (nothing is sent about its contents)',
    { action: 'delete-item', ...in_, item: FOLDER },
    ['comprehensive project: ProjectItems Delete Level 1', 'folder: ProjectItems Delete Level 1'],
  ],
  [
    'Project item, Update: another file renamed',
    { action: 'rename-item', ...in_, item: 'Details/D-01 Stair.pdf', name: 'D-01.pdf' },
    ['comprehensive project: ProjectItems Update D-01.pdf'],
  ],
  [
    'Session, Update: rename',
    { action: 'rename-session', ...at, name: 'Façade review 2' },
    ['comprehensive session: Sessions Update Façade review 2', 'session: Sessions Update Façade review 2'],
  ],
  [
    'Session, Update: change of expiration date',
    { action: 'change-expiry', ...at, expires: new Date('2026-06-01') },
    ['comprehensive session: Sessions Update Façade review', 'session: Sessions Update Façade review'],
  ],
  [
    'Session, Update: finalize',
    { action: 'finalize-session', ...at },
    ['comprehensive session: Sessions Update Façade review', 'session: Sessions Update Façade review'],
  ],
  [
    'Session, Delete: session deleted',
    { action: 'delete-session', ...at },
    ['comprehensive session: Sessions Delete Façade review', 'session: Sessions Delete Façade review'],
  ],
  [
    'Session document, Create: document added (only sent to a comprehensive subscription)',
    { action: 'add-document', ...at, name: 'Roof.pdf' },
    ['comprehensive session: SessionDocuments Create Roof.pdf'],
  ],
  [
    'Session document, Delete: document deleted',
    { action: 'delete-document', ...at, document: 'Curtain wall.pdf' },
    [
      'comprehensive session: SessionDocuments Delete Curtain wall.pdf',
      'document: SessionDocuments Delete Curtain wall.pdf',
    ],
  ],
  [
    'Session document, Delete: another document deleted',
    { action: 'delete-document', ...at, document: 'Façade details.pdf' },
    ['comprehensive session: SessionDocuments Delete Façade details.pdf'],
  ],
  ['nothing: a project created', { action: 'create-project', name: 'Annex' }, []],
  ['nothing: a session created', { action: 'create-session', name: 'Annex review' }, []],
  [
    'nothing: another session renamed',
    { action: 'rename-session', session: '845-902-113', name: 'Level 2 coordination' },
    [],
  ],
  [
    'nothing: a document added to another session',
    { action: 'add-document', session: '845-902-113', name: 'Roof.pdf' },
    [],
  ],
  [
    'nothing: a file created in another project',
    { action: 'create-file', project: 'Riverside School', name: 'R-101.pdf' },
    [],
  ],
  ['nothing: another project deleted', { action: 'delete-project', project: 'Riverside School' }, []],
];

test.each(rows)('%s', async (_, action, expected) => {
  expect(await receivedAfter(action)).toEqual(expected);
});

test('24 files added are 24 events for a comprehensive subscription, in order', async () => {
  const service = await startService();
  const receiver = await startReceiver();
  await subscribe(service, forms(service, receiver.uri).project, { comprehensive: true });
  service.act(SAM, { action: 'add-files', ...in_, parent: FOLDER, count: 24, prefix: 'Sheet' });
  await service.settled();
  const names = receiver.notifications().map(({ ExtraInformation }) => ExtraInformation.Name);
  expect(names).toEqual(Array.from({ length: 24 }, (_, index) => `Sheet ${index + 1}.pdf`));
});

test('finalize changes the status to Finalizing', async () => {
  const service = await startService();
  service.act(SAM, { action: 'finalize-session', ...at });
  expect(service.data.session(REVIEW).status).toBe('Finalizing');
});

test('two subscriptions to one resource each get a notification, with Ids of their own', async () => {
  const service = await startService();
  const receiver = await startReceiver();
  await subscribe(service, forms(service, receiver.uri).project);
  await subscribe(service, forms(service, receiver.uri).project, { as: SAM });
  service.act(SAM, { action: 'rename-project', ...in_, name: 'New' });
  await service.settled();
  expect(receiver.notifications().map(({ SubscriptionId }) => SubscriptionId)).toEqual([1201, 1202]);
  expect(new Set(receiver.notifications().map(({ Id }) => Id)).size).toBe(2);
});

test('a removed subscription receives no notification, nor does one that is not Active', async () => {
  const service = await startService();
  const receiver = await startReceiver();
  const removed = await subscribe(service, forms(service, receiver.uri).project);
  const paused = await subscribe(service, forms(service, receiver.uri).project);
  await fetch(`${service.baseUrl}/notifications/subscriptions/${removed.SubscriptionId}`, {
    method: 'DELETE',
    headers: { authorization: `Bearer ${service.accessToken('dana@example.com')}` },
  });
  service.subscriptions.setStatus(paused.SubscriptionId, 'Suspended');
  service.act(SAM, { action: 'rename-project', ...in_, name: 'New' });
  await service.settled();
  expect(receiver.callbacks).toEqual([]);
});

test('an event with an unlisted EventType reaches the resource and its comprehensive parent', async () => {
  const lock = { action: 'other-event', ...in_, item: FILE, eventType: 'Lock' } as const;
  const marked = { action: 'other-event', ...at, eventType: 'Update', resourceType: 'Markups' } as const;
  expect(await receivedAfter(lock, marked)).toEqual([
    'comprehensive project: ProjectItems Lock A-101 Floor plan.pdf',
    'comprehensive session: Markups Update Façade review',
    'file: ProjectItems Lock A-101 Floor plan.pdf',
    'session: Markups Update Façade review',
  ]);
});
