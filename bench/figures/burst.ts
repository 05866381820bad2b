import { setTimeout as sleep } from 'node:timers/promises';
import { type Bench, newMark } from '../bench.ts';
import type { Measure } from '../report/measure.ts';
import { smallestGap } from '../report/statistics.ts';
import { startBot } from '../stage/bot.ts';
import { startLoad } from '../stage/load.ts';
import { accountedFor } from './accounted-for.ts';
import { refusedIn } from './refused.ts';

const connections = 64;
const mostMessages = 30;
/** Slack accepts one message per second and channel. */
const leastGapSeconds = 1;
/** The last edit of a message can come a little after everything is accounted for, in milliseconds. */
const lastUpdateMs = 4_000;

/** Sends thousands of notifications to one channel at once: how soon all are posted, and in how many messages. */
export async function measureBurst(bench: Bench): Promise<Measure[]> {
  const all: Measure[] = [];
  for (const { count, withinSeconds } of bench.plan.bursts) {
    bench.say(`${count} for one channel`);
    const measures = await oneBurst(bench, count);
    all.push(
      ...measures.map((measure) => ({
        ...measure,
        key: `${count} ${measure.key}`,
        what: `${count.toLocaleString('en-US')} for one channel: ${measure.what}`,
        ...(measure.key === 'seconds' ? { goal: { most: withinSeconds } } : {}),
      })),
    );
  }
  return all;
}

async function oneBurst(bench: Bench, count: number): Promise<Measure[]> {
  const database = await bench.database(`burst_${count}`);
  const bot = await startBot(
    { databaseUrl: database.url, role: 'all', slackApiUrl: bench.slack.apiUrl(`burst-${count}`) },
    bench.undo,
  );
  const load = await startLoad(bench.undo);
  const answers = await load.run({
    kind: 'closed',
    port: bot.port,
    connections,
    warmSeconds: 0,
    most: count,
    targets: database.targets.slice(0, 1),
    mark: newMark(),
  });
  const over = await accountedFor(database, 300_000);
  const { rows } = await database.pool.query<{ posted: string }>(
    `select count(*) filter (where state = 'posted' and message_ts is not null) as posted from plancast.events`,
  );
  await sleep(lastUpdateMs);
  const log = (await bench.slack.log()).filter(({ source }) => source === `burst-${count}`);
  const posts = log.filter(({ method }) => method === 'chat.postMessage');
  const missing = count - Number(rows[0]?.posted);
  await bot.end();
  return [
    {
      key: 'accepted',
      what: 'accepted',
      value: (answers.statuses[200] ?? 0) / answers.seconds,
      unit: '/s',
      note:
        refusedIn(answers.statuses) > 0 ? `${refusedIn(answers.statuses)} NOT answered with 200` : undefined,
    },
    {
      key: 'seconds',
      what: 'from last acceptance to last post',
      value: Math.max(0, over - answers.lastAt) / 1_000,
      unit: 's',
      note: missing > 0 ? `${missing} NOT posted` : undefined,
    },
    { key: 'messages', what: 'messages', value: posts.length, unit: '', goal: { most: mostMessages } },
    { key: 'updates', what: 'edits', value: log.length - posts.length, unit: '' },
    {
      key: 'gap',
      what: 'shortest time between two messages',
      // A single message has no gap to measure.
      value:
        posts.length < 2
          ? Number.POSITIVE_INFINITY
          : smallestGap(posts.map(({ arrivedAt }) => arrivedAt)) / 1_000,
      unit: 's',
      note: posts.length < 2 ? 'only one message' : undefined,
      goal: { least: leastGapSeconds },
    },
  ];
}
