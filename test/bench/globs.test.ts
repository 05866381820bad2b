import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { root } from '../guards/source-files.ts';

test('the glob benchmark prints a figure for each of its cases', async () => {
  const { stdout } = await promisify(execFile)(process.execPath, [join(root, 'bench/run-globs.ts'), '3']);

  expect(stdout.trim().split('\n')).toHaveLength(6);
  expect(stdout.trim().split('\n')).toEqual(Array(6).fill(expect.stringMatching(/^.+: \d+\.\d\d ms$/)));
});
