import { setTimeout as sleep } from 'node:timers/promises';
import { type Bench, newMark } from '../bench.ts';
import type { Measure } from '../report/measure.ts';
import { startBot } from '../stage/bot.ts';
import { startLoad } from '../stage/load.ts';
import { memoryOf } from '../stage/process-use.ts';
import { accountedFor } from './accounted-for.ts';

const connections = 64;
const mostMegabytes = 220;

/** Measures the memory of a bot that accepts and posts as much as it can: before, peak, and after. */
export async function measureMemory(bench: Bench): Promise<Measure[]> {
  const { idle, load: loadSeconds, after } = bench.plan.memory;
  const database = await bench.database('memory');
  const bot = await startBot(
    { databaseUrl: database.url, role: 'all', slackApiUrl: bench.slack.apiUrl() },
    bench.undo,
  );
  await sleep(idle * 1_000);
  const before = await memoryOf(bot.pid);
  const load = await startLoad(bench.undo);
  bench.say(`${connections} connections for ${loadSeconds} s`);
  await load.run({
    kind: 'closed',
    port: bot.port,
    connections,
    warmSeconds: 0,
    seconds: loadSeconds,
    targets: database.targets,
    mark: newMark(),
  });
  await accountedFor(database, 300_000);
  const { peak } = await memoryOf(bot.pid);
  await sleep(after * 1_000);
  const { now } = await memoryOf(bot.pid);
  return [
    { key: 'before', what: 'RSS before', value: before.now, unit: 'MB', better: 'less' },
    {
      key: 'peak',
      what: `peak RSS, ${connections} connections`,
      value: peak,
      unit: 'MB',
      goal: { most: mostMegabytes },
      better: 'less',
    },
    { key: 'after', what: `RSS ${after} s after the last post`, value: now, unit: 'MB', better: 'less' },
  ];
}
