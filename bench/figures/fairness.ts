import { type Bench, newMark } from '../bench.ts';
import { numberOf } from '../load/notification.ts';
import type { Measure } from '../report/measure.ts';
import { percentile } from '../report/statistics.ts';
import { startBot } from '../stage/bot.ts';
import { startLoad } from '../stage/load.ts';
import { accountedFor } from './accounted-for.ts';
import { eventsSince, type PostedEvent, shownAt } from './shown-at.ts';

/** Milliseconds, for lanes that can post immediately. Others wait for the second that Slack requires between two messages. */
const mostMs = 300;
/** A lane can post immediately if its previous notification was due this many milliseconds earlier. */
const restedMs = 1_500;
const connections = 64;
const warm = { rate: 100, seconds: 5 };

/**
 * Measures how soon quiet channels get their messages while 10,000 notifications wait in one channel and calls for another one hang until
 * the bot gives up on them.
 */
export async function measureFairness(bench: Bench): Promise<Measure[]> {
  const { rounds, seconds, rate, waiting } = bench.plan.fairness;
  const database = await bench.database('posts');
  const [busy, hung, ...quiet] = database.targets;
  if (!busy || !hung) throw new Error('there are too few channels');
  const { port } = await startBot(
    { databaseUrl: database.url, role: 'all', slackApiUrl: bench.slack.apiUrl() },
    bench.undo,
  );
  const load = await startLoad(bench.undo);
  bench.say('warming up');
  await load.run({ kind: 'open', port, ...warm, targets: quiet, mark: newMark() });
  await accountedFor(database, 60_000);
  const times: number[] = [];
  const atOnce: number[] = [];
  let sent = 0;
  for (let round = 1; round <= rounds; round++) {
    bench.say(`round ${round} of ${rounds}`);
    // Both hang, so that all the thousands wait when the quiet channels start; then one is released and posts them.
    for (const { channelId } of [busy, hung]) await bench.slack.hang(channelId);
    const common = { kind: 'closed', port, warmSeconds: 0 } as const;
    await load.run({ ...common, connections: 1, most: 20, targets: [hung], mark: newMark() });
    await load.run({ ...common, connections, most: waiting, targets: [busy], mark: newMark() });
    await bench.slack.release(busy.channelId);
    const mark = newMark();
    const { dueAt } = await load.run({ kind: 'open', port, rate, seconds, targets: quiet, mark });
    await bench.slack.release(hung.channelId);
    await accountedFor(database, 120_000);
    const events = await eventsSince(database, dueAt[0] ?? 0);
    const shown = shownAt(events, await bench.slack.log(), { mark });
    const rested = restedIn(events, { mark, dueAt });
    for (const [number, at] of shown) {
      const time = at - (dueAt[number] ?? Number.NaN);
      times.push(time);
      if (rested.has(number)) atOnce.push(time);
    }
    sent += dueAt.length;
  }
  const note = times.length < sent ? `${sent - times.length} NOT shown` : undefined;
  const what = `quiet channels while ${waiting.toLocaleString('en-US')} wait in one channel and another hangs`;
  return [
    { key: 'p50', what: `${what}: p50`, value: percentile(times, 0.5), unit: 'ms', note, better: 'less' },
    {
      key: 'p99',
      what: `${what}: p99`,
      value: percentile(times, 0.99),
      unit: 'ms',
      better: 'less',
    },
    {
      key: 'at once p99',
      what: `${what}, if the lane can post immediately: p99`,
      value: percentile(atOnce, 0.99),
      unit: 'ms',
      goal: { most: mostMs },
      better: 'less',
      inShort: 'How soon do other channels get their messages while one is flooded (p99)?',
    },
  ];
}

/** Returns the numbers of the notifications whose channel had been quiet for a while. */
function restedIn(
  events: readonly PostedEvent[],
  { mark, dueAt }: { mark: string; dueAt: Float64Array },
): Set<number> {
  const rested = new Set<number>();
  const lastDue = new Map<string, number>();
  const numbered = events.flatMap(({ notificationId, channelId }) => {
    const number = numberOf({ mark }, notificationId);
    return number === null ? [] : [{ number, channelId }];
  });
  for (const { number, channelId } of numbered.toSorted((one, other) => one.number - other.number)) {
    const due = dueAt[number] ?? Number.NaN;
    if (due - (lastDue.get(channelId) ?? Number.NEGATIVE_INFINITY) >= restedMs) rested.add(number);
    lastDue.set(channelId, due);
  }
  return rested;
}
