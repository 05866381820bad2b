import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import type { User } from '../../../sandbox/slack/directory.ts';
import { linkDirectly } from '../../support/link-directly.ts';
import { codeOn, type Linking, minute, setUpLinking } from '../../support/linking.ts';

let world: Linking;

beforeAll(async () => {
  world = await setUpLinking({ name: 'unlink' });
});
beforeEach(() => world.reset());
afterAll(() => world.stage.close());

/** Links Dana, who then follows a project in a channel. Returns a function that counts what is left of that at the service. */
async function danaFollows(): Promise<() => number> {
  const { slack, service, stage } = world;
  await world.link(world.dana, 'dana@example.com');
  const remotes = () => service.subscriptions.ofUser('dana@example.com').map(({ id }) => id);
  const before = remotes();
  const dana = slack.users.get(world.dana.userId) as User;
  const channel = slack.addChannel({ members: [dana] });
  await stage.type(dana, '/subscribe project 412-873-550', channel);
  await slack.waitForMessage(channel, 'to this channel');
  return () => remotes().filter((id) => !before.includes(id)).length;
}

test('I unlink: my subscriptions are ended while there are still tokens, and then the tokens are deleted', async () => {
  const remotes = await danaFollows();
  await world.link(world.mallory, 'sam@example.com');
  expect(remotes()).toBe(1);
  expect(await world.linking.unlink(world.dana)).toBe(true);
  // The service deletes only what comes with a token that it takes.
  expect(remotes()).toBe(0);
  // The two remaining tokens wait for Mallory's code.
  expect(await world.stored()).toEqual({ links: 0, tokens: 2 });
  expect(await world.linking.unlink(world.dana)).toBe(false);
});

test('I unlink while the service is down: it is tried again for some minutes, then my tokens are deleted anyway, and the log says so', async () => {
  const remotes = await danaFollows();
  const fault = world.service.faults.set({ endpoint: 'delete', kind: 'answer', status: 503 });
  expect(await world.linking.unlink(world.dana)).toBe(true);
  expect(await world.links.of(world.dana)).toBeNull();
  for (let minutes = 0; minutes < 5; minutes++) {
    world.advance(minute);
    await world.stage.bot.runChore('unlinkings');
  }

  expect(remotes()).toBe(1);
  expect(await world.stored()).toEqual({ links: 0, tokens: 0 });
  // At once, and for three minutes; the tokens are used for nothing when they are deleted.
  expect(fault.hits()).toBe(4);
  fault.remove();
});

test('I unlink while the service keeps each call waiting: once the minutes are over, nothing more is asked, and my tokens are deleted', async () => {
  const remotes = await danaFollows();
  const { slack, service, stage } = world;
  const dana = slack.users.get(world.dana.userId) as User;
  const channel = slack.addChannel({ members: [dana] });
  await stage.type(dana, '/subscribe session 731-450-286', channel);
  await slack.waitForMessage(channel, 'to this channel');
  expect(remotes()).toBe(2);
  const fault = service.faults.set({ endpoint: 'delete', kind: 'delay', ms: 300 });
  const unlinking = world.linking.unlink(world.dana);
  await expect.poll(() => fault.hits()).toBe(1);
  world.advance(4 * minute);
  expect(await unlinking).toBe(true);
  fault.remove();

  expect(fault.hits()).toBe(1);
  expect(remotes()).toBe(1);
  expect(await world.stored()).toEqual({ links: 0, tokens: 0 });
  expect(
    world.logged.filter((line) => line.includes('a remote subscription stays at the service')),
  ).not.toEqual([]);
});

test('I unlink while the service is down, and link again: what was made before is deleted once it is back, and nothing else', async () => {
  const remotes = await danaFollows();
  const fault = world.service.faults.set({ endpoint: 'delete', kind: 'answer', status: 503 });
  await world.linking.unlink(world.dana);
  fault.remove();
  await world.link(world.dana, 'dana@example.com');
  world.advance(minute);
  await world.stage.bot.runChore('unlinkings');

  await expect.poll(remotes).toBe(1);
  expect(await world.stored()).toEqual({ links: 1, tokens: 2 });
});

test('I unlink while tokens wait for my code: those are deleted too, and the code no longer works', async () => {
  const code = codeOn(await world.link(world.dana, 'sam@example.com'));
  expect(await world.linking.unlink(world.dana)).toBe(false);
  expect(await world.stored()).toEqual({ links: 0, tokens: 0 });
  expect(await world.linking.enterCode({ person: world.dana, code })).toHaveProperty('kind');
});

test('I unlink while my tokens are being refreshed: neither the old nor the new ones are left', async () => {
  const id = await linkDirectly(world.core, world.dana, 'dana@example.com');
  world.advance(56 * minute);
  const fault = world.service.faults.set({ endpoint: 'token:refresh_token', kind: 'delay', ms: 200 });
  const token = world.linking.accessTokenFor(id);
  await expect.poll(() => fault.hits()).toBe(1);
  expect(await world.linking.unlink(world.dana)).toBe(true);
  expect((await token).outcome).toBe('token');
  expect(await world.stored()).toEqual({ links: 0, tokens: 0 });
  expect(await world.linking.accessTokenFor(id)).toEqual({ outcome: 'relink' });
});
