import { expect, test } from 'vitest';
import type { PracticeAction } from '../../../sandbox/service/actions.ts';
import { DANA, LEE, NOOR, REVIEW, SAM, startService, TOWER } from './support.ts';

const LEVEL_1 = 'Plans/Level 1';

test('projects are found by id with or without hyphens or by name, and items by names below the root', async () => {
  const service = await startService();
  const tower = service.data.project(TOWER);
  expect(service.data.project('412873550')).toBe(tower);
  expect(service.data.project('Harbour Tower')).toBe(tower);
  expect(service.data.item(tower).name).toBe('Root');
  expect(service.data.item(tower, LEVEL_1).name).toBe('Level 1');
  expect(service.data.item(tower, service.data.item(tower, LEVEL_1).id).name).toBe('Level 1');
});

test('a created resource can be used by the id in the answer', async () => {
  const service = await startService();
  const project = service.act(NOOR, { action: 'create-project', name: 'Annex' });
  expect(project.id).toMatch(/^\d{9}$/);
  const folder = service.act(NOOR, { action: 'create-folder', project: project.id, name: 'Plans' });
  const files = service.act(NOOR, { action: 'add-files', project: project.id, parent: folder.id, count: 3 });
  expect(files.ids).toHaveLength(3);
  const session = service.act(NOOR, { action: 'create-session', name: 'Review', id: '111-222-333' });
  expect(session.id).toBe('111222333');
  expect(service.data.session('Review').primeId).toBe(5177);
});

test('a second burst continues the numbers of the first, even in another folder', async () => {
  const service = await startService();
  const add = (parent: string, count: number, prefix: string, extension?: string) =>
    service.act(DANA, { action: 'add-files', project: TOWER, parent, count, prefix, extension }).name;
  expect(add('Plans/Level 1', 3, 'Photo', 'jpg')).toBe('Photo 1.jpg');
  expect(add('Plans/Level 2', 2, 'Photo', 'jpg')).toBe('Photo 4.jpg');
  expect(add('Plans/Level 2', 1, 'Sheet')).toBe('Sheet 1.pdf');
});

test('deleting a folder deletes its contents', async () => {
  const service = await startService();
  const tower = service.data.project(TOWER);
  const { ids } = service.act(DANA, { action: 'delete-item', project: TOWER, item: LEVEL_1 });
  expect(ids).toHaveLength(3);
  for (const id of ids) expect(tower.items.has(id)).toBe(false);
});

const refused: [string, string, string, PracticeAction][] = [
  ['denied', 'one who may only read', LEE, { action: 'rename-project', project: TOWER, name: 'New' }],
  ['denied', 'one who is not a member', NOOR, { action: 'rename-session', session: REVIEW, name: 'New' }],
  ['unknown', 'an unknown user', 'eve@example.com', { action: 'create-project', name: 'Hers' }],
  ['unknown', 'an unknown project', SAM, { action: 'delete-project', project: 'nothing' }],
  ['unknown', 'an unknown item', SAM, { action: 'check-in', project: TOWER, item: 'Plans/Level 77' }],
  ['unknown', 'an unknown document', SAM, { action: 'delete-document', session: REVIEW, document: 'x' }],
  ['invalid', 'a check-in of a folder', SAM, { action: 'check-in', project: TOWER, item: LEVEL_1 }],
  [
    'invalid',
    'a folder into itself',
    SAM,
    { action: 'move-item', project: TOWER, item: 'Plans', to: LEVEL_1 },
  ],
  [
    'invalid',
    'a name with a slash',
    SAM,
    { action: 'rename-item', project: TOWER, item: LEVEL_1, name: 'a/b' },
  ],
  ['invalid', 'an empty name', SAM, { action: 'rename-project', project: TOWER, name: '' }],
  ['invalid', 'an id that is taken', SAM, { action: 'create-project', name: 'Annex', id: TOWER }],
  ['invalid', 'an id of 8 digits', SAM, { action: 'create-session', name: 'Annex', id: '12345678' }],
  ['invalid', 'an event about nothing', SAM, { action: 'other-event', eventType: 'Lock' }],
];

test.each(refused)(
  'a refused action changes nothing and says why: %s, for %s',
  async (code, _, email, action) => {
    const service = await startService();
    expect(() => service.act(email, action)).toThrow(
      expect.objectContaining({ name: 'PracticeError', code }),
    );
    expect(service.log.of('change')).toEqual([]);
  },
);

test('every change is logged with who, why and what', async () => {
  const service = await startService();
  const heard: string[] = [];
  const stop = service.log.on(({ type }) => heard.push(type));
  service.act(SAM, { action: 'check-in', project: TOWER, item: `${LEVEL_1}/A-101 Floor plan.pdf` });
  stop();
  service.act(SAM, { action: 'finalize-session', session: REVIEW });
  expect(heard).toEqual(['change']);
  expect(service.log.of('change')).toMatchObject([
    { user: SAM, cause: 'check-in', eventType: 'Update', name: 'A-101 Floor plan.pdf' },
    { user: SAM, cause: 'finalize', eventType: 'Update', name: 'Façade review' },
  ]);
  service.log.clear();
  expect(service.log.all()).toEqual([]);
});
