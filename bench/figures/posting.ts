import { setTimeout as sleep } from 'node:timers/promises';
import { type Bench, newMark } from '../bench.ts';
import type { Measure } from '../report/measure.ts';
import { median } from '../report/statistics.ts';
import { type Bot, startBot } from '../stage/bot.ts';
import { startFlood } from '../stage/flood.ts';
import { startLoad } from '../stage/load.ts';
import { cpuSeconds } from '../stage/process-use.ts';
import { accountedFor } from './accounted-for.ts';

/** Milliseconds of processor time per message, and messages per second. */
const goals = { atRate: { most: 2 }, atMost: { most: 1 }, perSecond: { least: 800 } };
const warmSeconds = 6;

type Round = { readonly perSecond: number; readonly cpuMilliseconds: number };

/**
 * Measures what a posted message costs the bot's process: at a usual rate over HTTP (`ROLE=all`, receiving included), and at the limit of
 * one process (`ROLE=worker`) while another process stores notifications for a thousand channels.
 */
export async function measurePosting(bench: Bench): Promise<Measure[]> {
  const { rate, floodChannels } = bench.plan.posting;
  const usual = await atUsualRate(bench);
  const most = await asMuchAsItCan(bench);
  const cpuOf = (rounds: readonly Round[]) => median(rounds.map(({ cpuMilliseconds }) => cpuMilliseconds));
  const channels = `${floodChannels.toLocaleString('en-US')} channels`;
  return [
    {
      key: 'usual cpu',
      what: `processor time per posted message at ${rate}/s over 500 channels`,
      value: cpuOf(usual),
      unit: 'ms',
      goal: goals.atRate,
      note: 'including receiving',
      inShort: 'How much processor time does one posted message cost?',
    },
    {
      key: 'most',
      what: `posts per second, one process, ${channels} that always have pending events`,
      value: median(most.map(({ perSecond }) => perSecond)),
      unit: '/s',
      goal: goals.perSecond,
      note: `one message per second and channel, and Slack's 80 ms, allow ${Math.floor(floodChannels / 1.05)}`,
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

async function atUsualRate(bench: Bench): Promise<Round[]> {
  const { rate, seconds, rounds } = bench.plan.posting;
  const database = await bench.database('usual');
  const slackApiUrl = bench.slack.apiUrl('usual');
  const bot = await startBot({ databaseUrl: database.url, role: 'all', slackApiUrl }, bench.undo);
  const load = await startLoad(bench.undo);
  const run = async (length: number) => {
    const { targets } = database;
    await load.run({ kind: 'open', port: bot.port, rate, seconds: length, targets, mark: newMark() });
    await accountedFor(database, 60_000);
  };
  bench.say('warming up');
  await run(warmSeconds);
  const results: Round[] = [];
  for (let round = 1; round <= rounds; round++) {
    bench.say(`${rate}/s, round ${round} of ${rounds}`);
    results.push(await counted(bench, { bot, source: 'usual' }, () => run(seconds)));
  }
  await bot.end();
  return results;
}

async function asMuchAsItCan(bench: Bench): Promise<Round[]> {
  const { floodChannels, floodSeconds, rounds } = bench.plan.posting;
  const database = await bench.database('flood', floodChannels);
  const slackApiUrl = bench.slack.apiUrl('flood');
  const bot = await startBot({ databaseUrl: database.url, role: 'worker', slackApiUrl }, bench.undo);
  const flood = startFlood(database);
  bench.undo.add(flood.end);
  bench.say(`${floodChannels} channels that always have pending events`);
  await sleep(warmSeconds * 1_000);
  const results: Round[] = [];
  for (let round = 1; round <= rounds; round++) {
    bench.say(`as many as it can, round ${round} of ${rounds}`);
    results.push(
      await counted(bench, { bot, source: 'flood' }, () => sleep(floodSeconds * 1_000, undefined)),
    );
  }
  await flood.end();
  await bot.end();
  return results;
}

/** Counts a bot's messages and processor time while `act` runs. */
async function counted(
  { slack }: Bench,
  { bot, source }: { bot: Bot; source: string },
  act: () => Promise<void>,
): Promise<Round> {
  const { length } = await slack.log();
  const before = await cpuSeconds(bot.pid);
  const began = performance.now();
  await act();
  const seconds = (performance.now() - began) / 1_000;
  const used = (await cpuSeconds(bot.pid)) - before;
  const fresh = await slack.log(length);
  const posts = fresh.filter((entry) => entry.source === source).length;
  return { perSecond: posts / seconds, cpuMilliseconds: (used * 1_000) / posts };
}
