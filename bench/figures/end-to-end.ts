import { type Bench, newMark } from '../bench.ts';
import type { Goal, Measure } from '../report/measure.ts';
import { percentile } from '../report/statistics.ts';
import { startBot } from '../stage/bot.ts';
import type { BenchDatabase } from '../stage/database.ts';
import type { Load } from '../stage/load.ts';
import { startLoad } from '../stage/load.ts';
import { slackAnswerMs } from '../stage/slack.ts';
import { accountedFor } from './accounted-for.ts';
import { refusedIn } from './refused.ts';
import { eventsSince, shownAt } from './shown-at.ts';

/** In milliseconds: what the bot may add to Slack's own time when idle, and the latency allowed when it is busy. */
const goals: Readonly<Record<string, Goal>> = {
  '5 p50': { most: slackAnswerMs + 8 },
  '200 p50': { most: 150 },
  '200 p99': { most: 1_300 },
};
const questions: Readonly<Record<string, Pick<Measure, 'inShort' | 'beside'>>> = {
  '5 p50': {
    inShort: 'How soon is a notification in Slack when the bot is idle?',
    beside: `${slackAnswerMs} ms of that are Slack's`,
  },
  '200 p50': { inShort: 'And at 200 notifications per second over 500 channels?' },
};
const warm = { rate: 100, seconds: 8 };
const bigRate = 50;

/** Measures the time from when a notification is due at the bot to its message in Slack, over 500 channels. */
export async function measureEndToEnd(bench: Bench): Promise<Measure[]> {
  const database = await bench.database('posts');
  const bot = await startBot(
    { databaseUrl: database.url, role: 'all', slackApiUrl: bench.slack.apiUrl() },
    bench.undo,
  );
  const load = await startLoad(bench.undo);
  bench.say('warming up');
  await timesToSlack(bench, { load, database, port: bot.port }, warm);
  const all: Measure[] = [];
  for (const pace of bench.plan.endToEnd.filter(({ rate }) => !bench.isBig || rate === bigRate)) {
    bench.say(`${pace.rate}/s for ${pace.seconds} s`);
    const { times, refused, lost } = await timesToSlack(bench, { load, database, port: bot.port }, pace);
    for (const [name, share] of [
      ['p50', 0.5],
      ['p99', 0.99],
    ] as const) {
      const key = `${pace.rate} ${name}`;
      const note = refused + lost > 0 ? `${refused} NOT answered 200, ${lost} more NOT shown` : undefined;
      const what = `${pace.rate}/s over ${database.targets.length} channels: ${name}`;
      const value = percentile(times, share);
      all.push({ key, what, value, unit: 'ms', goal: goals[key], note, better: 'less', ...questions[key] });
    }
  }
  return all;
}

/**
 * Sends at a fixed rate. Returns the milliseconds from due to stored in Slack, how many were not answered with 200, and how many of the
 * others no message shows.
 */
export async function timesToSlack(
  { slack }: Pick<Bench, 'slack'>,
  { load, database, port }: { load: Load; database: BenchDatabase; port: number },
  { rate, seconds }: { rate: number; seconds: number },
): Promise<{ times: number[]; refused: number; lost: number }> {
  const mark = newMark();
  const { dueAt, statuses } = await load.run({
    kind: 'open',
    port,
    rate,
    seconds,
    targets: database.targets,
    mark,
  });
  await accountedFor(database, 120_000);
  const shown = shownAt(await eventsSince(database, dueAt[0] ?? 0), await slack.log(), { mark });
  const times = [...shown].map(([number, at]) => at - (dueAt[number] ?? Number.NaN));
  const refused = refusedIn(statuses);
  return { times, refused, lost: dueAt.length - times.length - refused };
}
