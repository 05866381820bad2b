import { setTimeout as sleep } from 'node:timers/promises';
import { betweenPostsMs } from '../../src/core/model/lane-card.ts';
import { type Bench, newMark } from '../bench.ts';
import { type Measure, shown } from '../report/measure.ts';
import { median } from '../report/statistics.ts';
import { startAfternoon } from '../stage/afternoon.ts';
import { startBare } from '../stage/bare.ts';
import { startBot } from '../stage/bot.ts';
import type { BenchDatabase } from '../stage/database.ts';
import { startFlood } from '../stage/flood.ts';
import { startLoad } from '../stage/load.ts';
import { cpuSeconds } from '../stage/process-use.ts';
import { slackAnswerMs } from '../stage/slack.ts';
import { accountedFor } from './accounted-for.ts';

/** Milliseconds of processor time per message, and messages per second. */
const goals = { atRate: { most: 2 }, atMost: { most: 1 }, perSecond: { least: 800 } };
const warmSeconds = 6;
/** How long messages that nobody counts get after the last notification, in milliseconds. */
const settleMs = 2_000;

type Round = { readonly perSecond: number; readonly cpuMilliseconds: number };

/** One of the programs that post the same notifications. */
type Contestant = {
  readonly port: number;
  readonly pid: number;
  readonly end: () => Promise<void>;
  /** Resolves when it has posted what it received. */
  readonly settled: () => Promise<unknown>;
};

/**
 * Measures what a posted message costs the bot's process: at a usual rate over HTTP (`ROLE=all`, receiving included) beside a bare relay and
 * the simple bot, and at the limit of one process (`ROLE=worker`) while another process stores notifications for a thousand channels.
 */
export async function measurePosting(bench: Bench): Promise<Measure[]> {
  const { rate, floodChannels } = bench.plan.posting;
  const relay = cpuOf(await atUsualRate(bench, 'relay', startRelay));
  const simple = cpuOf(await atUsualRate(bench, 'simple', startSimple));
  const usual = cpuOf(await atUsualRate(bench, 'usual', startOurs));
  const most = await asMuchAsItCan(bench);
  const what = `processor time per posted message at ${rate}/s over 500 channels`;
  const channels = `${floodChannels.toLocaleString('en-US')} channels`;
  return [
    {
      key: 'relay cpu',
      what: `${what}: a bare relay`,
      value: relay,
      unit: 'ms',
      note: 'the least this machine can do',
    },
    {
      key: 'simple cpu',
      what: `${what}: the simple bot`,
      value: simple,
      unit: 'ms',
      note: 'stores nothing',
    },
    {
      key: 'usual cpu',
      what: `${what}: Plancast`,
      value: usual,
      unit: 'ms',
      goal: goals.atRate,
      note: 'including receiving',
      inShort: 'How much processor time does one posted message cost?',
      beside: `${shown(relay, 'ms')} with a bare relay, ${shown(simple, 'ms')} with the simple bot`,
    },
    {
      key: 'most',
      what: `posts per second, one process, ${channels} that always have pending deletions`,
      value: median(most.map(({ perSecond }) => perSecond)),
      unit: '/s',
      goal: goals.perSecond,
      note: `${betweenPostsMs / 1_000} s from Slack's response to the next message of a channel, and Slack's ${slackAnswerMs} ms, allow ${Math.floor((floodChannels * 1_000) / (betweenPostsMs + slackAnswerMs))}`,
      inShort: 'How many messages per second can one process post?',
    },
    {
      key: 'most cpu',
      what: `processor time per posted message at that rate`,
      value: cpuOf(most),
      unit: 'ms',
      goal: goals.atMost,
    },
  ];
}

function cpuOf(rounds: readonly Round[]): number {
  return median(rounds.map(({ cpuMilliseconds }) => cpuMilliseconds));
}

type Start = (bench: Bench, database: BenchDatabase, slackApiUrl: string) => Promise<Contestant>;

const startRelay: Start = async ({ undo }, database, slackApiUrl) => {
  const server = await startBare({ mode: 'relay', slackApiUrl }, database, undo);
  return { ...server, settled: () => sleep(settleMs) };
};

const startSimple: Start = async ({ undo }, { targets }, slackApiUrl) => {
  const bot = await startAfternoon({ slackApiUrl, targets }, undo);
  return { ...bot, settled: () => sleep(settleMs) };
};

const startOurs: Start = async ({ undo }, database, slackApiUrl) => {
  const bot = await startBot({ databaseUrl: database.url, role: 'all', slackApiUrl }, undo);
  return { ...bot, settled: () => accountedFor(database, 60_000) };
};

/** Returns the rounds of one program, whose name is also that of its database and in its API URL. */
async function atUsualRate(bench: Bench, source: string, start: Start): Promise<Round[]> {
  const { rate, seconds, rounds } = bench.plan.posting;
  const database = await bench.database(source);
  const contestant = await start(bench, database, bench.slack.apiUrl(source));
  const load = await startLoad(bench.undo);
  const run = async (length: number) => {
    const { targets } = database;
    const { port } = contestant;
    await load.run({ kind: 'open', port, rate, seconds: length, targets, mark: newMark() });
    await contestant.settled();
  };
  bench.say(`${source}: warming up`);
  await run(warmSeconds);
  const results: Round[] = [];
  for (let round = 1; round <= rounds; round++) {
    bench.say(`${source}: ${rate}/s, round ${round} of ${rounds}`);
    results.push(await counted(bench, { pid: contestant.pid, source }, () => run(seconds)));
  }
  await contestant.end();
  return results;
}

async function asMuchAsItCan(bench: Bench): Promise<Round[]> {
  const { floodChannels, floodSeconds, rounds } = bench.plan.posting;
  const database = await bench.database('flood', floodChannels);
  const slackApiUrl = bench.slack.apiUrl('flood');
  const bot = await startBot({ databaseUrl: database.url, role: 'worker', slackApiUrl }, bench.undo);
  const flood = startFlood(database);
  bench.undo.add(flood.end);
  bench.say(`${floodChannels} channels that always have pending deletions`);
  await sleep(warmSeconds * 1_000);
  const results: Round[] = [];
  for (let round = 1; round <= rounds; round++) {
    bench.say(`as many as it can, round ${round} of ${rounds}`);
    results.push(
      await counted(bench, { pid: bot.pid, source: 'flood' }, () => sleep(floodSeconds * 1_000, undefined)),
    );
  }
  await flood.end();
  await bot.end();
  return results;
}

/** Counts a bot's messages and processor time while `act` runs. */
async function counted(
  { slack }: Bench,
  { pid, source }: { pid: number; source: string },
  act: () => Promise<void>,
): Promise<Round> {
  const { length } = await slack.log();
  const before = await cpuSeconds(pid);
  const began = performance.now();
  await act();
  const seconds = (performance.now() - began) / 1_000;
  const used = (await cpuSeconds(pid)) - before;
  const fresh = await slack.log(length);
  const posts = fresh.filter((entry) => entry.source === source).length;
  return { perSecond: posts / seconds, cpuMilliseconds: (used * 1_000) / posts };
}
