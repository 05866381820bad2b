import { expect, test } from 'vitest';
import type { PracticeService } from '../../../sandbox/service/practice-service.ts';
import { DANA, forms, link, startReceiver, startService, subscribe, TOWER } from './support.ts';

function post(service: PracticeService, path: string, body: unknown): Promise<Response> {
  return fetch(`${service.authUrl}/practice/${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  });
}

type State = {
  projects: { id: string; name: string; tree: { name: string; children: { name: string }[] } }[];
  deliveries: { state: string; attempts: { status: number }[] }[];
  [other: string]: unknown;
};

async function stateOf(service: PracticeService): Promise<State> {
  return (await (await fetch(`${service.authUrl}/practice/state`)).json()) as State;
}

test('the state shows users, the tree, sessions, subscriptions, deliveries and switches', async () => {
  const service = await startService();
  const receiver = await startReceiver();
  await subscribe(service, forms(service, receiver.uri).project, { comprehensive: true });
  await post(service, 'act', { as: DANA, action: 'create-file', project: TOWER, name: 'New.pdf' });
  await service.settled();
  const state = await stateOf(service);
  expect(state).toMatchObject({
    baseUrl: service.baseUrl,
    authUrl: service.authUrl,
    now: '2026-03-04T09:15:42.123Z',
    subscriptions: [{ id: 1201, user: DANA, comprehensive: true, status: 'Active' }],
    deliveries: [{ subscriptionId: 1201, state: 'received', attempts: [{ status: 200 }] }],
    switches: { callbackMethod: 'POST' },
  });
  expect(state.users).toContainEqual({ email: DANA, name: 'Dana Reyes', primeId: 4021 });
  const [tower] = state.projects;
  expect(tower?.id).toBe(TOWER);
  expect(tower?.tree.children.map(({ name }) => name)).toEqual([
    'Plans',
    'Details',
    'Specifications',
    'Site photos',
    'New.pdf',
  ]);
  expect(state.sessions).toMatchObject([
    { id: '731-450-286', documents: [{ name: 'Curtain wall.pdf' }, {}] },
    {},
  ]);
});

test('the state shows no token, no Key and no callback URL', async () => {
  const service = await startService();
  await link(service, DANA);
  const { uri } = await startReceiver();
  await subscribe(service, forms(service, uri).project);
  const text = JSON.stringify(await stateOf(service));
  for (const secret of [...service.secrets(), new URL(uri).pathname]) expect(text).not.toContain(secret);
});

test('an action runs as the named user, and the answer names what it changed', async () => {
  const service = await startService();
  const answer = await post(service, 'act', {
    as: DANA,
    action: 'rename-project',
    project: TOWER,
    name: 'New',
  });
  expect(answer.status).toBe(200);
  expect(await answer.json()).toEqual({ id: '412873550', name: 'New', ids: ['412873550'] });
  expect(service.data.project(TOWER).name).toBe('New');
});

test('a date in an action can be text', async () => {
  const service = await startService();
  const body = {
    as: DANA,
    action: 'change-expiry',
    session: 'Façade review',
    expires: '2026-09-01T00:00:00Z',
  };
  expect((await post(service, 'act', body)).status).toBe(200);
  expect(service.data.session('Façade review').expires).toEqual(new Date('2026-09-01T00:00:00Z'));
});

test.each([
  [403, { as: 'lee@example.com', action: 'delete-project', project: TOWER }],
  [404, { as: DANA, action: 'delete-project', project: 'nothing' }],
  [404, { as: 'eve@example.com', action: 'delete-project', project: TOWER }],
  [400, { as: DANA, action: 'explode' }],
  [400, { action: 'delete-project', project: TOWER }],
  [400, 'not json'],
])('%i with a readable reason for %o', async (status, body) => {
  const service = await startService();
  const answer = await post(service, 'act', body);
  expect(answer.status).toBe(status);
  expect(await answer.json()).toEqual({ error: expect.stringMatching(/\w+ \w+/) });
  expect(service.data.projects.has('412873550')).toBe(true);
});

test('switches can be set, and unknown values are refused', async () => {
  const service = await startService();
  expect((await post(service, 'switches', { callbackMethod: 'PUT', retries: 9 })).status).toBe(200);
  expect(service.switches.values()).toMatchObject({ callbackMethod: 'PUT', retries: 9 });
  expect((await post(service, 'switches', { callbackMethod: 'GET' })).status).toBe(400);
  expect((await post(service, 'switches', { nothing: 1 })).status).toBe(400);
});

test('a page of another site can do nothing, and one of this machine can', async () => {
  const service = await startService();
  const form = await fetch(`${service.authUrl}/practice/act`, { method: 'POST', body: '{}' });
  expect(form.status).toBe(415);
  const allowed = async (origin: string) => {
    const answer = await fetch(`${service.authUrl}/practice/act`, { method: 'OPTIONS', headers: { origin } });
    return answer.headers.get('access-control-allow-origin');
  };
  expect(await allowed('https://evil.example')).toBeNull();
  expect(await allowed('http://127.0.0.1.evil.example')).toBeNull();
  expect(await allowed('http://localhost:3000')).toBe('http://localhost:3000');
});
