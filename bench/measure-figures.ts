import type { Bench } from './bench.ts';
import { measureAcceptance } from './figures/acceptance.ts';
import { measureBurst } from './figures/burst.ts';
import { measureEndToEnd } from './figures/end-to-end.ts';
import { measureFairness } from './figures/fairness.ts';
import { measureIdle } from './figures/idle.ts';
import { measureLatency } from './figures/latency.ts';
import { measureMalformed } from './figures/malformed.ts';
import { measureMemory } from './figures/memory.ts';
import { measureStart } from './figures/start.ts';
import { measureTakeover } from './figures/takeover.ts';
import type { FigureName, Options } from './options.ts';
import type { Plan } from './plan.ts';
import { comparedTo, type Measure, type Section } from './report/measure.ts';
import { type BenchDatabase, openDatabase, settleAll } from './stage/database.ts';
import { fill, sizeThatFits } from './stage/fill.ts';
import { teamId } from './stage/keys.ts';
import { type Postgres, startPostgres } from './stage/postgres.ts';
import { startSlack } from './stage/slack.ts';
import { makeUndo, type Undo } from './stage/undo.ts';

const figures: Readonly<
  Record<FigureName, { title: string; measure: (bench: Bench) => Promise<Measure[]> }>
> = {
  acceptance: { title: 'Acceptance', measure: measureAcceptance },
  latency: { title: 'Latency of acceptance', measure: measureLatency },
  'end-to-end': { title: 'From a notification to its message', measure: measureEndToEnd },
  burst: { title: 'Burst', measure: measureBurst },
  fairness: { title: 'Fairness', measure: measureFairness },
  start: { title: 'Start to ready', measure: measureStart },
  idle: { title: 'Idle', measure: measureIdle },
  memory: { title: 'Memory under load', measure: measureMemory },
  takeover: { title: 'Takeover after kill -9', measure: measureTakeover },
  malformed: { title: 'Malformed bodies', measure: measureMalformed },
};

/** Figures that a large store might change. */
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
  /** Ends what is started. */
  readonly undo: Undo;
  readonly say: (progress: string) => void;
};

type Figures = {
  readonly sections: Section[];
  readonly remarks: string[];
  /** Whether a figure could not be measured. */
  readonly failed: boolean;
};

/** Measures what the options ask for, one figure after the other. */
export async function measureFigures(run: Run): Promise<Figures> {
  const postgres = await startPostgres(run.options.databaseUrl, run.undo);
  run.say(postgres.about);
  const small: Section[] = [];
  for (const name of run.options.figures) small.push(await measureOne(run, postgres, { name }));
  if (!run.options.big)
    return { sections: small, remarks: [`${postgres.about}.`], failed: small.some(isFailed) };
  const { size, about } = await sizeThatFits(run.plan.big, postgres);
  run.say(about);
  const store = await openDatabase(postgres, 'big', run.undo);
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

/** Measures a figure, and ends what it has started. @param store the big database, where it is to be measured on that */
async function measureOne(
  { plan, undo, say }: Run,
  postgres: Postgres,
  { name, store }: { name: FigureName; store?: BenchDatabase | undefined },
): Promise<Section> {
  const { title, measure } = figures[name];
  const own = makeUndo((error) => say(`could not be ended: ${String(error)}`));
  undo.add(own.all);
  const fresh = (purpose: string) => openDatabase(postgres, `${name.replaceAll('-', '_')}_${purpose}`, own);
  try {
    const measures = await measure({
      plan,
      slack: await startSlack(teamId, own),
      database: (purpose) => (store && purpose !== 'bare' ? Promise.resolve(store) : fresh(purpose)),
      isBig: store !== undefined,
      undo: own,
      say: (progress) => say(`${store ? 'big, ' : ''}${name}: ${progress}`),
    });
    return { figure: title, measures };
  } catch (error) {
    if (undo.isOver()) throw error;
    // The others are still worth having.
    say(`${name} could not be measured: ${String(error)}`);
    const [reason] = String(error).split('\n');
    const what = `not measured: ${reason}`;
    return {
      figure: title,
      measures: [{ key: failedKey, what, value: Number.NaN, unit: '', goal: { most: 0 } }],
    };
  } finally {
    await own.all();
  }
}

const failedKey = 'failed';

function isFailed({ measures }: Section): boolean {
  return measures.some(({ key }) => key === failedKey);
}
