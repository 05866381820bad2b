import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { globSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { readText, root } from '../guards/source-files.ts';
import { emptyDatabase, freshDatabase } from '../support/postgres.ts';
import { startSystems } from './systems.ts';

const { scripts } = JSON.parse(readText('package.json')) as { scripts: Record<string, string> };
/** Scripts that do one thing and exit; those that serve, measure or test have tests of their own. */
const isCommand = (name: string) => /(src\/commands|manifest)\/\S+\.ts/.test(scripts[name] ?? '');

/** Every such command in README and docs, as it is printed there. A command ends with its code, its line, or where its output goes. */
const printed = globSync(['README.md', 'docs/*.md', '.env.example'], { cwd: root }).flatMap((page) =>
  [...readText(page).matchAll(/\bnpm run ((?:--silent )?([a-z-]+)(?: -- [^`|>\n]+)?)/g)].flatMap(
    ([, line = '', name = '']) => (isCommand(name) ? [line.trim().replace(/[.,;:)]+$/, '')] : []),
  ),
);
const documented = [...new Set(printed)].sort();

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'plancast-documented-'));
});
afterAll(() => rm(folder, { recursive: true }));

async function npm(line: string, env: Record<string, string>) {
  const run = spawn('npm', ['run', ...line.split(' ')], { cwd: root, env: { ...process.env, ...env } });
  const [stdout, stderr, [code]] = await Promise.all([text(run.stdout), text(run.stderr), once(run, 'exit')]);
  return { code, stdout, stderr };
}

/** What a reader types for a word that stands for a value of their own. */
const own = (line: string, file: string, target: string) =>
  line
    .replace('FILE', file)
    .replace('ID', 'all')
    .replace('--url …', '--url https://bot.example.com')
    .replace(/postgres:\/\/\S+/, target);

test('every command that README and docs print for operators is understood as printed, and never answers with a stack', async () => {
  const database = await freshDatabase('documented');
  const target = await emptyDatabase('documented target');
  const systems = await startSystems(database.url);
  const file = join(folder, 'all.sql.gz');
  expect(documented).toContain('dead-letters -- list');

  const answers: Record<string, string> = {};
  for (const line of documented) {
    const { code, stdout, stderr } = await npm(own(line, file, target.url), systems.environment);
    const said = stdout + stderr;
    // Named without its arguments in a sentence, a command that needs some answers with how to use it.
    const isMisunderstood = line.includes(' -- ') && (code === 2 || /^Usage: /m.test(said));
    if (isMisunderstood || /^\s+at .*:\d+:\d+\)?$/m.test(said)) answers[line] = said.slice(-500);
  }
  systems.close();
  await Promise.all([database.drop(), target.drop()]);

  expect(answers).toEqual({});
}, 240_000);
