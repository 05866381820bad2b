import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { runCommand } from '../commands/run-command.ts';

const soak = (...args: string[]) => runCommand('bench/soak/run-soak.ts', args, {});

test('asking the soak for help prints the usage', async () => {
  const { code, stdout } = await soak('--help');

  expect(stdout).toContain('npm run soak -- [--minutes 60]');
  expect(code).toBe(0);
});

test('a half-minute soak with a kill loses nothing, and writes its section between the two markers of a page', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'plancast-soak-page-'));
  const page = join(folder, 'measured.md');
  await writeFile(page, '# Measured\n\n<!-- soak:start -->\nNothing yet.\n<!-- soak:end -->\n\n## After\n');

  const typed = [
    '--minutes',
    '0.5',
    '--channels',
    '3',
    '--rate',
    '5',
    '--restart-minutes',
    '0.3',
    '--out',
    page,
  ];
  const { code, stdout, stderr } = await soak(...typed);
  const written = await readFile(page, 'utf8');
  await rm(folder, { recursive: true });

  expect(stderr).toBe('');
  expect(stdout).toContain('first was ended by SIGKILL');
  expect(stdout).toMatch(/^lost +0 \(met\)$/m);
  expect(written).toMatch(
    /^# Measured\n\n<!-- soak:start -->\n[\s\S]*\| lost \| 0 \| met \|[\s\S]*<!-- soak:end -->\n\n## After\n$/,
  );
  expect(written).not.toContain('Nothing yet');
  expect(code).toBe(0);
}, 180_000);
