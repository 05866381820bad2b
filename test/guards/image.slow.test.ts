import { execFile } from 'node:child_process';
import { globSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { readText, root } from './source-files.ts';

const run = promisify(execFile);

test('the image is built with all code compiled, for the same flags that its start uses', async () => {
  const dockerfile = readText('Dockerfile');
  const [, compile = '[]'] = /^RUN (\["node".*\])$/m.exec(dockerfile) ?? [];
  const [, start = '[]'] = /^CMD (\[.*\])$/m.exec(dockerfile) ?? [];
  const [, ...args] = (JSON.parse(compile) as string[]).map((arg) => arg.replaceAll('/app/', `${root}/`));
  const compiled = await mkdtemp(join(tmpdir(), 'plancast-compiled-'));

  await run(process.execPath, args, { env: { NODE_COMPILE_CACHE: compiled }, cwd: root });
  const files = globSync('**/*', { cwd: compiled });
  await rm(compiled, { recursive: true });

  expect(files.length).toBeGreaterThan(globSync('src/**/*.ts', { cwd: root }).length);
  // Other flags would use another cache.
  const flags = (JSON.parse(start) as string[]).filter((arg) => arg.startsWith('--'));
  expect(args.slice(0, flags.length)).toEqual(flags);
  expect(args[flags.length]).toBe('--input-type=module');
}, 60_000);
