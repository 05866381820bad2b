import { readFile, writeFile } from 'node:fs/promises';
import { availableParallelism, cpus, totalmem } from 'node:os';
import { readOptions, type SoakOptions, usage, WrongOptionsError } from './options.ts';
import { isClean, sectionOf, tableOf, withSection } from './report.ts';
import { soak } from './soak.ts';

/** `npm run soak`: see the usage. */
async function main(args: readonly string[]): Promise<void> {
  const options = read(args);
  if (options === null) return;
  const ending = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.on(signal, () => {
      say('ending early; pending events are still posted');
      ending.abort();
    });
  }
  const result = await soak(options, { say, ending: ending.signal });
  process.stdout.write(`\n${tableOf(result)}\n`);
  const page = await readFile(options.out, 'utf8').catch(() => '');
  await writeFile(options.out, withSection(page, sectionOf(result, machine())));
  process.exitCode = isClean(result) ? 0 : 1;
}

/** Returns the options; null after printing the help or an error. */
function read(args: readonly string[]): SoakOptions | null {
  try {
    const options = readOptions(args);
    if (options !== 'help') return options;
    process.stdout.write(usage);
  } catch (error) {
    if (!(error instanceof WrongOptionsError)) throw error;
    process.stderr.write(`${error.message}\n\n${usage}`);
    process.exitCode = 2;
  }
  return null;
}

function say(line: string): void {
  process.stdout.write(`${new Date().toISOString().slice(11, 19)} ${line}\n`);
}

function machine(): string {
  const model = cpus()[0]?.model.trim() ?? 'an unknown processor';
  const memory = Math.round(totalmem() / 1024 ** 3);
  return `${availableParallelism()} cores (${model}), ${memory} GiB, Node ${process.version}`;
}

try {
  await main(process.argv.slice(2));
} catch (error) {
  process.stderr.write(
    `The soak could not continue: ${error instanceof Error ? error.message : String(error)}\n`,
  );
  process.exitCode = 1;
}
