import { type Bench, newMark } from '../bench.ts';
import type { Answers } from '../load/closed-loop.ts';
import type { Target } from '../load/notification.ts';
import { type Goal, type Measure, shown } from '../report/measure.ts';
import { median } from '../report/statistics.ts';
import { startBare } from '../stage/bare.ts';
import { startBot } from '../stage/bot.ts';
import { type BenchDatabase, settleAll } from '../stage/database.ts';
import { startLoad } from '../stage/load.ts';
import { cpuSeconds } from '../stage/process-use.ts';
import { accountedFor } from './accounted-for.ts';
import { refusedIn } from './refused.ts';

type Subject = {
  readonly name: string;
  readonly port: number;
  readonly pid: number;
  readonly targets: readonly Target[];
  /** Waits until the bot is idle, before the next measurement. */
  readonly rest: () => Promise<void>;
};

type Round = { readonly perSecond: number; readonly refused: number; readonly cpuMicroseconds: number };

const names = {
  answer: 'a: bare server',
  insert: 'b: one insert per request',
  batch: 'c: batched inserts',
  web: 'd: the bot, ROLE=web',
  all: 'd: the bot, ROLE=all, posting',
};
/** What the figures with 64 connections answer. */
const questions: Readonly<Record<string, string>> = {
  [names.web]: 'How many notifications per second can it accept?',
  [names.all]: 'And while it also posts them?',
};
/** With 64 connections, the bot must reach this share of what the database accepts (server c). */
const shareOfLimit = { web: 0.8, all: 0.5 };
const goalConnections = 64;
/** A big run is compared only at this number of connections. */
const bigConnections = [goalConnections];

/** Measures how many notifications per second are answered with 200, beside bare servers, with several numbers of connections. */
export async function measureAcceptance(bench: Bench): Promise<Measure[]> {
  const connections = bench.isBig ? bigConnections : bench.plan.acceptance.connections;
  // On a shared database, a posting bot would post what the previous one left.
  const groups = bench.isBig ? ([['web'], ['all']] as const) : ([['web', 'all']] as const);
  const all: Measure[] = [];
  for (const roles of groups) {
    const subjects = await startSubjects(bench, roles);
    for (const count of connections) all.push(...(await measureWith(bench, subjects.list, count)));
    await subjects.end();
  }
  return [...new Map(all.map((measure) => [measure.key, measure])).values()];
}

async function startSubjects(bench: Bench, roles: readonly ('web' | 'all')[]) {
  const own = bench.undo;
  const bare = await bench.database('bare');
  const list: Subject[] = [];
  const none = async (): Promise<void> => undefined;
  for (const mode of ['answer', 'insert', 'batch'] as const) {
    const server = await startBare({ mode }, bare, own);
    list.push({ name: names[mode], ...server, targets: bare.targets, rest: none });
  }
  const ends: Array<() => Promise<void>> = [];
  for (const role of roles) {
    const database = await bench.database(role);
    const bot = await startBot({ databaseUrl: database.url, role, slackApiUrl: bench.slack.apiUrl() }, own);
    const rest = role === 'all' ? () => comeToRest(database) : none;
    list.push({ name: names[role], port: bot.port, pid: bot.pid, targets: database.targets, rest });
    ends.push(async () => {
      await bot.end();
      await settleAll(database);
    });
  }
  return {
    list,
    async end() {
      for (const end of ends) await end();
    },
  };
}

async function comeToRest(database: BenchDatabase): Promise<void> {
  await accountedFor(database, 120_000);
}

async function measureWith(
  bench: Bench,
  subjects: readonly Subject[],
  connections: number,
): Promise<Measure[]> {
  const { rounds } = bench.plan.acceptance;
  const load = await startLoad(bench.undo);
  const results = new Map<string, Round[]>(subjects.map(({ name }) => [name, []]));
  for (let round = 1; round <= rounds; round++) {
    for (const subject of subjects) {
      bench.say(`${connections} connections, round ${round} of ${rounds}: ${subject.name}`);
      results.get(subject.name)?.push(await oneRound(bench, load, { subject, connections }));
      await subject.rest();
    }
  }
  return measuresOf(results, connections);
}

async function oneRound(
  bench: Bench,
  load: Awaited<ReturnType<typeof startLoad>>,
  { subject, connections }: { subject: Subject; connections: number },
): Promise<Round> {
  const { warm, seconds } = bench.plan.acceptance;
  const before = await cpuSeconds(subject.pid);
  const answers: Answers = await load.run({
    kind: 'closed',
    port: subject.port,
    connections,
    warmSeconds: warm,
    seconds,
    targets: subject.targets,
    mark: newMark(),
  });
  const used = (await cpuSeconds(subject.pid)) - before;
  return {
    perSecond: (answers.statuses[200] ?? 0) / answers.seconds,
    refused: refusedIn(answers.statuses),
    cpuMicroseconds: (used * 1e6) / answers.sent,
  };
}

function measuresOf(results: ReadonlyMap<string, readonly Round[]>, connections: number): Measure[] {
  const perSecond = (name: string) => median(results.get(name)?.map((round) => round.perSecond) ?? []);
  const limit = perSecond(names.batch);
  const withConnections = connections === 1 ? '1 connection' : `${connections} connections`;
  return [...results].flatMap(([name, rounds]): Measure[] => {
    const key = `${connections} ${name}`;
    const value = perSecond(name);
    const isBot = name === names.web || name === names.all;
    const cpu = median(rounds.map((round) => round.cpuMicroseconds));
    const refused = rounds.reduce((sum, round) => sum + round.refused, 0);
    const note = `${cpu.toFixed(0)} µs of a core each${refused > 0 ? `, ${refused} NOT answered with 200` : ''}`;
    const own: Measure = {
      key,
      what: `${withConnections}, ${name}`,
      value,
      unit: '/s',
      note,
      better: isBot ? 'more' : undefined,
      inShort: connections === goalConnections ? questions[name] : undefined,
      beside: `${shown(limit, '/s')} is the limit of inserts alone`,
    };
    if (!isBot) return [own];
    const ratio: Measure = {
      key: `${key} of c`,
      what: `${withConnections}, ${name}: share of batched inserts`,
      value: value / limit,
      unit: 'x',
      goal: connections === goalConnections ? goalOf(name) : undefined,
    };
    return [own, ratio];
  });
}

function goalOf(name: string): Goal {
  return { least: name === names.web ? shareOfLimit.web : shareOfLimit.all };
}
