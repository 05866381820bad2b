import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../../../', import.meta.url));

/** Returns a value as JSON in the format that `npm run check` requires of every file. Throws if Biome cannot run. */
export function formattedJson(value: unknown): string {
  const { stdout, stderr, status } = spawnSync(
    'node_modules/.bin/biome',
    ['format', '--stdin-file-path=gallery.json'],
    { cwd: root, input: JSON.stringify(value, null, 2), encoding: 'utf8', maxBuffer: 64 * 1024 * 1024 },
  );
  if (status !== 0) throw new Error(`Biome did not format: ${stderr}`);
  return stdout;
}
