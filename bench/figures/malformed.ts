import { setTimeout as sleep } from 'node:timers/promises';
import { type Bench, newMark } from '../bench.ts';
import type { Measure } from '../report/measure.ts';
import { percentile } from '../report/statistics.ts';
import { startBot } from '../stage/bot.ts';
import { startLoad } from '../stage/load.ts';
import { memoryOf } from '../stage/process-use.ts';

/** The statuses allowed as an answer to a malformed request. */
const refusals = new Set(['400', '404', '413', '415', '429']);
const goals = { p99: { most: 50 }, others: { most: 0 }, memory: { most: 50 } };

/** Sends unreadable bodies, to a live callback address and to tokens that never existed. */
export async function measureMalformed(bench: Bench): Promise<Measure[]> {
  const { warm, most, connections, after } = bench.plan.malformed;
  const database = await bench.database('malformed');
  const [target] = database.targets;
  if (!target) throw new Error('there is no channel');
  const bot = await startBot(
    { databaseUrl: database.url, role: 'all', slackApiUrl: bench.slack.apiUrl() },
    bench.undo,
  );
  const { port } = bot;
  const load = await startLoad(bench.undo);
  bench.say('valid ones first, so that the bot has allocated its working memory');
  const good = { kind: 'closed', port, connections, warmSeconds: 0, seconds: warm, mark: newMark() } as const;
  await load.run({ ...good, targets: database.targets });
  await sleep(after * 1_000);
  const before = await memoryOf(bot.pid);
  bench.say(`${most} malformed bodies`);
  const { statuses, latencies, seconds } = await load.run({
    kind: 'malformed',
    port,
    connections,
    most,
    target,
  });
  await sleep(after * 1_000);
  const { now, peak } = await memoryOf(bot.pid);
  const counts = Object.entries(statuses);
  const others = counts
    .filter(([status]) => !refusals.has(status))
    .reduce((sum, [, count]) => sum + count, 0);
  const what = `${most.toLocaleString('en-US')} malformed bodies`;
  return [
    {
      key: 'others',
      what: `${what}: not answered 400, 404, 413, 415 or 429`,
      value: others,
      unit: '',
      goal: goals.others,
      note: counts.map(([status, count]) => `${status}: ${count}`).join(', '),
    },
    {
      key: 'p99',
      what: `${what}: p99 of the response, ${connections} connections`,
      value: percentile(latencies, 0.99),
      unit: 'ms',
      goal: goals.p99,
      note: `${(most / seconds).toFixed(0)}/s`,
    },
    {
      key: 'memory',
      what: `${what}: RSS above the start, ${after} s later`,
      value: now - before.now,
      unit: 'MB',
      goal: goals.memory,
      note: `${(peak - before.now).toFixed(0)} more at the peak`,
    },
  ];
}
