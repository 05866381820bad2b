import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { linkDirectly } from '../../support/link-directly.ts';
import { day, type Linking, setUpLinking } from '../../support/linking.ts';

let world: Linking;

beforeAll(async () => {
  world = await setUpLinking({ name: 'keep alive' });
});
beforeEach(() => world.reset());
afterAll(() => world.stage.close());

test('I am away for ninety days: my link still works, and was refreshed two or three times', async () => {
  const [dana, sam] = [world.dana, world.newPerson('sam')];
  await linkDirectly(world.core, dana, 'dana@example.com');
  world.advance(5 * day);
  await linkDirectly(world.core, sam, 'sam@example.com');
  world.service.log.clear();

  let [relinks, failures] = [0, 0];
  for (let passed = 0; passed < 90; passed++) {
    world.advance(day);
    if (passed === 40) world.service.revoke('sam@example.com');
    const round = await world.linking.keepAlive();
    relinks += round.relink;
    failures += round.failed;
  }
  const renewed = world.service.log.of('token').filter(({ user }) => user === 'dana@example.com');
  expect(renewed.length).toBeGreaterThanOrEqual(2);
  expect(renewed.length).toBeLessThanOrEqual(3);
  const link = await world.links.of(dana);
  expect((await world.linking.accessTokenFor(link?.id ?? '')).outcome).toBe('token');

  // Sam revoked the grant meanwhile and is asked to link again, once.
  expect(await world.links.of(sam)).toMatchObject({ state: 'relink' });
  expect(await world.relinkRequests(dana)).toEqual([]);
  expect(await world.relinkRequests(sam)).toHaveLength(1);
  expect([relinks, failures]).toEqual([1, 0]);
});

test('the service is down on the day of a refresh: it is logged, and the refresh happens the next day', async () => {
  await linkDirectly(world.core, world.dana, 'dana@example.com');
  world.advance(30 * day);
  const fault = world.service.faults.set({ endpoint: 'token', kind: 'answer', status: 503 });
  expect(await world.linking.keepAlive()).toEqual({ renewed: 0, relink: 0, failed: 1 });
  expect(world.failures()).toEqual(['renew the tokens of a link that was not used for long']);
  fault.remove();
  world.advance(day);
  expect(await world.linking.keepAlive()).toEqual({ renewed: 1, relink: 0, failed: 0 });
  expect(await world.linking.keepAlive()).toEqual({ renewed: 0, relink: 0, failed: 0 });
});
