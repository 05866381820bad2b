import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { codeOn, dana, type LinkWorld, mallory, startLinkWorld } from './link-world.ts';

let world: LinkWorld;

beforeAll(async () => {
  world = await startLinkWorld({ name: 'unlink' });
});
beforeEach(async () => {
  await world.reset();
  world.hooks.releaseSubscriptions = async (link) => void world.released.push(link);
});
afterAll(() => world.close());

test('I unlink: my subscriptions are ended while there are still tokens, and then the tokens are deleted', async () => {
  await world.link(dana, 'dana@example.com');
  await world.link(mallory, 'sam@example.com');
  let tokensWhenReleased = 0;
  world.hooks.releaseSubscriptions = async (link) => {
    tokensWhenReleased = (await world.stored()).tokens;
    expect((await world.linking.accessTokenFor(link.id)).outcome).toBe('token');
  };
  expect(await world.linking.unlink(dana)).toEqual({ outcome: 'unlinked' });
  expect(tokensWhenReleased).toBe(4);
  // The two remaining tokens wait for Mallory's code.
  expect(await world.stored()).toEqual({ links: 0, tokens: 2 });
  expect(await world.linking.unlink(dana)).toEqual({ outcome: 'not-linked' });
});

test('I unlink while the service is down: my tokens are deleted anyway, and the failure is logged', async () => {
  await world.link(dana, 'dana@example.com');
  world.hooks.releaseSubscriptions = () => Promise.reject(new Error('the service does not answer'));
  expect(await world.linking.unlink(dana)).toMatchObject({ outcome: 'unlinked' });
  expect(await world.stored()).toEqual({ links: 0, tokens: 0 });
  expect(world.failures.map(({ what }) => what)).toEqual([
    'end the subscriptions of a link that is being removed',
  ]);
});

test('the service never answers: my tokens are deleted when the time is up', async () => {
  await world.link(dana, 'dana@example.com');
  const limit = new AbortController();
  world.hooks.releaseSubscriptions = () => {
    limit.abort();
    return new Promise(() => undefined);
  };
  expect(await world.linking.unlink(dana, { signal: limit.signal })).toMatchObject({ outcome: 'unlinked' });
  expect(await world.stored()).toEqual({ links: 0, tokens: 0 });
});

test('I unlink while tokens wait for my code: those are deleted too, and the code no longer works', async () => {
  const code = codeOn(await world.link(dana, 'sam@example.com'));
  expect(await world.linking.unlink(dana)).toEqual({ outcome: 'not-linked' });
  expect(await world.stored()).toEqual({ links: 0, tokens: 0 });
  expect(await world.linking.enterCode({ person: dana, code })).toMatchObject({ outcome: 'refused' });
});

test('I unlink while my tokens are being refreshed: neither the old nor the new ones are left', async () => {
  await world.link(dana, 'dana@example.com');
  const link = await world.links.of(dana);
  world.clock.advance(56 * 60_000);
  const fault = world.service.faults.set({ endpoint: 'token:refresh_token', kind: 'delay', ms: 200 });
  const token = world.linking.accessTokenFor(link?.id ?? '');
  await expect.poll(() => fault.hits()).toBe(1);
  expect(await world.linking.unlink(dana)).toMatchObject({ outcome: 'unlinked' });
  expect((await token).outcome).toBe('token');
  expect(await world.stored()).toEqual({ links: 0, tokens: 0 });
  expect(await world.linking.accessTokenFor(link?.id ?? '')).toEqual({ outcome: 'relink' });
});
