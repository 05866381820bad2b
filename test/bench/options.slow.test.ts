import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { expect, test } from 'vitest';
import { commandOf, figureNames, readOptions } from '../../bench/options.ts';
import { root } from '../guards/source-files.ts';

async function bench(...args: string[]) {
  const child = spawn(process.execPath, [join(root, 'bench/run-bench.ts'), ...args], { cwd: root });
  const [stdout, stderr, [code]] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, 'exit'),
  ]);
  return { stdout, stderr, code };
}

const read = (...args: string[]) => {
  const answer = readOptions(args);
  if (answer.kind !== 'run') throw new Error(answer.kind);
  return answer.options;
};

test('asking for help prints the usage and measures nothing', async () => {
  const { stdout, code } = await bench('--help');

  expect(stdout).toContain('--only NAMES');
  for (const name of figureNames) expect(stdout).toContain(name);
  expect(code).toBe(0);
});

test.each([['--fast'], ['--only', 'acceptance,speed'], ['--only'], ['acceptance']])(
  'wrong options print the fault and the usage, and exit with 2: %s %s',
  async (...args) => {
    const { stdout, stderr, code } = await bench(...args);

    expect(stderr).toContain('--only NAMES');
    expect(stderr.split('\n')[0]).not.toBe('');
    expect(stdout).toBe('');
    expect(code).toBe(2);
  },
);

test('without options everything is measured in full and written to the page', () => {
  expect(read()).toEqual({
    figures: figureNames,
    quick: false,
    big: false,
    write: true,
    databaseUrl: undefined,
  });
});

test('figures are measured in their own order, not in that of the command line', () => {
  expect(read('--only', 'burst, acceptance', '--no-write')).toMatchObject({
    figures: ['acceptance', 'burst'],
    write: false,
  });
});

test('the command in the report can be run again, and contains no password', () => {
  const options = read('--only', 'burst', '--quick', '--database-url', 'postgres://me:hunter2@db/x');

  expect(commandOf(options)).toBe('npm run bench -- --only burst --quick --database-url …');
  expect(commandOf(read())).toBe('npm run bench');
});
