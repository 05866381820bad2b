import { afterAll, beforeAll, expect, test } from 'vitest';
import { dana, day, keyOf, type LinkWorld, mallory, startLinkWorld } from './link-world.ts';

let world: LinkWorld;

beforeAll(async () => {
  world = await startLinkWorld({ name: 'keep alive' });
});
afterAll(() => world.close());

test('I am away for ninety days: my link still works, and was refreshed two or three times', async () => {
  world.slack.profiles.set(keyOf(mallory), { name: 'sam', email: 'sam@example.com' });
  await world.link(dana, 'dana@example.com');
  world.clock.advance(5 * day);
  await world.link(mallory, 'sam@example.com');
  world.service.log.clear();

  const rounds: unknown[] = [];
  for (let passed = 0; passed < 90; passed++) {
    world.clock.advance(day);
    if (passed === 40) world.service.revoke('sam@example.com');
    const round = await world.linking.keepAlive();
    if (round.renewed + round.relink + round.failed > 0) rounds.push(round);
  }
  const renewed = world.service.log.of('token').filter(({ user }) => user === 'dana@example.com');
  expect(renewed.length).toBeGreaterThanOrEqual(2);
  expect(renewed.length).toBeLessThanOrEqual(3);
  const link = await world.links.of(dana);
  expect((await world.linking.accessTokenFor(link?.id ?? '')).outcome).toBe('token');

  // Mallory revoked the grant meanwhile and is asked to link again, once.
  expect(await world.links.of(mallory)).toMatchObject({ state: 'relink' });
  const asked = world.slack.messages.filter(({ message }) => message.text.includes('stopped working'));
  expect(asked.map(({ person }) => person)).toEqual([mallory]);
  expect(rounds).toContainEqual({ renewed: 0, relink: 1, failed: 0 });
});

test('the service is down on the day of a refresh: it is logged, and the refresh happens the next day', async () => {
  await world.reset();
  await world.link(dana, 'dana@example.com');
  world.clock.advance(30 * day);
  const fault = world.service.faults.set({ endpoint: 'token', kind: 'answer', status: 503 });
  expect(await world.linking.keepAlive()).toEqual({ renewed: 0, relink: 0, failed: 1 });
  expect(world.failures).toHaveLength(1);
  fault.remove();
  world.clock.advance(day);
  expect(await world.linking.keepAlive()).toEqual({ renewed: 1, relink: 0, failed: 0 });
  expect(await world.linking.keepAlive()).toEqual({ renewed: 0, relink: 0, failed: 0 });
});
