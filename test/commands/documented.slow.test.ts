import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { globSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { readText, root } from '../guards/source-files.ts';
import { freshDatabase } from '../support/postgres.ts';
import { startSystems } from './systems.ts';

const { scripts } = JSON.parse(readText('package.json')) as { scripts: Record<string, string> };
/** Scripts that do one thing and exit; those that serve, measure or test have tests of their own. */
const isCommand = (name: string) => /(src\/commands|manifest)\/\S+\.ts/.test(scripts[name] ?? '');

const pages = globSync(['README.md', 'docs/*.md', '.env.example'], { cwd: root }).map(readText);
const inPages = (pattern: RegExp) => pages.flatMap((text) => [...text.matchAll(pattern)]);
/** A command ends with its code, its line, or where its output goes. */
const trimmed = (line: string) => line.trim().replace(/[.,;:)]+$/, '');

/** Every such command in README and docs, as it is printed there. */
const throughNpm = inPages(/\bnpm run ((?:--silent )?([a-z-]+)(?: -- [^`|>\n]+)?)/g).flatMap(
  ([, line = '', name = '']) => (isCommand(name) ? [`npm run ${trimmed(line)}`] : []),
);
/** The same in a container, without what leads into it. */
const inContainers = inPages(/\bnode src\/commands\/[^`|>\n]+/g).map(([line]) => trimmed(line));
const documented = [...new Set([...throughNpm, ...inContainers])].sort();

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'plancast-documented-'));
});
afterAll(() => rm(folder, { recursive: true }));

async function run(line: string, env: Record<string, string>) {
  const [program = '', ...args] = line.split(' ');
  const child = spawn(program, args, { cwd: root, env: { ...process.env, ...env } });
  const output = [text(child.stdout), text(child.stderr), once(child, 'exit')] as const;
  const [stdout, stderr, [code]] = await Promise.all(output);
  return { code, said: stdout + stderr };
}

/** What a reader types for a word that stands for a value of their own. */
const own = (line: string, file: string) =>
  line.replace('FILE', file).replace('ID', 'all').replace('--url …', '--url https://bot.example.com');

test('every command that README and docs print for operators is understood as printed, and never answers with a stack', async () => {
  const database = await freshDatabase('documented');
  const systems = await startSystems(database.url);
  const file = join(folder, 'all.sql.gz');
  expect(documented).toEqual(
    expect.arrayContaining(['npm run dead-letters -- list', 'node src/commands/dead-letters.ts list']),
  );

  const answers: Record<string, string> = {};
  for (const line of documented) {
    const { code, said } = await run(own(line, file), systems.environment);
    // Named without its arguments in a sentence, a command that needs some answers with how to use it.
    const isBare = line.startsWith('npm run ') && !line.includes(' -- ');
    const isMisunderstood = !isBare && (code === 2 || /^Usage: /m.test(said));
    if (isMisunderstood || /^\s+at .*:\d+:\d+\)?$/m.test(said)) answers[line] = said.slice(-500);
  }
  systems.close();
  await database.drop();

  expect(answers).toEqual({});
}, 240_000);
