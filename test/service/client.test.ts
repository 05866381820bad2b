import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { expect, test } from 'vitest';
import { makeServiceClient, type ServiceClientDeps } from '../../src/service/client.ts';
import { failureOf } from './failure-of.ts';
import { type StubAnswer, type StubRequest, startStub } from './stub-server.ts';

const token = 'access-token-that-must-not-be-shown';
const callbackUrl = 'https://bot.example/notifications/callback-token-that-must-not-be-shown';
const project = { kind: 'project', projectId: '123-456-789' } as const;
const file = { kind: 'file', projectId: '123-456-789', itemId: 'i 1/ü' } as const;
const session = { kind: 'session', sessionId: '987-654-321' } as const;
const document = { kind: 'document', sessionId: '987-654-321', documentId: '42' } as const;

const record = {
  $id: '1',
  EndpointId: 31,
  Resource: '/Primes/57/Projects/123456789/',
  Source: 'TheService',
  Status: 'Active',
  SubscriptionId: 4711,
  Uri: callbackUrl,
};
const created = { ...record, Key: '9F86D081' };
const readRecord = {
  id: '4711',
  endpointId: '31',
  resource: '/Primes/57/Projects/123-456-789/',
  primeId: '57',
  source: 'TheService',
  status: 'Active',
  callbackUrl,
};

async function clientOf(
  answer: (request: StubRequest, nth: number) => StubAnswer,
  deps: Partial<ServiceClientDeps> = {},
) {
  const { url, requests } = await startStub(answer);
  const client = makeServiceClient({
    baseUrl: `${url}/v1`,
    scopes: ['full_user', 'jobs'],
    timeoutMs: 2_000,
    ...deps,
  });
  return { client, requests };
}

function create(
  client: Awaited<ReturnType<typeof clientOf>>['client'],
  target: Parameters<typeof requestFor>[0] = project,
) {
  return client.createSubscription(token, requestFor(target));
}

function requestFor(target: typeof project | typeof file | typeof session | typeof document) {
  return { target, comprehensive: false, callbackUrl };
}

test('special characters in the id of an item are encoded', async () => {
  const { client, requests } = await clientOf(() => ({ json: created }));
  await create(client, file);
  expect(requests[0]?.form.ProjectItemId).toBe('i 1/ü');
});

test('a remote subscription with only its id is read', async () => {
  const { client } = await clientOf(() => ({ json: { SubscriptionId: 4711, Status: {}, Key: 5 } }));
  expect(await create(client)).toEqual({
    id: '4711',
    endpointId: null,
    resource: null,
    primeId: null,
    source: null,
    status: null,
    callbackUrl: null,
    key: null,
  });
});

test('JSON is read whatever its content type says, and after a byte order mark', async () => {
  const { client } = await clientOf(() => ({
    headers: { 'content-type': 'text/html' },
    body: `\ufeff${JSON.stringify(created)}`,
  }));
  expect((await create(client)).id).toBe('4711');
});

test.each([
  ['nothing', ''],
  ['HTML', '<html>it worked</html>'],
  ['half of a subscription', '{"$id":"1","Subscr'],
  ['a subscription without an id', '{"Status":"Active"}'],
  ['null', 'null'],
  ['a list', '{"Subscriptions":[]}'],
  ['an invalid id', '{"SubscriptionId":"4711/../1"}'],
])('a create answered 200 with %s is unreadable, and the log says so', async (_, body) => {
  const { client } = await clientOf(() => ({ body }));
  const failure = await failureOf(create(client));
  expect(failure).toMatchObject({ kind: 'unreadable', status: 200 });
  expect(failure.forLog).toContain('project 123-456-789');
});

test('a remembered spelling is dropped again when the service changes its mind', async () => {
  let taken = 'File';
  const { client, requests } = await clientOf(({ form }) =>
    form.ItemType === taken ? { json: created } : { status: 400 },
  );
  await create(client, file);
  taken = 'file';
  await create(client, file);
  await create(client, file);
  expect(requests.map(({ form }) => form.ItemType)).toEqual(['file', 'File', 'File', 'file', 'file']);
});

test('an item rejected in both spellings reports the first error, and nothing is remembered', async () => {
  const { client, requests } = await clientOf((_, nth) => ({
    status: 400,
    headers: { 'content-type': 'text/plain' },
    body: nth === 1 ? 'No such item' : 'What is a File?',
  }));
  const failure = await failureOf(create(client, file));
  expect(failure).toMatchObject({ kind: 'invalid', status: 400 });
  expect(failure.forPerson).toContain('No such item');
  await failureOf(create(client, file));
  expect(requests.map(({ form }) => form.ItemType)).toEqual(['file', 'File', 'file', 'File']);
});

test('if the second spelling gives a more specific error, that is reported', async () => {
  const { client } = await clientOf(({ form }) => ({ status: form.ItemType === 'File' ? 403 : 400 }));
  expect(await failureOf(create(client, file))).toMatchObject({ kind: 'forbidden' });
});

test.each([project, session])(
  'a rejected $kind is not retried, because it has no other spelling',
  async (target) => {
    const { client, requests } = await clientOf(() => ({ status: 400 }));
    await failureOf(create(client, target));
    expect(requests).toHaveLength(1);
  },
);

test.each([
  [400, 'invalid'],
  [401, 'unauthorized'],
  [403, 'forbidden'],
  [404, 'not-found'],
  [405, 'invalid'],
  [408, 'unavailable'],
  [409, 'conflict'],
  [410, 'not-found'],
  [415, 'invalid'],
  [422, 'invalid'],
  [429, 'rate-limited'],
  [500, 'unavailable'],
  [502, 'unavailable'],
  [503, 'unavailable'],
  [599, 'unavailable'],
  [304, 'unreadable'],
])('an answer %d is %s, explained in words, and not retried', async (status, kind) => {
  const { client, requests } = await clientOf(() => ({ status }), { serviceName: 'PlanHouse' });
  const failure = await failureOf(client.getSubscription(token, '4711'));
  expect(failure).toMatchObject({ kind, status, retryAfterSeconds: null });
  expect(failure.forPerson).toMatch(/^[A-Z].*PlanHouse.*\.$/);
  expect(failure.forLog).toBe(
    `get subscription 4711: answered ${status} (${kind}${kind === 'forbidden' ? '; scopes asked for: full_user, jobs' : ''})`,
  );
  expect(failure.message).toBe(failure.forLog);
  expect(requests).toHaveLength(1);
});

test.each([
  ['120', 120],
  [' 0 ', 0],
  ['99999999', 86_400],
  ['Fri, 20 Nov 2026 12:00:30 GMT', 30],
  ['Fri, 20 Nov 2026 11:00:00 GMT', 0],
  ['-5', null],
  ['1.5', null],
  ['soon', null],
  ['', null],
])('Retry-After: %s is %s seconds', async (value, seconds) => {
  const headers = { 'retry-after': value, date: 'Fri, 20 Nov 2026 12:00:00 GMT' };
  const { client } = await clientOf(() => ({ status: 429, headers }));
  expect((await failureOf(create(client))).retryAfterSeconds).toBe(seconds);
});

test('a wait that the service asks for is explained in words', async () => {
  const { client } = await clientOf(() => ({ status: 503, headers: { 'retry-after': '90' } }));
  expect((await failureOf(create(client))).forPerson).toContain('in 90 seconds');
});

test('a short plain text from the service is passed on to the person', async () => {
  const { client } = await clientOf(() => ({
    status: 409,
    headers: { 'content-type': 'text/plain; charset=utf-8' },
    body: ' You already\r\n follow this. ',
  }));
  expect((await failureOf(create(client))).forPerson).toMatch(/It said: “You already follow this\.”$/);
});

test.each([
  ['HTML', 'text/html', '<h1>Conflict</h1>'],
  ['HTML declared as text', 'text/plain', '<h1>Conflict</h1>'],
  ['JSON', 'application/json', '{"Message":"Conflict"}'],
  ['JSON declared as text', 'text/plain', '{"Message":"Conflict"}'],
  ['long text', 'text/plain', 'Conflict '.repeat(30)],
  ['text with hidden characters', 'text/plain', 'Con\u202eflict'],
  ['text with a URL', 'text/plain', 'See https://evil.example'],
  ['text that repeats the callback URL', 'text/plain', 'Not a token: callback-token-that-must-not-be-shown'],
  ['text that repeats the access token', 'text/plain', `Bad ${token}`],
  ['a number', 'text/plain', '12345'],
])('%s from the service is not passed on', async (_, type, body) => {
  const { client } = await clientOf(() => ({ status: 409, headers: { 'content-type': type }, body }));
  expect((await failureOf(create(client))).forPerson).not.toContain('It said');
});

test('a redirect is not followed, so no token goes elsewhere', async () => {
  const elsewhere = await startStub(() => ({ json: created }));
  const { client, requests } = await clientOf(() => ({ status: 307, headers: { location: elsewhere.url } }));
  expect(await failureOf(create(client))).toMatchObject({ kind: 'unreadable', status: 307 });
  expect(requests).toHaveLength(1);
  expect(elsewhere.requests).toEqual([]);
});

test.each(['never', 'stall'] as const)('a service that %s answers to the end times out', async (answer) => {
  const { client, requests } = await clientOf(() => answer, { timeoutMs: 500 });
  const failure = await failureOf(create(client));
  expect(failure).toMatchObject({ kind: 'unavailable', status: null });
  expect(failure.forLog).toContain('TimeoutError');
  expect(requests).toHaveLength(1);
});

test('a broken connection is not retried by the client', async () => {
  const { client, requests } = await clientOf(() => 'reset');
  const failure = await failureOf(client.getSubscription(token, '1'));
  expect(failure).toMatchObject({ kind: 'unavailable', status: null });
  expect(requests).toHaveLength(1);
});

test('an unreachable service is unavailable, and the log says why', async () => {
  const client = makeServiceClient({ baseUrl: `http://127.0.0.1:${await freePort()}/v1`, scopes: [] });
  const failure = await failureOf(client.listSubscriptions(token));
  expect(failure).toMatchObject({ kind: 'unavailable', status: null });
  expect(failure.forLog).toBe('list notifications/subscriptions: no answer, ECONNREFUSED (unavailable)');
});

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}

test('an endless answer does not fill the memory', async () => {
  const body = `${JSON.stringify(created)}${' '.repeat(11 * 1024 * 1024)}`;
  // A busy machine takes seconds to send this much.
  const { client } = await clientOf(() => ({ body }), { timeoutMs: 30_000 });
  expect(await failureOf(create(client))).toMatchObject({ kind: 'unreadable' });
});

test('an access token that does not fit into a header does not crash the process, and is not shown', async () => {
  const { client } = await clientOf(() => ({ json: created }));
  const broken = 'broken\ntoken-that-must-not-be-shown';
  expect((await failureOf(client.getSubscription(broken, '1'))).kind).toBe('unavailable');
});

function lists(plain: unknown, comprehensive: StubAnswer) {
  return ({ path }: StubRequest): StubAnswer =>
    path.endsWith('/comprehensive') ? comprehensive : { json: plain };
}

function listOf(...ids: number[]) {
  return {
    $id: '1',
    Subscriptions: ids.map((id) => ({ ...record, SubscriptionId: id })),
    TotalCount: ids.length,
  };
}

test.each([
  ['an empty object', { json: {} }],
  ['something that is not JSON', { body: 'no' }],
  ['404', { status: 404 }],
  ['405', { status: 405 }],
  ['500', { status: 500 }],
  ['a broken connection', 'reset'],
  ['a single subscription', { json: record }],
] as const)(
  'a comprehensive list that answers %s is logged, and the plain one is used',
  async (_, answer) => {
    const logged: string[] = [];
    const log = {
      warn: (fields: object, message: string) => logged.push(`${message} ${JSON.stringify(fields)}`),
    };
    const { client } = await clientOf(lists(listOf(1), answer), { log });
    const subscriptions = await client.listSubscriptions(token);
    expect(subscriptions.map(({ id }) => id)).toEqual(['1']);
    expect(logged).toHaveLength(1);
    expect(logged.join()).not.toContain('that-must-not-be-shown');
  },
);

test.each([
  ['a bare array', [record]],
  ['$values', { $id: '1', $values: [record] }],
  ['Subscriptions in $values', { $id: '1', Subscriptions: { $id: '2', $values: [record] }, TotalCount: '1' }],
])('a list written as %s is read', async (_, json) => {
  const { client } = await clientOf(() => ({ json }));
  expect(await client.listSubscriptions(token)).toEqual([readRecord]);
});

test.each([
  ['says there are more', { Subscriptions: [record], TotalCount: 2 }],
  ['contains an entry that is not a subscription', { Subscriptions: [record, { $ref: '1' }] }],
])('a list that %s is read as far as it goes', async (_, json) => {
  const { client } = await clientOf(() => ({ json }));
  expect(await client.listSubscriptions(token)).toEqual([readRecord]);
});

test('an empty list is an empty list, also written as null', async () => {
  const { client } = await clientOf(() => ({ json: { Subscriptions: null, TotalCount: 0 } }));
  expect(await client.listSubscriptions(token)).toEqual([]);
});

test.each([401, 429])('a comprehensive list that answers %d stops the caller', async (status) => {
  const { client } = await clientOf(lists(listOf(1), { status }));
  expect((await failureOf(client.listSubscriptions(token))).status).toBe(status);
});

test('a plain list that cannot be read is a failure, not an empty list', async () => {
  const { client } = await clientOf(() => ({ json: {} }));
  expect((await failureOf(client.listSubscriptions(token))).kind).toBe('unreadable');
});

test('one subscription is requested by its id, and a key in the answer is dropped', async () => {
  const { client, requests } = await clientOf(() => ({ json: created }));
  expect(await client.getSubscription(token, '4711')).toEqual(readRecord);
  expect(requests[0]).toMatchObject({ method: 'GET', path: '/v1/notifications/subscriptions/4711' });
});

test.each([401, 403, 500])('a delete answered %d did not happen', async (status) => {
  const { client } = await clientOf(() => ({ status }));
  expect((await failureOf(client.deleteSubscription(token, '4711'))).status).toBe(status);
});
