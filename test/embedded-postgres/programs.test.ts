import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { postgresPrograms } from '../../src/embedded-postgres/programs.ts';
import { runProgram } from '../../src/embedded-postgres/run-program.ts';
import { silentLog } from '../support/log.ts';

test('if Postgres does not run here, the admin reads why', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'plancast-programs-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const packaged = join(folder, 'package', 'native');
  await mkdir(join(packaged, 'bin'), { recursive: true });
  await mkdir(join(packaged, 'share', 'postgresql'), { recursive: true });
  await writeFile(join(packaged, 'share', 'postgresql', 'postgres.bki'), '');
  await writeFile(join(folder, 'package', 'package.json'), '{"version":"1.0.0"}');
  const broken = '#!/bin/sh\necho "libicu.so.60: cannot open shared object file" >&2; exit 127\n';
  for (const name of ['postgres', 'initdb'])
    await writeFile(join(packaged, 'bin', name), broken, { mode: 0o755 });

  await expect(
    postgresPrograms({ packaged, account: undefined, creates: true, copiesIn: folder, log: silentLog }),
  ).rejects.toThrow(/does not run on this system .*libicu\.so\.60: cannot open.*set DATABASE_URL/);
});

test('if initdb finds no room on the disk, the admin reads that, and not how it tidied up', async () => {
  const said = `2026-11-27 01:46:35.281 UTC [3580] FATAL:  could not write to file "base/4/1249": No space left on device
child process exited with exit code 1
initdb: removing data directory "/data"`;

  await expect(runProgram('sh', ['-c', 'echo "$1" >&2; exit 1', 'sh', said])).rejects.toThrow(
    /^sh failed: .*: No space left on device$/,
  );
});
