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
  // Answers to commands go to addresses of Slack's own, not of the proxy, so channels subscribe before it stands in between.
  channels = await world.follow(ordeals.length * 6 + 8);
  child = world.child;
}, 60_000);
afterAll(async () => {
  await world.close();
  await proxy.close();
});

/** Ends the bot and starts it again under the same address, with Slack behind another. */
async function restart(slackApiUrl: string): Promise<void> {
  await child.end('SIGKILL');
  const port = Number(new URL(child.publicUrl).port);
  child = await world.stage.startChild({ port, env: { SLACK_API_URL: slackApiUrl } });
}

/** Posts that were cut off: nobody knows whether Slack has them. */
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
    name: 'every connection to Slack is reset each second',
    lastsMs: 8_000,
    begin: async () => {
      resetting = setInterval(proxy.resetAll, 1_000);
      proxy.resetAll();
    },
    end: async () => clearInterval(resetting),
  },
  {
    name: 'nothing passes to Slack for 12 s, and the connections of that time stay dead without a word',
    lastsMs: 12_000,
    begin: async () => proxy.blackHole(),
    end: () => proxy.heal('lost'),
  },
  {
    name: 'each of Slack’s answers takes 3 s longer',
    lastsMs: 8_000,
    begin: async () => proxy.slowBy(3_000),
    end: () => proxy.heal(),
  },
];

test.each(ordeals)(
  '$name: notifications are taken all the while, and posted within seconds after it',
  async (ordeal) => {
    await restart(`http://127.0.0.1:${proxy.port}/api/`);
    const followers = channels.splice(0, 6);
    const endured = await endure({ ...world, child }, { ...ordeal, followers, mayDouble: cutOff });
    expect(endured).toMatchObject({ findings: [], lost: 0, health: [], isAlive: true });
    expect(Object.keys(endured.answers)).toEqual(['200']);
    // A post without an answer is given up after 10 s, and tried again up to 4 s later.
    expect.soft(endured.postsAfter.last).toBeLessThan(20);
  },
);

test.each([
  ['its name cannot be resolved', async () => 'https://slack.invalid/api/', /ENOTFOUND|EAI_AGAIN/],
  ['what answers there speaks no TLS', async () => `https://127.0.0.1:${proxy.port}/api/`, /SSL|EPROTO/],
])(
  'Slack cannot be reached since %s: everything is posted once when it can be again',
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
