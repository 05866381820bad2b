import { setTimeout as sleep } from 'node:timers/promises';
import type { Bench } from '../bench.ts';
import type { Measure } from '../report/measure.ts';
import { startBot } from '../stage/bot.ts';
import { countStatements } from '../stage/count-statements.ts';
import { cpuSeconds, memoryOf } from '../stage/process-use.ts';

const goals = { statements: { most: 1 }, cpu: { most: 1 }, memory: { most: 120 } };

/** Measures the cost of an idle bot: database statements (each Query or Execute message), processor time, memory. */
export async function measureIdle(bench: Bench): Promise<Measure[]> {
  const { settle, seconds } = bench.plan.idle;
  const database = await bench.database('idle');
  const counted = await countStatements(database.url, bench.undo);
  const bot = await startBot(
    { databaseUrl: counted.url, role: 'all', slackApiUrl: bench.slack.apiUrl() },
    bench.undo,
  );
  await sleep(settle * 1_000);
  bench.say(`idle for ${seconds} s`);
  const before = { statements: counted.statements(), cpu: await cpuSeconds(bot.pid), at: performance.now() };
  await sleep(seconds * 1_000);
  const passed = (performance.now() - before.at) / 1_000;
  const perSecond = (counted.statements() - before.statements) / passed;
  const cpu = (((await cpuSeconds(bot.pid)) - before.cpu) / passed) * 100;
  const memory = await memoryOf(bot.pid);
  return [
    {
      key: 'statements',
      what: 'database statements',
      value: perSecond,
      unit: '/s',
      goal: goals.statements,
    },
    { key: 'cpu', what: 'processor', value: cpu, unit: '%', goal: goals.cpu },
    {
      key: 'memory',
      what: 'memory (RSS)',
      value: memory.now,
      unit: 'MB',
      goal: goals.memory,
      inShort: 'How much memory does it take?',
    },
  ];
}
