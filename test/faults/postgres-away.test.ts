import { afterAll, beforeAll, expect, test } from 'vitest';
import { endure, expectEndured, type FaultWorld, startFaultWorld } from './endure.ts';
import { startDatabaseProxy } from './support/database-proxy.ts';

let world: FaultWorld;
let proxy: Awaited<ReturnType<typeof startDatabaseProxy>>;
beforeAll(async () => {
  world = await startFaultWorld({
    name: 'postgres away',
    through: async (url) => {
      proxy = await startDatabaseProxy(url);
      return proxy.url;
    },
  });
  const { stage, child } = world;
  await stage.startChild({ env: { DATABASE_URL: proxy.url, PUBLIC_URL: child.publicUrl, ROLE: 'worker' } });
  // The second process only posts and receives no requests.
  stage.slack.botRequestUrl = `${child.publicUrl}/slack/events`;
});
afterAll(async () => {
  await world.close();
  await proxy.close();
});

test('messages that one process posted just before the database went down are not posted again by another one afterwards', async () => {
  const { slack } = world.stage;
  let awayFrom = Number.POSITIVE_INFINITY;
  const endured = await endure(world, {
    name: 'Postgres is down for longer than a claim lasts',
    lastsMs: 18_000,
    async begin() {
      const posts = slack.callsOf('chat.postMessage').length;
      await expect
        .poll(() => slack.callsOf('chat.postMessage').length, { interval: 5 })
        .toBeGreaterThan(posts);
      await proxy.refuse();
      awayFrom = Date.now();
    },
    end: () => proxy.heal(),
  });

  // The post that was in flight is in Slack but could not be marked.
  const unmarked = slack.allMessages.filter(
    ({ postedAt }) => postedAt >= awayFrom && postedAt < awayFrom + 2_000,
  );
  expect(unmarked.length).toBeGreaterThan(0);
  expectEndured(endured);
});

test('when all connections die silently and new ones work, each channel has its next post within 5 s', async () => {
  const endured = await endure(world, {
    name: 'connections die silently, new ones work',
    lastsMs: 0,
    begin: async () => proxy.blackHole(),
    end: () => proxy.heal('lost'),
  });

  expectEndured(endured);
  expect(endured.postsAfter.last).toBeLessThan(5);
});
