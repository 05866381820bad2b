import { type Bench, newMark } from '../bench.ts';
import type { Target } from '../load/notification.ts';
import type { Measure } from '../report/measure.ts';
import { median, percentile } from '../report/statistics.ts';
import { startBare } from '../stage/bare.ts';
import { startBot } from '../stage/bot.ts';
import type { BenchDatabase } from '../stage/database.ts';
import { startLoad } from '../stage/load.ts';
import { accountedFor } from './accounted-for.ts';
import { refusedIn } from './refused.ts';

type Subject = {
  readonly name: string;
  readonly port: number;
  readonly targets: readonly Target[];
  /** The database whose pending events must be posted before the next measurement. */
  readonly posts?: BenchDatabase | undefined;
};
type Round = { readonly p50: number; readonly p99: number; readonly refused: number };

/** How many times the p99 of a server that only inserts the bot's p99 may be. */
const mostTimesBare = { web: 3, all: 5 };
const bareName = 'b: one insert per request';
const warmSeconds = 3;

/** Measures how long a notification waits for its 200 at a fixed 200 per second, whatever the response times. */
export async function measureLatency(bench: Bench): Promise<Measure[]> {
  const { rate, seconds, rounds } = bench.plan.latency;
  const bare = await bench.database('bare');
  const subjects: Subject[] = [
    { name: bareName, ...(await startBare({ mode: 'insert' }, bare, bench.undo)), targets: bare.targets },
  ];
  for (const role of bench.isBig ? (['all'] as const) : (['web', 'all'] as const)) {
    const database = await bench.database(role);
    const bot = await startBot(
      { databaseUrl: database.url, role, slackApiUrl: bench.slack.apiUrl() },
      bench.undo,
    );
    subjects.push({
      name: `d: the bot, ROLE=${role}`,
      port: bot.port,
      targets: database.targets,
      ...(role === 'all' ? { posts: database } : {}),
    });
  }
  const load = await startLoad(bench.undo);
  const paced = ({ port, targets }: Subject, length: number) =>
    load.run({ kind: 'open', port, rate, seconds: length, targets, mark: newMark() });
  const results = new Map<string, Round[]>();
  const rest = async ({ posts }: Subject) => void (posts && (await accountedFor(posts, 120_000)));
  for (const subject of subjects) {
    await paced(subject, warmSeconds);
    await rest(subject);
  }
  for (let round = 1; round <= rounds; round++) {
    for (const subject of subjects) {
      bench.say(`${rate}/s, round ${round} of ${rounds}: ${subject.name}`);
      const { latencies, statuses, lateness } = await paced(subject, seconds);
      bench.say(`sent late by ${percentile(lateness, 0.99).toFixed(1)} ms (p99)`);
      const own = {
        p50: percentile(latencies, 0.5),
        p99: percentile(latencies, 0.99),
        refused: refusedIn(statuses),
      };
      results.set(subject.name, [...(results.get(subject.name) ?? []), own]);
      await rest(subject);
    }
  }
  return measuresOf(results, rate);
}

function measuresOf(results: ReadonlyMap<string, readonly Round[]>, rate: number): Measure[] {
  const p99Of = (name: string) => median(results.get(name)?.map(({ p99 }) => p99) ?? []);
  return [...results].flatMap(([name, rounds]): Measure[] => {
    const refused = rounds.reduce((sum, round) => sum + round.refused, 0);
    const note = refused > 0 ? `${refused} NOT answered 200` : undefined;
    const p50 = median(rounds.map((round) => round.p50));
    const better = name === bareName ? undefined : ('less' as const);
    const own: Measure[] = [
      { key: `${name} p50`, what: `${rate}/s, ${name}: p50`, value: p50, unit: 'ms', note, better },
      { key: `${name} p99`, what: `${rate}/s, ${name}: p99`, value: p99Of(name), unit: 'ms', better },
    ];
    if (name === bareName) return own;
    const value = p99Of(name) / p99Of(bareName);
    const goal = { most: name.endsWith('all') ? mostTimesBare.all : mostTimesBare.web };
    return [
      ...own,
      {
        key: `${name} of b`,
        what: `${rate}/s, ${name}: p99, times one insert per request`,
        value,
        unit: 'x',
        goal,
      },
    ];
  });
}
