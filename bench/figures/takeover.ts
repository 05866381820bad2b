import { setTimeout as sleep } from 'node:timers/promises';
import { type Bench, newMark } from '../bench.ts';
import { notificationBody, notificationId, type Target } from '../load/notification.ts';
import type { Measure } from '../report/measure.ts';
import { type Bot, startBot } from '../stage/bot.ts';
import type { BenchDatabase } from '../stage/database.ts';
import type { BenchSlack } from '../stage/slack.ts';
import { accountedFor } from './accounted-for.ts';

const mostSeconds = 15;
const givenUpAfterMs = 90_000;
/** Milliseconds between notifications to the one channel, so that its lane is always busy. */
const betweenMs = 150;
const lookEveryMs = 50;

type Bots = Map<string, Bot>;
/** A load in progress; `stop` returns the ids of the notifications that were answered with 200. */
type Feed = { readonly stop: () => Promise<Set<string>> };

/** Runs two bots on one database, kills the one that is posting to a channel, and measures how soon the other takes over. */
export async function measureTakeover(bench: Bench): Promise<Measure[]> {
  const database = await bench.database('takeover');
  const [target] = database.targets;
  if (!target) throw new Error('there is no channel');
  const bots: Bots = new Map();
  const add = async (name: string) => {
    const slackApiUrl = bench.slack.apiUrl(name);
    bots.set(name, await startBot({ databaseUrl: database.url, role: 'all', slackApiUrl }, bench.undo));
  };
  await add('bot-0');
  await add('bot-1');
  const feed = startFeed(bots, target);
  const pauses: number[] = [];
  const { kills } = bench.plan.takeover;
  for (let kill = 1; kill <= kills; kill++) {
    bench.say(`kill ${kill} of ${kills}`);
    await sleep(4_000);
    const { source } = await bench.slack.next(target.channelId);
    await bots.get(source)?.end('SIGKILL');
    bots.delete(source);
    pauses.push(await nextPostOf(bench.slack, { channel: target.channelId, not: source }));
    await add(`bot-${kill + 1}`);
  }
  const accepted = await feed.stop();
  await accountedFor(database, 120_000);
  const { lost, orphans } = await countAgain(database, bench.slack, accepted);
  return [
    {
      key: 'seconds',
      what: `time until the other one posts, worst of ${kills} kills`,
      value: Math.max(...pauses),
      unit: 's',
      goal: { most: mostSeconds },
      inShort: 'When a process dies, how soon does another take over?',
    },
    { key: 'lost', what: `lost, of ${accepted.size} accepted`, value: lost, unit: '', goal: { most: 0 } },
    {
      key: 'doubled',
      what: 'messages posted twice, per kill',
      value: orphans / kills,
      unit: '',
      goal: { most: 1 },
    },
  ];
}

/** Sends to whichever bot answers and retries if none does, as the service or a load balancer would. */
function startFeed(bots: Bots, target: Target): Feed {
  const mark = newMark();
  const accepted = new Set<string>();
  let stopping = false;
  const send = async (number: number): Promise<void> => {
    const body = notificationBody(target, { mark }, number);
    for (;;) {
      for (const { port } of [...bots.values()]) {
        const answer = await fetch(`http://127.0.0.1:${port}/notifications/${target.token}`, {
          method: 'POST',
          body,
        }).catch(() => null);
        await answer?.body?.cancel();
        if (answer?.status === 200) return void accepted.add(notificationId({ mark }, number));
      }
      await sleep(lookEveryMs);
    }
  };
  const feeding = (async () => {
    for (let number = 0; !stopping; number++) {
      await send(number);
      await sleep(betweenMs);
    }
  })();
  return {
    async stop() {
      stopping = true;
      await feeding;
      return accepted;
    },
  };
}

/** Returns the seconds from now until another bot posts or edits a message in the channel. */
async function nextPostOf(
  slack: BenchSlack,
  { channel, not }: { channel: string; not: string },
): Promise<number> {
  const began = performance.now();
  const { length } = await slack.log();
  while (performance.now() - began < givenUpAfterMs) {
    const fresh = await slack.log(length);
    if (fresh.some((entry) => entry.channel === channel && entry.source !== not))
      return (performance.now() - began) / 1_000;
    await sleep(lookEveryMs);
  }
  return Number.POSITIVE_INFINITY;
}

/** Counts accepted notifications that no message shows, and messages that no event points at. */
async function countAgain(
  { pool }: BenchDatabase,
  slack: BenchSlack,
  accepted: ReadonlySet<string>,
): Promise<{ lost: number; orphans: number }> {
  const { rows } = await pool.query<{ id: string; ts: string | null }>(
    `select notification_id as id, message_ts as ts from plancast.events`,
  );
  const log = await slack.log();
  const stored = new Set(log.map(({ ts }) => ts));
  const posted = new Set(rows.filter(({ ts }) => ts !== null && stored.has(ts)).map(({ id }) => id));
  const known = new Set(rows.map(({ ts }) => ts));
  const posts = log.filter(({ method }) => method === 'chat.postMessage');
  return {
    lost: [...accepted].filter((id) => !posted.has(id)).length,
    orphans: posts.filter(({ ts }) => !known.has(ts)).length,
  };
}
