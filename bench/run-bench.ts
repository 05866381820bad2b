import { readFile, writeFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { measureFigures } from './measure-figures.ts';
import { commandOf, figureNames, type Options, readOptions, usage } from './options.ts';
import { fullPlan, quickPlan } from './plan.ts';
import { betweenMarkers, sectionOf } from './report/between-markers.ts';
import { thisMachine } from './report/machine.ts';
import { markdownReport, type RunOf, textReport, updateReport } from './report/report.ts';
import { makeUndo, type Undo } from './stage/undo.ts';

/** How long a start in progress gets to end when the run is ended, in milliseconds. */
const lastStartMs = 15_000;

const page = fileURLToPath(new URL('../docs/measured.md', import.meta.url));
const say = (line: string): void => void process.stderr.write(`${line}\n`);

async function main(): Promise<number> {
  const read = readOptions(process.argv.slice(2));
  if (read.kind === 'help') {
    process.stdout.write(usage);
    return 0;
  }
  if (read.kind === 'wrong') {
    process.stderr.write(`${read.fault}\n\n${usage}`);
    return 2;
  }
  return run(read.options);
}

async function run(options: Options): Promise<number> {
  const undo = makeUndo((error) => say(`cleanup failed: ${String(error)}`));
  const measuring = measure(options, undo);
  const stop = async (signal: NodeJS.Signals): Promise<void> => {
    // npm forwards a signal that the terminal has already sent to both.
    if (undo.isOver()) return;
    say(`${signal}: cleaning up`);
    await undo.all();
    // A process that is still starting is ended as soon as it is up.
    await Promise.race([measuring.catch(() => undefined), sleep(lastStartMs)]);
    await undo.all();
    process.exit(130);
  };
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.on(signal, (name) => void stop(name));
  }
  try {
    return await measuring;
  } catch (error) {
    // Ending the run also ends this process, after everything is gone.
    if (undo.isOver()) await new Promise(() => undefined);
    throw error;
  } finally {
    await undo.all();
  }
}

async function measure(options: Options, undo: Undo): Promise<number> {
  const plan = options.quick ? quickPlan : fullPlan;
  const { sections, remarks, failed } = await measureFigures({ options, plan, undo, say });
  const about: RunOf = { date: new Date(), machine: thisMachine(), command: commandOf(options), remarks };
  process.stdout.write(`${textReport(about, sections)}\n`);
  if (options.write) {
    const text = await readFile(page, 'utf8');
    const before = sectionOf(text);
    const isPart = options.figures.length < figureNames.length && before !== '';
    const report = isPart ? updateReport(before, about, sections) : markdownReport(about, sections);
    await writeFile(page, betweenMarkers(text, report));
  }
  return failed ? 1 : 0;
}

process.exitCode = await main();
