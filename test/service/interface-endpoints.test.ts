import { describe, expect, test } from 'vitest';
import { makeServiceClient } from '../../src/service/client.ts';
import { failureOf } from './failure-of.ts';
import { dana, type Practice, sam, sidesOf, startPractice } from './practice.ts';
import { startStub } from './stub-server.ts';

function lastRequest({ service }: Practice) {
  const request = service.log.of('request').at(-1);
  if (request === undefined) throw new Error('the service received no request');
  const { method, path, form, status } = request;
  return { method, path, form, status };
}

/** Returns the form fields of the creates so far, without Uri, which is always present. */
function forms({ service }: Practice) {
  return service.log.of('request').map(({ form: { Uri: _, ...fields } }) => fields);
}

const subscriptions = '/v1/notifications/subscriptions';

describe('Endpoints', () => {
  test('POST subscriptions: makes a plain subscription, Active', async () => {
    const practice = await startPractice();
    const created = await practice.subscribe(practice.targets.project);
    expect(lastRequest(practice)).toMatchObject({ method: 'POST', path: subscriptions });
    expect(practice.service.subscriptions.byId(Number(created.id))?.comprehensive).toBe(false);
    expect(created).toMatchObject({ status: 'Active', key: expect.any(String) });
  });

  test.each(sidesOf('listPrime'))('GET subscriptions: the plain ones of the person (%o)', async (side) => {
    const { service, client, subscribe, targets, callbackUrl } = await startPractice(side);
    const { id } = await subscribe(targets.project);
    const others = { target: targets.project, comprehensive: false, callbackUrl };
    await client.createSubscription(service.accessToken(sam), others);
    const listed = await client.listSubscriptions(service.accessToken(dana));
    expect(listed.map((record) => record.id)).toEqual([id]);
  });

  test('POST comprehensive: makes a comprehensive subscription with the same fields', async () => {
    const practice = await startPractice();
    const created = await practice.subscribe(practice.targets.session, true);
    expect(lastRequest(practice)).toEqual({
      method: 'POST',
      path: `${subscriptions}/comprehensive`,
      form: { ParentResourceType: 'Sessions', SessionId: '731-450-286', Uri: practice.callbackUrl },
      status: 200,
    });
    expect(practice.service.subscriptions.byId(Number(created.id))?.comprehensive).toBe(true);
  });

  test.each(sidesOf('comprehensiveList'))(
    'GET comprehensive: included if it can be read, and otherwise found by id (%o)',
    async (side) => {
      const { service, client, subscribe, targets } = await startPractice(side);
      const plain = await subscribe(targets.project);
      const whole = await subscribe(targets.session, true);
      const listed = await client.listSubscriptions(service.accessToken(dana));
      const isReadable = ['as the list', 'bare array', '$values'].includes(String(side.comprehensiveList));
      expect(listed.map(({ id }) => id).sort()).toEqual(isReadable ? [plain.id, whole.id] : [plain.id]);
      expect((await client.getSubscription(service.accessToken(dana), whole.id)).id).toBe(whole.id);
    },
  );

  test('GET subscription: one remote subscription without its key', async () => {
    const practice = await startPractice();
    const { key: _, ...record } = await practice.subscribe(practice.targets.document);
    expect(await practice.client.getSubscription(practice.service.accessToken(dana), record.id)).toEqual(
      record,
    );
    expect(lastRequest(practice)).toMatchObject({ method: 'GET', path: `${subscriptions}/${record.id}` });
  });

  test.each(sidesOf('goneStatus'))(
    'DELETE subscription: 204 is deleted, and a second one is gone (%o)',
    async (side) => {
      const practice = await startPractice(side);
      const { client, service } = practice;
      const token = service.accessToken(dana);
      const { id } = await practice.subscribe(practice.targets.project);
      expect(await client.deleteSubscription(token, id)).toBe('deleted');
      expect(lastRequest(practice)).toMatchObject({
        method: 'DELETE',
        path: `${subscriptions}/${id}`,
        status: 204,
      });
      expect(await client.deleteSubscription(token, id)).toBe('gone');
      expect((await failureOf(client.getSubscription(token, id))).kind).toBe('not-found');
    },
  );

  test('GET authorize: takes the person to the page and back', async () => {
    const { authorize } = await startPractice();
    const { url, callback } = await authorize();
    expect(url.pathname).toBe('/auth/oauth/authorize');
    expect(callback.kind).toBe('code');
  });

  test('POST token: exchanges codes and refresh tokens', async () => {
    const practice = await startPractice();
    await failureOf(practice.oauth.refresh('unknown'));
    expect(lastRequest(practice)).toMatchObject({ method: 'POST', path: '/auth/token' });
  });
});

describe('Form fields of the create requests', () => {
  const [none, project, session] = [undefined, '412-873-550', '731-450-286'];

  test.each<[string, (targets: Practice['targets']) => readonly (string | undefined)[]]>([
    [
      'ParentResourceType: the kind of resource',
      () => ['Projects', 'ProjectItems', 'ProjectItems', 'Sessions', 'SessionDocuments'],
    ],
    ['ProjectId: only with projects and their items', () => [project, project, project, none, none]],
    ['ItemType: only with project items', () => [none, 'folder', 'file', none, none]],
    [
      'ProjectItemId: only with project items',
      ({ folder, file }) => [none, folder.itemId, file.itemId, none, none],
    ],
    ['SessionId: only with sessions and their documents', () => [none, none, none, session, session]],
    [
      'SessionDocumentId: only with session documents',
      ({ document }) => [none, none, none, none, document.documentId],
    ],
  ])('%s', async (row, expected) => {
    const practice = await startPractice();
    for (const target of Object.values(practice.targets)) await practice.subscribe(target);
    const [field = ''] = row.split(':');
    expect(forms(practice).map((form) => form[field])).toEqual(expected(practice.targets));
  });

  test.each(sidesOf('callbackProbe'))('Uri: the callback URL, for every kind (%o)', async (side) => {
    const { service, subscribe, targets, callbackUrl } = await startPractice(side);
    for (const target of Object.values(targets)) await subscribe(target);
    expect(service.log.of('request').map(({ form }) => form.Uri)).toEqual(Array(5).fill(callbackUrl));
  });
});

describe('Rules', () => {
  test.each([false, true])(
    '1: what a project subscription sends (comprehensive: %s)',
    async (comprehensive) => {
      const practice = await startPractice();
      await practice.subscribe(practice.targets.project, comprehensive);
      expect(forms(practice)).toEqual([{ ParentResourceType: 'Projects', ProjectId: '412-873-550' }]);
    },
  );

  test.each(['folder', 'file'] as const)('2: what a subscription to a %s sends', async (kind) => {
    const practice = await startPractice();
    const { itemId } = practice.targets[kind];
    await practice.subscribe(practice.targets[kind]);
    expect(forms(practice)).toEqual([
      { ParentResourceType: 'ProjectItems', ProjectId: '412-873-550', ItemType: kind, ProjectItemId: itemId },
    ]);
  });

  test.each([false, true])(
    '3: what a session subscription sends (comprehensive: %s)',
    async (comprehensive) => {
      const practice = await startPractice();
      await practice.subscribe(practice.targets.session, comprehensive);
      expect(forms(practice)).toEqual([{ ParentResourceType: 'Sessions', SessionId: '731-450-286' }]);
    },
  );

  test.each(
    sidesOf('documentParentType').flatMap((side) =>
      sidesOf('invalidStatus').map((other) => ({ ...side, ...other })),
    ),
  )(
    '4: a session document works with either ParentResourceType, the other one tried once (%o)',
    async (side) => {
      const practice = await startPractice(side);
      const { document } = practice.targets;
      const { resource } = await practice.subscribe(document);
      await practice.subscribe(document);
      expect(resource).toContain(`/SessionDocuments/${document.documentId}`);
      const tried = forms(practice).map(({ ParentResourceType }) => ParentResourceType);
      const needsOther = side.documentParentType === 'Sessions';
      expect(tried).toEqual(
        needsOther ? ['SessionDocuments', 'Sessions', 'Sessions'] : ['SessionDocuments', 'SessionDocuments'],
      );
    },
  );

  test.each(
    sidesOf('requestItemType').flatMap((side) =>
      sidesOf('invalidStatus').map((other) => ({ ...side, ...other })),
    ),
  )('5: an item works with either letter case of ItemType, the other one tried once (%o)', async (side) => {
    const practice = await startPractice(side);
    await practice.subscribe(practice.targets.file);
    await practice.subscribe(practice.targets.folder);
    const tried = forms(practice).map(({ ItemType }) => ItemType);
    expect(tried).toEqual(
      side.requestItemType === 'capitalized' ? ['file', 'File', 'Folder'] : ['file', 'folder'],
    );
  });

  test.each(sidesOf('listings'))('6: ids are typed, so list endpoints are never asked (%o)', async (side) => {
    const { service, subscribe, targets } = await startPractice(side);
    for (const target of Object.values(targets)) await subscribe(target);
    const asked = service.log.of('request').map(({ endpoint }) => endpoint);
    expect(asked.filter((endpoint) => endpoint === 'listing')).toEqual([]);
  });

  test.each(sidesOf('createStatus'))(
    '7: any success with a subscription in it is a success (%o)',
    async (side) => {
      const { subscribe, targets } = await startPractice(side);
      expect(await subscribe(targets.session, true)).toMatchObject({
        status: 'Active',
        key: expect.any(String),
      });
    },
  );

  test.each(sidesOf('listPrime'))('8: no workspace is sent; it is read from Resource (%o)', async (side) => {
    const practice = await startPractice(side);
    const elsewhere = { kind: 'project', projectId: '660-118-342' } as const;
    expect((await practice.subscribe(practice.targets.project)).primeId).toBe('4021');
    expect((await practice.subscribe(elsewhere)).primeId).toBe('5177');
    expect(Object.keys(forms(practice)[1] ?? {})).toEqual(['ParentResourceType', 'ProjectId']);
  });
});

describe('States and transitions', () => {
  test('Subscription, create: Active, with its Key', async () => {
    const { subscribe, targets } = await startPractice();
    expect(await subscribe(targets.project)).toMatchObject({ status: 'Active', key: expect.any(String) });
  });

  test('Subscription, DELETE: removed', async () => {
    const { service, client, subscribe, targets } = await startPractice();
    const { id } = await subscribe(targets.project);
    await client.deleteSubscription(service.accessToken(dana), id);
    expect(service.log.of('subscription').map(({ change }) => change)).toEqual(['created', 'removed']);
  });

  test('Session, finalize: an Update of the session', async () => {
    const { service, subscribe, targets, notified } = await startPractice();
    await subscribe(targets.session);
    service.act(dana, { action: 'finalize-session', session: targets.session.sessionId });
    expect(await notified()).toMatchObject([{ resourceType: 'Sessions', eventType: 'Update' }]);
  });
});

describe('Who may do what', () => {
  test('a request without a valid access token is unauthorized', async () => {
    const { client } = await startPractice();
    expect(await failureOf(client.listSubscriptions('no-such-token'))).toMatchObject({
      kind: 'unauthorized',
      status: 401,
    });
  });

  test('only apps may create subscriptions: reported as forbidden', async () => {
    const { service, client, targets, callbackUrl } = await startPractice();
    const token = service.accessToken(dana, { app: false });
    const request = { target: targets.project, comprehensive: false, callbackUrl };
    expect((await failureOf(client.createSubscription(token, request))).kind).toBe('forbidden');
  });

  test.each(sidesOf('noPermissionStatus'))(
    'a resource the person may not read: reported, with read permission named to the person and scopes in the log (%o)',
    async (side) => {
      const { subscribe } = await startPractice(side);
      const failure = await failureOf(subscribe({ kind: 'session', sessionId: '845-902-113' }));
      expect(failure.kind).toBe(side.noPermissionStatus === 403 ? 'forbidden' : 'not-found');
      expect(failure.forPerson).toMatch(side.noPermissionStatus === 403 ? /read permission/ : /can’t see it/);
      expect(failure.forLog.includes('scopes asked for: full_user, jobs')).toBe(failure.kind === 'forbidden');
    },
  );

  test('a subscription is for one project or session', async () => {
    const practice = await startPractice();
    await practice.subscribe(practice.targets.project, true);
    await practice.subscribe({ kind: 'project', projectId: '538-204-917' }, true);
    expect(practice.service.subscriptions.all()).toHaveLength(2);
  });

  test.each(sidesOf('scopeNeeded'))(
    'the scope an endpoint needs: forbidden without it, and named (%o)',
    async (side) => {
      const practice = await startPractice(side, ['full_user']);
      const created = practice.subscribe(practice.targets.project);
      if (side.scopeNeeded !== 'jobs') return void (await created);
      expect((await failureOf(created)).forLog).toContain('scopes asked for: full_user');
    },
  );
});

describe('Errors', () => {
  test.each(sidesOf('errorBody'))('their bodies: shown only if short plain text (%o)', async (side) => {
    const { subscribe } = await startPractice({ ...side, unknownResourceStatus: 404 });
    const failure = await failureOf(subscribe({ kind: 'project', projectId: '999-999-999' }));
    expect(failure).toMatchObject({ kind: 'not-found', status: 404 });
    expect(failure.forPerson.includes('It said: “The resource was not found.”')).toBe(
      side.errorBody === 'text',
    );
  });

  test.each(sidesOf('unknownResourceStatus'))('a resource that does not exist (%o)', async (side) => {
    const { subscribe } = await startPractice(side);
    const failure = await failureOf(subscribe({ kind: 'project', projectId: '999-999-999' }));
    expect(failure.kind).toBe(side.unknownResourceStatus === 404 ? 'not-found' : 'invalid');
  });

  test.each(sidesOf('invalidStatus'))('a create that breaks a rule (%o)', async (side) => {
    const { service, client, targets } = await startPractice(side);
    const request = { target: targets.project, comprehensive: false, callbackUrl: 'not-an-address' };
    expect((await failureOf(client.createSubscription(service.accessToken(dana), request))).kind).toBe(
      'invalid',
    );
  });

  test.each(sidesOf('sameAgainStatus'))('the same subscription again (%o)', async (side) => {
    const { subscribe, targets } = await startPractice(side);
    await subscribe(targets.project);
    const again = subscribe(targets.project);
    if (side.sameAgainStatus === 'allowed') return void (await again);
    expect((await failureOf(again)).kind).toBe('conflict');
  });

  test.each(sidesOf('othersSubscriptionStatus'))("another person's subscription (%o)", async (side) => {
    const { service, client, subscribe, targets } = await startPractice(side);
    const { id } = await subscribe(targets.project);
    const failure = await failureOf(client.getSubscription(service.accessToken(sam), id));
    expect(failure.kind).toBe(side.othersSubscriptionStatus === 403 ? 'forbidden' : 'not-found');
  });

  test.each(sidesOf('challenge'))('an access token that is over is unauthorized (%o)', async (side) => {
    const { service, client } = await startPractice(side);
    const token = service.accessToken(dana);
    service.clock.advance(60 * 60_000);
    expect((await failureOf(client.listSubscriptions(token))).kind).toBe('unauthorized');
  });

  test.each([
    [403, 'forbidden'],
    [404, 'not-found'],
    [409, 'conflict'],
    [429, 'rate-limited'],
    [500, 'unavailable'],
    [503, 'unavailable'],
  ])('%d of any endpoint is %s, with the wait it asks for', async (status, kind) => {
    const { service, client, subscribe, targets } = await startPractice();
    service.faults.set({ endpoint: 'every', kind: 'answer', status, retryAfter: 30 });
    const token = service.accessToken(dana);
    const asked = [
      () => subscribe(targets.project),
      () => client.listSubscriptions(token),
      () => client.getSubscription(token, '1'),
    ];
    for (const ask of asked) {
      expect(await failureOf(ask())).toMatchObject({ kind, status, retryAfterSeconds: 30 });
    }
  });

  test.each(['create', 'list', 'get'] as const)('half an answer of %s is unreadable', async (endpoint) => {
    const { service, client, subscribe, targets } = await startPractice();
    const { id } = await subscribe(targets.project);
    service.faults.set({ endpoint, kind: 'invalid JSON' });
    const token = service.accessToken(dana);
    const asked = {
      create: () => subscribe(targets.session),
      list: () => client.listSubscriptions(token),
      get: () => client.getSubscription(token, id),
    };
    expect((await failureOf(asked[endpoint]())).kind).toBe('unreadable');
  });

  test('a connection that breaks after a create leaves one subscription, not two', async () => {
    const { service, subscribe, targets } = await startPractice();
    service.faults.set({ endpoint: 'create', kind: 'reset', committed: true });
    expect(await failureOf(subscribe(targets.project))).toMatchObject({ kind: 'unavailable', status: null });
    expect(service.subscriptions.all()).toHaveLength(1);
  });
});

describe('Limits', () => {
  test('requests a minute: 429 with the wait the service asks for', async () => {
    const { service, client } = await startPractice({ requestsPerMinute: 2 });
    const token = service.accessToken(dana);
    await client.listSubscriptions(token);
    const failure = await failureOf(client.listSubscriptions(token));
    expect(failure.kind).toBe('rate-limited');
    expect(failure.retryAfterSeconds).toBeGreaterThan(50);
  });

  test.each(sidesOf('concurrentCreates'))(
    'two creates at once, also where the service allows one: they follow each other, and both are made (%o)',
    async (side) => {
      const { service, client, targets, callbackUrl } = await startPractice(side);
      const token = service.accessToken(dana);
      const both = await Promise.allSettled(
        [targets.project, targets.session].map((target) =>
          client.createSubscription(token, { target, comprehensive: false, callbackUrl }),
        ),
      );
      expect(both.map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled']);
      expect(service.subscriptions.all()).toHaveLength(2);
    },
  );

  test.each([0, 1])(
    'most subscriptions of a person: more are forbidden, in words (maximum %d)',
    async (most) => {
      const { subscribe, targets } = await startPractice({ subscriptionMaximum: most, errorBody: 'text' });
      await subscribe(targets.project);
      const second = subscribe(targets.session);
      if (most === 0) return void (await second);
      expect((await failureOf(second)).forPerson).toContain('You may have 1 subscriptions.');
    },
  );

  test('ProjectId and SessionId: nine digits are sent, anything else is rejected by the service in words', async () => {
    const { subscribe } = await startPractice({ errorBody: 'text' });
    const failure = await failureOf(subscribe({ kind: 'project', projectId: '12-34' }));
    expect(failure.kind).toBe('invalid');
    expect(failure.forPerson).toContain('three groups of three digits');
  });

  test('a service that hangs times out, and no request is repeated', async () => {
    const { url, requests } = await startStub(() => 'never');
    const client = makeServiceClient({ baseUrl: url, scopes: [], timeoutMs: 1_000 });
    expect((await failureOf(client.listSubscriptions('t'))).kind).toBe('unavailable');
    expect(requests).toHaveLength(1);
  });
});
