import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { linkDirectly } from '../../support/link-directly.ts';
import { day, type Linking, setUpLinking } from '../../support/linking.ts';

let world: Linking;

beforeAll(async () => {
  world = await setUpLinking({ name: 'keep alive' });
});
beforeEach(() => world.reset());
afterAll(() => world.stage.close());

test('I am away for ninety days, and the service is down on one of them: my link still works', async () => {
  const [dana, sam] = [world.dana, world.newPerson('sam')];
  await linkDirectly(world.core, dana, 'dana@example.com');
  world.advance(5 * day);
  await linkDirectly(world.core, sam, 'sam@example.com');

  for (let passed = 0; passed < 90; passed++) {
    world.advance(day);
    if (passed === 40) world.service.revoke('sam@example.com');
    const isDown = passed === 60;
    const fault = isDown
      ? world.service.faults.set({ endpoint: 'token', kind: 'answer', status: 503 })
      : null;
    await world.stage.checkLinks();
    fault?.remove();
  }
  const link = await world.links.of(dana);
  expect((await world.linking.accessTokenFor(link?.id ?? '')).outcome).toBe('token');

  // Sam revoked the grant meanwhile and is asked to link again, once.
  expect(await world.links.of(sam)).toMatchObject({ state: 'relink' });
  expect(await world.relinkRequests(dana)).toEqual([]);
  expect(await world.relinkRequests(sam)).toHaveLength(1);
});
