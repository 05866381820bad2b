import { expect, test } from 'vitest';
import {
  api,
  BRIDGE,
  COMPREHENSIVE,
  DANA,
  DEAD_URI,
  forms,
  LEE,
  NOOR,
  postCreate,
  REVIEW,
  type Record_,
  SAM,
  SUBSCRIPTIONS,
  startService,
  subscribe,
  TOWER,
} from './support.ts';

type List = { $id: string; Subscriptions: Record_[]; TotalCount: number };
const kinds = ['project', 'folder', 'file', 'session', 'document'] as const;

test('creating a subscription answers with every field of the table, and the Key', async () => {
  const service = await startService();
  const answer = await postCreate(service, forms(service, DEAD_URI).project);
  expect(answer.status).toBe(200);
  expect(await answer.json()).toEqual({
    $id: '1',
    EndpointId: 301,
    Resource: `/Primes/4021/Projects/${TOWER}/`,
    Source: 'Collaboration',
    Status: 'Active',
    SubscriptionId: 1201,
    Uri: DEAD_URI,
    Key: expect.stringMatching(/^[0-9a-f]{64}$/),
  });
});

test.each([
  ['a project', 'project', '', () => `/Primes/4021/Projects/${TOWER}/`],
  [
    'a folder',
    'folder',
    'ProjectItemId',
    (id: string) => `/Primes/4021/Projects/${TOWER}/ProjectItems/${id}/`,
  ],
  ['a file', 'file', 'ProjectItemId', (id: string) => `/Primes/4021/Projects/${TOWER}/ProjectItems/${id}/`],
  ['a session', 'session', '', () => `/Primes/4021/Sessions/${REVIEW}/`],
  [
    'a document',
    'document',
    'SessionDocumentId',
    (id: string) => `/Primes/4021/Sessions/${REVIEW}/SessionDocuments/${id}/`,
  ],
] as const)('the Resource of a subscription to %s is its path', async (_, kind, idField, path) => {
  const service = await startService();
  const form = forms(service, DEAD_URI)[kind];
  const record = await subscribe(service, form);
  expect(record.Resource).toBe(path(new Map(Object.entries(form)).get(idField) ?? ''));
});

test.each(['project', 'session'] as const)(
  'a comprehensive subscription to a %s is created by the same form',
  async (kind) => {
    const service = await startService();
    const record = await subscribe(service, forms(service, DEAD_URI)[kind], { comprehensive: true });
    expect(record).toMatchObject({ Status: 'Active', Uri: DEAD_URI });
    expect(record.Key).toMatch(/^[0-9a-f]{64}$/);
  },
);

test.each(['folder', 'file', 'document'] as const)('a %s cannot be comprehensive', async (kind) => {
  const service = await startService();
  const answer = await postCreate(service, forms(service, DEAD_URI)[kind], { comprehensive: true });
  expect(answer.status).toBe(400);
});

test.each(kinds)('a subscription to a %s is created only with all its fields', async (kind) => {
  const service = await startService();
  const form: Record<string, string> = forms(service, DEAD_URI)[kind];
  for (const left of Object.keys(form)) {
    const fields = Object.fromEntries(Object.entries(form).filter(([name]) => name !== left));
    expect((await postCreate(service, fields)).status, `without ${left}`).toBe(400);
    expect((await postCreate(service, { ...form, [left]: '' })).status, `${left} empty`).toBe(400);
  }
  expect(service.subscriptions.all()).toEqual([]);
});

test.each([
  ['project', 'SessionId', REVIEW],
  ['project', 'ItemType', 'file'],
  ['project', 'ProjectItemId', '50212'],
  ['project', 'SessionDocumentId', '1'],
  ['folder', 'SessionId', REVIEW],
  ['folder', 'SessionDocumentId', '1'],
  ['session', 'ProjectId', TOWER],
  ['session', 'SessionDocumentId', '1'],
  ['document', 'ProjectId', TOWER],
  ['document', 'ItemType', 'file'],
] as const)('a subscription to a %s is not created if the form has %s too', async (kind, field, value) => {
  const service = await startService();
  const answer = await postCreate(service, { ...forms(service, DEAD_URI)[kind], [field]: value });
  expect(answer.status).toBe(400);
});

test.each([
  ['an unknown ParentResourceType', { ParentResourceType: 'Drawings' }],
  ['a ParentResourceType in other letter case', { ParentResourceType: 'projects' }],
  ['a project id without hyphens', { ProjectId: '412873550' }],
  ['a project id with misplaced hyphens', { ProjectId: '4128-73-550' }],
  ['a project id of 8 digits', { ProjectId: '412-873-55' }],
  ['an invalid Uri', { Uri: 'callback' }],
  ['a Uri that is not http or https', { Uri: 'ftp://bot.example.com/x' }],
])('no subscription is created for %s', async (_, changed) => {
  const service = await startService();
  const answer = await postCreate(service, { ...forms(service, DEAD_URI).project, ...changed });
  expect(answer.status).toBe(400);
});

test('no subscription is created from a field sent twice', async () => {
  const service = await startService();
  const body = new URLSearchParams(forms(service, DEAD_URI).project);
  body.append('ProjectId', TOWER);
  const token = service.accessToken(DANA);
  expect((await api(service, SUBSCRIPTIONS, { token, method: 'POST', body })).status).toBe(400);
});

test('no subscription is created from a body that is not form-encoded', async () => {
  const service = await startService();
  const answer = await api(service, SUBSCRIPTIONS, {
    token: service.accessToken(DANA),
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(forms(service, DEAD_URI).project),
  });
  expect(answer.status).toBe(415);
});

test.each([
  ['project', { ProjectId: '999-999-999' }],
  ['session', { SessionId: '999-999-999' }],
  ['file', { ProjectItemId: 'nothing' }],
  ['file', { ItemType: 'folder' }],
  ['folder', { ItemType: 'file' }],
  ['document', { SessionDocumentId: 'nothing' }],
] as const)('a subscription to a %s that does not exist is answered with 404 (%o)', async (kind, changed) => {
  const service = await startService();
  const answer = await postCreate(service, { ...forms(service, DEAD_URI)[kind], ...changed });
  expect(answer.status).toBe(404);
});

test.each(kinds)('read permission on the resource is enough to subscribe to a %s', async (kind) => {
  const service = await startService();
  expect((await postCreate(service, forms(service, DEAD_URI)[kind], { as: LEE })).status).toBe(200);
});

test.each(kinds)('without read permission nobody can subscribe to a %s', async (kind) => {
  const service = await startService();
  expect((await postCreate(service, forms(service, DEAD_URI)[kind], { as: NOOR })).status).toBe(403);
  expect(service.subscriptions.all()).toEqual([]);
});

test('a revoked permission takes effect at once', async () => {
  const service = await startService();
  service.act(DANA, { action: 'set-permission', project: TOWER, email: LEE, permission: 'none' });
  expect((await postCreate(service, forms(service, DEAD_URI).project, { as: LEE })).status).toBe(403);
});

test('only apps can create subscriptions: a token without an app can only list', async () => {
  const service = await startService();
  const token = service.accessToken(DANA, { app: false });
  expect((await postCreate(service, forms(service, DEAD_URI).project, { token })).status).toBe(403);
  expect((await api(service, SUBSCRIPTIONS, { token })).status).toBe(200);
});

test('a list has $id, the subscriptions without their Key, and TotalCount', async () => {
  const service = await startService();
  const first = await subscribe(service, forms(service, DEAD_URI).project);
  const second = await subscribe(service, forms(service, `${DEAD_URI}b`).session);
  const list = (await (
    await api(service, SUBSCRIPTIONS, { token: service.accessToken(DANA) })
  ).json()) as List;
  const { Key: _, ...firstListed } = { ...first, $id: '2' };
  const { Key: __, ...secondListed } = { ...second, $id: '3' };
  expect(list).toEqual({ $id: '1', Subscriptions: [firstListed, secondListed], TotalCount: 2 });
});

test('only the user who subscribed sees a subscription in a list', async () => {
  const service = await startService();
  await subscribe(service, forms(service, DEAD_URI).project);
  await subscribe(service, forms(service, DEAD_URI).session, { comprehensive: true });
  for (const path of [SUBSCRIPTIONS, COMPREHENSIVE]) {
    const list = (await (await api(service, path, { token: service.accessToken(SAM) })).json()) as List;
    expect(list.TotalCount).toBe(0);
  }
});

test('comprehensive subscriptions are in their own list only', async () => {
  const service = await startService();
  const plain = await subscribe(service, forms(service, DEAD_URI).project);
  const comprehensive = await subscribe(service, forms(service, DEAD_URI).project, { comprehensive: true });
  const ids = async (path: string) => {
    const list = (await (await api(service, path, { token: service.accessToken(DANA) })).json()) as List;
    return list.Subscriptions.map(({ SubscriptionId }) => SubscriptionId);
  };
  expect(await ids(SUBSCRIPTIONS)).toEqual([plain.SubscriptionId]);
  expect(await ids(COMPREHENSIVE)).toEqual([comprehensive.SubscriptionId]);
});

test.each([false, true])(
  'a subscription is read without its Key (comprehensive: %s)',
  async (comprehensive) => {
    const service = await startService();
    const created = await subscribe(service, forms(service, DEAD_URI).project, { comprehensive });
    const token = service.accessToken(DANA);
    const answer = await api(service, `${SUBSCRIPTIONS}/${created.SubscriptionId}`, { token });
    const { Key: _, ...record } = created;
    expect(answer.status).toBe(200);
    expect(await answer.json()).toEqual(record);
  },
);

test.each([false, true])(
  'deleting a subscription answers 204 without a body, and then it is gone (comprehensive: %s)',
  async (comprehensive) => {
    const service = await startService();
    const { SubscriptionId } = await subscribe(service, forms(service, DEAD_URI).project, { comprehensive });
    const token = service.accessToken(DANA);
    const path = `${SUBSCRIPTIONS}/${SubscriptionId}`;
    const answer = await api(service, path, { token, method: 'DELETE' });
    expect(answer.status).toBe(204);
    expect(await answer.text()).toBe('');
    expect((await api(service, path, { token })).status).toBe(404);
    expect((await api(service, path, { token, method: 'DELETE' })).status).toBe(404);
    expect(service.log.of('subscription').map(({ change }) => change)).toEqual(['created', 'removed']);
  },
);

test.each(['GET', 'DELETE'])("%s of another account's subscription does nothing", async (method) => {
  const service = await startService();
  const { SubscriptionId } = await subscribe(service, forms(service, DEAD_URI).project);
  const token = service.accessToken(SAM);
  const answer = await api(service, `${SUBSCRIPTIONS}/${SubscriptionId}`, { token, method });
  expect(answer.status).toBe(404);
  expect(service.subscriptions.all()).toHaveLength(1);
});

test.each([
  ['GET', SUBSCRIPTIONS],
  ['POST', SUBSCRIPTIONS],
  ['GET', COMPREHENSIVE],
  ['POST', COMPREHENSIVE],
  ['GET', `${SUBSCRIPTIONS}/1201`],
  ['DELETE', `${SUBSCRIPTIONS}/1201`],
])('%s %s answers 401 without a valid access token', async (method, path) => {
  const service = await startService();
  for (const headers of [{}, { authorization: 'Bearer guess' }, { authorization: 'Basic Zm9vOmJhcg==' }]) {
    const answer = await fetch(`${service.baseUrl}${path}`, { method, headers });
    expect(answer.status).toBe(401);
    expect(answer.headers.get('www-authenticate')).toMatch(/^Bearer/);
  }
});

test('an unknown path answers 404, a wrong method 405', async () => {
  const service = await startService();
  const token = service.accessToken(DANA);
  expect((await api(service, '/nothing', { token })).status).toBe(404);
  expect((await api(service, `${SUBSCRIPTIONS}/77`, { token })).status).toBe(404);
  const answer = await api(service, SUBSCRIPTIONS, { token, method: 'PUT' });
  expect([answer.status, answer.headers.get('allow')]).toEqual([405, 'GET, POST']);
});

test('a subscription belongs to the workspace of its resource', async () => {
  const service = await startService();
  const form = { ParentResourceType: 'Projects', ProjectId: BRIDGE, Uri: DEAD_URI };
  expect((await subscribe(service, form)).Resource).toBe(`/Primes/5177/Projects/${BRIDGE}/`);
});

test('subscriptions with the same Uri share its endpoint', async () => {
  const service = await startService();
  const one = await subscribe(service, forms(service, DEAD_URI).project);
  const two = await subscribe(service, forms(service, DEAD_URI).session);
  const three = await subscribe(service, forms(service, `${DEAD_URI}b`).session);
  expect([one, two, three].map(({ EndpointId }) => EndpointId)).toEqual([301, 301, 302]);
});

test('the log has every request, its user and its outcome', async () => {
  const service = await startService();
  await postCreate(service, forms(service, DEAD_URI).session, { as: NOOR });
  expect(service.log.of('request')).toMatchObject([
    {
      endpoint: 'create',
      method: 'POST',
      path: '/v1/notifications/subscriptions',
      user: NOOR,
      form: { ParentResourceType: 'Sessions', SessionId: REVIEW, Uri: DEAD_URI },
      status: 403,
    },
  ]);
});
