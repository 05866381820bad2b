import type { Bench } from './bench.ts';
import { measureAcceptance } from './figures/acceptance.ts';
import { measureAfternoon } from './figures/afternoon.ts';
import { measureBurst } from './figures/burst.ts';
import { measureEndToEnd } from './figures/end-to-end.ts';
import { measureFairness } from './figures/fairness.ts';
import { measureIdle } from './figures/idle.ts';
import { measureLatency } from './figures/latency.ts';
import { measureMalformed } from './figures/malformed.ts';
import { measureMemory } from './figures/memory.ts';
import { measurePosting } from './figures/posting.ts';
import { measureStart } from './figures/start.ts';
import { measureTakeover } from './figures/takeover.ts';
import type { FigureName, Options } from './options.ts';
import type { Plan } from './plan.ts';
import { comparedTo, failedKey, isFailed, type Measure, type Section } from './report/measure.ts';
import { type BenchDatabase, openDatabase, settleAll } from './stage/database.ts';
import { fill, sizeThatFits } from './stage/fill.ts';
import { teamId } from './stage/keys.ts';
import { type Postgres, startPostgres } from './stage/postgres.ts';
import { startSlack } from './stage/slack.ts';
import { makeUndo, type Undo } from './stage/undo.ts';

const figures: Readonly<
  Record<
    FigureName,
    {
      title: string;
      /** What is compared with what, and why, for a first-time reader. */
      about: string;
      measure: (bench: Bench) => Promise<Measure[]>;
    }
  >
> = {
  acceptance: {
    title: 'Acceptance',
    about:
      'How many notifications per second are answered with 200, beside three bare servers: a only answers, b inserts each request, c inserts in batches. c is the most this machine can do.',
    measure: measureAcceptance,
  },
  latency: {
    title: 'Latency of acceptance',
    about: 'How long the service waits for its 200 at a usual rate, beside a server that only inserts.',
    measure: measureLatency,
  },
  'end-to-end': {
    title: 'From a notification to its message',
    about:
      'From the moment a notification is due at the bot to its message in Slack. 80 ms of it are the response time of Slack.',
    measure: measureEndToEnd,
  },
  posting: {
    title: 'What a message costs',
    about:
      "What a message costs, and how many one process can post. Counts the program's processor time, not that of Postgres. The bare relay uses only node:http and pg: it inserts and marks in batches, and posts without rendering.",
    measure: measurePosting,
  },
  burst: {
    title: 'Burst',
    about:
      'Thousands of files for one channel at once. Slack accepts one message per second, so the bot combines many changes in one message.',
    measure: measureBurst,
  },
  fairness: {
    title: 'Fairness',
    about:
      'Whether other channels are delayed while one channel is flooded and Slack does not respond for another one.',
    measure: measureFairness,
  },
  afternoon: {
    title: 'Compared with a simple bot',
    about:
      'Beside a bot that a developer could write in an afternoon with Express and @slack/web-api: it posts each notification before it answers, and stores nothing. Slack accepts one message per second and channel here, like the real one.',
    measure: measureAfternoon,
  },
  start: {
    title: 'Start to ready',
    about: 'From process start to the first 200 of /readyz.',
    measure: measureStart,
  },
  idle: {
    title: 'Idle',
    about: 'What an idle bot costs.',
    measure: measureIdle,
  },
  memory: {
    title: 'Memory under load',
    about: 'Memory before, during and after the highest load it can take.',
    measure: measureMemory,
  },
  takeover: {
    title: 'Takeover after kill -9',
    about: 'Two bots share a database; the one that is posting is killed, and the other must take over.',
    measure: measureTakeover,
  },
  malformed: {
    title: 'Malformed bodies',
    about: 'Unreadable bodies, sent to a live callback address and to tokens that never existed.',
    measure: measureMalformed,
  },
};

/** Figures that could depend on the size of the store. */
const bigFigures: ReadonlySet<FigureName> = new Set([
  'acceptance',
  'latency',
  'end-to-end',
  'fairness',
  'memory',
]);

type Run = {
  readonly options: Options;
  readonly plan: Plan;
  /** Ends everything that was started. */
  readonly undo: Undo;
  readonly say: (progress: string) => void;
};

type Figures = {
  readonly sections: Section[];
  readonly remarks: string[];
  /** Whether any figure could not be measured. */
  readonly failed: boolean;
};

/** Measures the figures requested by the options, one after the other. */
export async function measureFigures(run: Run): Promise<Figures> {
  const postgres = await startPostgres(run.options.databaseUrl, run.undo);
  run.say(postgres.about);
  const small: Section[] = [];
  for (const name of run.options.figures) small.push(await measureOne(run, postgres, { name }));
  if (!run.options.big)
    return { sections: small, remarks: [`${postgres.about}.`], failed: small.some(isFailed) };
  const { size, about } = await sizeThatFits(run.plan.big, postgres);
  run.say(about);
  const store = await openDatabase(postgres, { name: 'big' }, run.undo);
  await fill(store.url, size, run.say);
  const big: Section[] = [];
  for (const name of run.options.figures.filter((each) => bigFigures.has(each))) {
    big.push(await measureOne(run, postgres, { name, store }));
    await settleAll(store);
  }
  return {
    sections: [...small, ...comparedTo(small, big)],
    remarks: [`${postgres.about}.`, about],
    failed: [...small, ...big].some(isFailed),
  };
}

/**
 * Measures a figure, and ends what it has started.
 * @param store the big database, if the figure is measured on it
 */
async function measureOne(
  { plan, undo, say }: Run,
  postgres: Postgres,
  { name, store }: { name: FigureName; store?: BenchDatabase | undefined },
): Promise<Section> {
  const { title, about, measure } = figures[name];
  const own = makeUndo((error) => say(`cleanup failed: ${String(error)}`));
  undo.add(own.all);
  const fresh = (purpose: string, channels?: number) =>
    openDatabase(postgres, { name: `${name.replaceAll('-', '_')}_${purpose}`, channels }, own);
  try {
    const measures = await measure({
      plan,
      slack: await startSlack(teamId, own),
      database: (purpose, channels) =>
        store && purpose !== 'bare' ? Promise.resolve(store) : fresh(purpose, channels),
      isBig: store !== undefined,
      undo: own,
      say: (progress) => say(`${store ? 'big, ' : ''}${name}: ${progress}`),
    });
    return { figure: title, about, measures };
  } catch (error) {
    if (undo.isOver()) throw error;
    // The other figures are still worth having.
    say(`${name} could not be measured: ${String(error)}`);
    const [reason] = String(error).split('\n');
    const what = `not measured: ${reason}`;
    return {
      figure: title,
      about,
      measures: [{ key: failedKey, what, value: Number.NaN, unit: '', goal: { most: 0 } }],
    };
  } finally {
    await own.all();
  }
}
