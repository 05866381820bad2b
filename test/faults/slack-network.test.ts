import { afterAll, beforeAll, expect, test } from 'vitest';
import type { ChildBot } from '../support/child-bot.ts';
import { startTcpProxy, type TcpProxy } from '../support/tcp-proxy.ts';
import { checkDelivery, readEvents } from './checker.ts';
import { endure, type FaultWorld, type Ordeal, startFaultWorld, untilSettled, wordsOf } from './endure.ts';
import { type Follower, startLoad } from './steady-load.ts';

let world: FaultWorld;
let proxy: TcpProxy;
let child: ChildBot;
let channels: Follower[];
beforeAll(async () => {
  world = await startFaultWorld({ name: 'slack network' });
  proxy = await startTcpProxy({ port: Number(new URL(world.stage.slack.apiUrl).port) });
  // Replies to commands go directly to Slack's response URLs, not through the proxy, so the channels subscribe before the proxy is in
  // place.
  channels = await world.follow(ordeals.length * 6 + 8);
  child = world.child;
}, 60_000);
afterAll(async () => {
  await world.close();
  await proxy.close();
});

/** Kills the bot and restarts it at the same URL, with another URL for Slack. */
async function restart(slackApiUrl: string): Promise<void> {
  await child.end('SIGKILL');
  const port = Number(new URL(child.publicUrl).port);
  child = await world.stage.startChild({ port, env: { SLACK_API_URL: slackApiUrl } });
}

/** Counts posts that were cut off, so the bot cannot know whether Slack has them. */
const cutOff = (logged: Readonly<Record<string, number>>) =>
  Object.entries(logged).reduce(
    (sum, [words, count]) => (/^post deferred (?!ECONNREFUSED|ratelimited)/.test(words) ? sum + count : sum),
    0,
  );

let resetting: NodeJS.Timeout | undefined;
const ordeals: readonly Ordeal[] = [
  {
    name: 'Slack refuses connections',
    lastsMs: 10_000,
    begin: () => proxy.refuse(),
    end: () => proxy.heal(),
  },
  {
    name: 'every connection to Slack is reset once a second',
    lastsMs: 8_000,
    begin: async () => {
      resetting = setInterval(proxy.resetAll, 1_000);
      proxy.resetAll();
    },
    end: async () => clearInterval(resetting),
  },
  {
    name: 'nothing passes to Slack for 12 s, and the connections from that time silently stay dead',
    lastsMs: 12_000,
    begin: async () => proxy.blackHole(),
    end: () => proxy.heal('lost'),
  },
  {
    name: 'every answer from Slack takes 3 s longer',
    lastsMs: 8_000,
    begin: async () => proxy.slowBy(3_000),
    end: () => proxy.heal(),
  },
];

test.each(ordeals)(
  '$name: notifications are accepted throughout, and posted within seconds afterwards',
  async (ordeal) => {
    await restart(`http://127.0.0.1:${proxy.port}/api/`);
    const followers = channels.splice(0, 6);
    const endured = await endure({ ...world, child }, { ...ordeal, followers, mayDouble: cutOff });
    expect(endured).toMatchObject({ findings: [], lost: 0, health: [], isAlive: true });
    expect(Object.keys(endured.answers)).toEqual(['200']);
    // A post without an answer times out after 10 s, and is retried up to 4 s later.
    expect.soft(endured.postsAfter.last).toBeLessThan(20);
  },
);

test.each([
  ['its host name cannot be resolved', async () => 'https://slack.invalid/api/', /ENOTFOUND|EAI_AGAIN/],
  [
    'the server at its address does not speak TLS',
    async () => `https://127.0.0.1:${proxy.port}/api/`,
    /SSL|EPROTO/,
  ],
])(
  'Slack is unreachable because %s: everything is posted once when it is reachable again',
  async (_what, address, error) => {
    await restart(await address());
    const followers = channels.splice(0, 4);
    const ids = followers.map(({ channelId }) => channelId);
    const load = startLoad({ to: followers, perSecond: 20, firstIndex: world.takeIndexes(1_000) });
    await expect.poll(() => Object.keys(wordsOf(child.output())).join(), { timeout: 12_000 }).toMatch(error);
    await load.stop();
    expect(load.tries.filter(({ status }) => status !== 200)).toEqual([]);
    await restart(world.stage.slack.apiUrl);
    await untilSettled(world.pool, ids);
    const { findings, counts } = checkDelivery({
      sent: load.tries,
      events: (await readEvents(world.pool)).filter(({ channelId }) => ids.includes(channelId)),
      messages: world.stage.slack.allMessages.filter(({ channelId }) => ids.includes(channelId)),
    });
    expect(findings).toEqual([]);
    expect(counts.posted).toBe(load.tries.length);
  },
);
