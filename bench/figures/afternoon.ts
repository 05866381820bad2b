import { setTimeout as sleep } from 'node:timers/promises';
import { type Bench, newMark } from '../bench.ts';
import { epochNow } from '../load/closed-loop.ts';
import type { Paced } from '../load/open-loop.ts';
import { type Measure, shown } from '../report/measure.ts';
import { percentile } from '../report/statistics.ts';
import { startAfternoon } from '../stage/afternoon.ts';
import { startBot } from '../stage/bot.ts';
import type { BenchDatabase } from '../stage/database.ts';
import { type Load, startLoad } from '../stage/load.ts';
import { memoryOf } from '../stage/process-use.ts';
import { eventsSince, shownAt } from './shown-at.ts';

const connections = 64;
const warm = { rate: 20, seconds: 3 };
/** How long in-flight messages get after the last one was sent, in milliseconds. */
const settleMs = 5_000;

/** One of the two bots, with a common way to start it. */
type Contestant = {
  readonly name: string;
  readonly database: BenchDatabase;
  readonly start: () => Promise<{
    port: number;
    pid: number;
    end: (signal?: NodeJS.Signals) => Promise<void>;
  }>;
  /** Returns when each notification of a series reached Slack, by its number, counting from a time and a position in Slack's log. */
  readonly shown: (since: Since) => Promise<Map<number, number>>;
};
type Since = { readonly mark: string; readonly at: number; readonly logged: number };

type Seen = {
  readonly perSecond: number;
  readonly p50: number;
  readonly p99: number;
  readonly megabytes: number;
  readonly left: number;
  readonly leftAfterKill: number;
};

/** Measures the bot beside one that posts inline and stores nothing. */
export async function measureAfternoon(bench: Bench): Promise<Measure[]> {
  await bench.slack.limit();
  const ours = await contestants(bench);
  const [plancast, afternoon] = [await seen(bench, ours.plancast), await seen(bench, ours.afternoon)];
  const { rate, flood, watch } = bench.plan.afternoon;
  const thousands = flood.toLocaleString('en-US');
  const rows: readonly [key: keyof Seen, what: string, unit: Measure['unit'], inShort?: string][] = [
    ['perSecond', `accepted, ${connections} connections over 500 channels`, '/s'],
    ['p50', `event to message at ${rate}/s over 500 channels: p50`, 'ms'],
    ['p99', `event to message at ${rate}/s over 500 channels: p99`, 'ms'],
    ['megabytes', 'memory (RSS) after that', 'MB'],
    ['left', `not in Slack ${watch} s after the first of ${thousands} for one channel`, ''],
    [
      'leftAfterKill',
      `the same, if killed with -9 after sending and restarted`,
      '',
      `How many of ${thousands} notifications are lost when the process is killed?`,
    ],
  ];
  return rows.flatMap(([key, what, unit, inShort]): Measure[] => {
    const mustBeAll = key === 'left' || key === 'leftAfterKill';
    return [
      { key: `afternoon ${key}`, what: `${what}: the simple bot`, value: afternoon[key], unit },
      {
        key,
        what: `${what}: Plancast`,
        value: plancast[key],
        unit,
        inShort,
        ...(mustBeAll
          ? { goal: { most: 0 }, beside: `${shown(afternoon[key], unit)} with the simple bot` }
          : {}),
      },
    ];
  });
}

async function contestants(bench: Bench): Promise<{ plancast: Contestant; afternoon: Contestant }> {
  const { slack, undo } = bench;
  const database = await bench.database('ours');
  const { targets } = database;
  return {
    plancast: {
      name: 'Plancast',
      database,
      start: () =>
        startBot({ databaseUrl: database.url, role: 'all', slackApiUrl: slack.apiUrl('plancast') }, undo),
      shown: async ({ mark, at, logged }) =>
        shownAt(await eventsSince(database, at), await slack.log(logged), { mark }),
    },
    afternoon: {
      name: 'the simple bot',
      database,
      start: () => startAfternoon({ slackApiUrl: slack.apiUrl('afternoon'), targets }, undo),
      // It posts one message per notification, which names it.
      shown: async ({ logged }) => {
        const own = (await slack.log(logged)).filter(({ source }) => source === 'afternoon');
        return new Map(own.map(({ number, storedAt }) => [number ?? Number.NaN, storedAt]));
      },
    },
  };
}

async function seen(bench: Bench, contestant: Contestant): Promise<Seen> {
  const { seconds, rate } = bench.plan.afternoon;
  const { targets } = contestant.database;
  const load = await startLoad(bench.undo);
  const bot = await contestant.start();
  const open = { kind: 'open', port: bot.port, targets } as const;
  bench.say(`${contestant.name}: ${rate}/s`);
  await load.run({ ...open, ...warm, mark: newMark() });
  await sleep(settleMs);
  const since = await sinceNow(bench);
  const { dueAt } = await load.run({ ...open, rate, seconds, mark: since.mark });
  await sleep(settleMs);
  const times = [...(await contestant.shown(since))].map(
    ([number, at]) => at - (dueAt[number] ?? Number.NaN),
  );
  const { now: megabytes } = await memoryOf(bot.pid);
  bench.say(`${contestant.name}: ${connections} connections`);
  const closed = { kind: 'closed', port: bot.port, connections, warmSeconds: 0, seconds, targets } as const;
  const { statuses, seconds: took } = await load.run({ ...closed, mark: newMark() });
  await bot.end();
  const left = await leftOf(bench, contestant, 'keeps running');
  const leftAfterKill = await leftOf(bench, contestant, 'is killed');
  return {
    perSecond: (statuses[200] ?? 0) / took,
    p50: percentile(times, 0.5),
    p99: percentile(times, 0.99),
    megabytes,
    left,
    leftAfterKill,
  };
}

/** Returns how many of thousands for one channel are not in Slack a minute after the first was sent. */
async function leftOf(
  bench: Bench,
  contestant: Contestant,
  bot: 'keeps running' | 'is killed',
): Promise<number> {
  const { flood, floodRate, watch } = bench.plan.afternoon;
  bench.say(`${contestant.name}: ${flood} for one channel; the bot ${bot}`);
  let running = await contestant.start();
  const load = await startLoad(bench.undo);
  const since = await sinceNow(bench);
  const began = performance.now();
  const sending = sendAll(load, { flood, floodRate, port: running.port, mark: since.mark, contestant });
  if (bot === 'is killed') {
    await sleep((flood / floodRate) * 1_000 + 1_000);
    await running.end('SIGKILL');
    running = await contestant.start();
  }
  await sleep(watch * 1_000 - (performance.now() - began));
  const shown = await contestant.shown(since);
  await running.end();
  await sending;
  return flood - shown.size;
}

/** Sends to a channel that gets nothing else. */
function sendAll(
  load: Load,
  {
    flood,
    floodRate,
    port,
    mark,
    contestant,
  }: { flood: number; floodRate: number; port: number; mark: string; contestant: Contestant },
): Promise<Paced> {
  const targets = contestant.database.targets.slice(-1);
  return load.run({ kind: 'open', port, rate: floodRate, seconds: flood / floodRate, targets, mark });
}

async function sinceNow({ slack }: Bench): Promise<Since> {
  return { mark: newMark(), at: epochNow(), logged: (await slack.log()).length };
}
