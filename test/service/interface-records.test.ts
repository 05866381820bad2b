import { describe, expect, test } from 'vitest';
import { makeServiceClient } from '../../src/service/client.ts';
import { dana, sidesOf, startPractice } from './practice.ts';
import { startStub } from './stub-server.ts';

/** Returns the raw answer of the service, to compare what was read with what was sent. */
async function sentBy(service: { baseUrl: string; accessToken: (user: string) => string }, path: string) {
  const answer = await fetch(`${service.baseUrl}/notifications/subscriptions${path}`, {
    headers: { authorization: `Bearer ${service.accessToken(dana)}` },
  });
  return (await answer.json()) as object;
}

describe('Subscription record', () => {
  test.each(sidesOf('unknownFields'))('$id: ignored, like unknown fields (%o)', async (side) => {
    const { service, client, subscribe, targets } = await startPractice(side);
    const { id } = await subscribe(targets.project);
    expect(await sentBy(service, `/${id}`)).toHaveProperty('$id');
    const record = await client.getSubscription(service.accessToken(dana), id);
    expect(new Set(Object.keys(record))).toEqual(
      new Set(['callbackUrl', 'endpointId', 'id', 'primeId', 'resource', 'source', 'status']),
    );
  });

  test.each(sidesOf('numbers'))('EndpointId: a decimal (%o)', async (side) => {
    const { service, subscribe, targets } = await startPractice(side);
    const { id, endpointId } = await subscribe(targets.project);
    expect(endpointId).toBe(String(service.subscriptions.byId(Number(id))?.endpointId));
  });

  test.each([...sidesOf('resourceIds'), ...sidesOf('resourceEnd')])(
    'Resource: the path of the resource, its id hyphenated (%o)',
    async (side) => {
      const { subscribe, targets } = await startPractice(side);
      const { resource, primeId } = await subscribe(targets.project);
      expect(resource).toMatch(/^\/Primes\/4021\/Projects\/412-873-550\/?$/);
      expect(primeId).toBe('4021');
    },
  );

  test.each(sidesOf('recordSource'))('Source: kept as text (%o)', async (side) => {
    const { subscribe, targets } = await startPractice(side);
    expect((await subscribe(targets.project)).source).toMatch(/^(Collaboration|2)$/);
  });

  test.each(sidesOf('recordStatus'))('Status: kept as it is (%o)', async (side) => {
    const { subscribe, targets } = await startPractice(side);
    expect((await subscribe(targets.project)).status).toBe(side.recordStatus);
  });

  test.each([...sidesOf('subscriptionIds'), ...sidesOf('numbers')])(
    'SubscriptionId: reads and deletes the subscription (%o)',
    async (side) => {
      const { service, client, subscribe, targets } = await startPractice(side);
      const token = service.accessToken(dana);
      const { id } = await subscribe(targets.project);
      expect(id).toMatch(/^[0-9]+$/);
      expect((await client.getSubscription(token, id)).id).toBe(id);
      expect(await client.deleteSubscription(token, id)).toBe('deleted');
      expect(service.subscriptions.all()).toEqual([]);
    },
  );

  test('Uri: the callback URL that was given', async () => {
    const { subscribe, targets, callbackUrl } = await startPractice();
    expect((await subscribe(targets.project)).callbackUrl).toBe(callbackUrl);
  });

  test.each(sidesOf('keyCase'))('Key: only in the answer to a create (%o)', async (side) => {
    const { service, client, subscribe, targets } = await startPractice(side);
    const { id, key } = await subscribe(targets.project);
    expect(key).toBe(service.subscriptions.byId(Number(id))?.key);
    expect(key).toMatch(/^[0-9a-f]{64}$/i);
    expect(await client.getSubscription(service.accessToken(dana), id)).not.toHaveProperty('key');
  });
});

describe('Subscription list response', () => {
  test('$id: ignored', async () => {
    const { service, client } = await startPractice();
    expect(await sentBy(service, '')).toHaveProperty('$id');
    expect(await client.listSubscriptions(service.accessToken(dana))).toEqual([]);
  });

  test.each(sidesOf('plainListHolds'))(
    'Subscriptions: plain and comprehensive ones, each once, without keys (%o)',
    async (side) => {
      const { service, client, subscribe, targets } = await startPractice(side);
      const made = [await subscribe(targets.project), await subscribe(targets.session, true)];
      const subscriptions = await client.listSubscriptions(service.accessToken(dana));
      const expected = made.map(({ key: _, ...record }) => record);
      expect(subscriptions.toSorted((one, other) => Number(one.id) - Number(other.id))).toEqual(expected);
    },
  );

  test.each(sidesOf('numbers'))(
    'TotalCount: ignored, since a missing subscription is found by its id (%o)',
    async (side) => {
      const { service, client, subscribe, targets } = await startPractice(side);
      const { id } = await subscribe(targets.project);
      const token = service.accessToken(dana);
      const TotalCount = side.numbers === 'as strings' ? '7' : 7;
      const short = { ...(await sentBy(service, '')), Subscriptions: [], TotalCount };
      service.faults.set({
        endpoint: 'list',
        kind: 'answer',
        status: 200,
        contentType: 'application/json',
        body: JSON.stringify(short),
      });
      expect(await client.listSubscriptions(token)).toEqual([]);
      expect((await client.getSubscription(token, id)).id).toBe(id);
    },
  );
});

describe('Resource path shapes', () => {
  test.each([...sidesOf('resourceIds'), ...sidesOf('resourceEnd')])('Project (%o)', async (side) => {
    const { subscribe, targets } = await startPractice(side);
    expect((await subscribe(targets.project)).resource).toMatch(/^\/Primes\/4021\/Projects\/412-873-550\/?$/);
  });

  test.each([...sidesOf('resourceIds'), ...sidesOf('resourceEnd')])('Project item (%o)', async (side) => {
    const { subscribe, targets } = await startPractice(side);
    const { resource } = await subscribe(targets.file);
    expect(resource?.replace(/\/$/, '')).toBe(
      `/Primes/4021/Projects/412-873-550/ProjectItems/${targets.file.itemId}`,
    );
  });

  test.each([...sidesOf('resourceIds'), ...sidesOf('resourceEnd')])('Session (%o)', async (side) => {
    const { subscribe, targets } = await startPractice(side);
    expect((await subscribe(targets.session)).resource).toMatch(/^\/Primes\/4021\/Sessions\/731-450-286\/?$/);
  });

  test.each([...sidesOf('resourceIds'), ...sidesOf('resourceEnd')])('Session document (%o)', async (side) => {
    const { subscribe, targets } = await startPractice(side);
    const { resource } = await subscribe(targets.document);
    expect(resource?.replace(/\/$/, '')).toBe(
      `/Primes/4021/Sessions/731-450-286/SessionDocuments/${targets.document.documentId}`,
    );
  });
});

describe('Identifiers', () => {
  test('ProjectId and SessionId: are sent as three groups joined by hyphens', async () => {
    const { service, subscribe, targets } = await startPractice({ requestIds: 'hyphens only' });
    await subscribe(targets.project);
    expect(service.log.of('request').at(-1)?.form.ProjectId).toBe('412-873-550');
    await subscribe(targets.session);
    expect(service.log.of('request').at(-1)?.form.SessionId).toBe('731-450-286');
  });

  test.each(sidesOf('itemIds'))(
    'ProjectItemId and SessionDocumentId: are sent as they are (%o)',
    async (side) => {
      const { service, subscribe, targets } = await startPractice(side);
      await subscribe(targets.file);
      expect(service.log.of('request').at(-1)?.form.ProjectItemId).toBe(targets.file.itemId);
      await subscribe(targets.document);
      expect(service.log.of('request').at(-1)?.form.SessionDocumentId).toBe(targets.document.documentId);
    },
  );
});

test('Versioning: the version segment is part of {base_url}', async () => {
  const { url, requests } = await startStub(() => ({ status: 204 }));
  for (const version of ['v1', 'v2/']) {
    await makeServiceClient({ baseUrl: `${url}/api/${version}`, scopes: [] }).deleteSubscription('t', '1');
  }
  expect(requests.map(({ path }) => path)).toEqual([
    '/api/v1/notifications/subscriptions/1',
    '/api/v2/notifications/subscriptions/1',
  ]);
});
