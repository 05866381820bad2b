import { matchesGlob, parseGlob, readGlobPath } from '../src/core/model/glob.ts';

/** Prints the processor time of the worst globs of 1,000 characters against paths of 4,000 characters. Takes how often each is matched. */

const long = 'a'.repeat(4_000);
const different = Array.from({ length: 4_000 }, (_, index) => String.fromCodePoint(0x4e00 + index)).join('');
const cases: readonly (readonly [title: string, glob: string, path: string])[] = [
  ['ten stars between letters', `${'*a'.repeat(10)}${'a'.repeat(979)}b`, long],
  ['ten double stars between folders', `${'**/a/'.repeat(10)}${'a/'.repeat(475)}b`, 'a/'.repeat(2_000)],
  [
    'alternatives of 100 letters each',
    `{${Array.from({ length: 9 }, () => 'a'.repeat(100)).join(',')}}*b`,
    long,
  ],
  ['4,000 different characters', `*${different.slice(0, 990)}*`, different],
  ['names with › between them, which are read in two ways', 'a › '.repeat(250), 'a/'.repeat(2_000)],
  ['literal letters alone', 'a'.repeat(1_000), long],
];

const rounds = Number(process.argv[2] ?? 100);
for (const [title, glob, path] of cases) {
  matchesGlob(parseGlob(glob), readGlobPath(path));
  // Processor time, which does not depend on the machine's load.
  const before = process.cpuUsage();
  for (let round = 0; round < rounds; round += 1) matchesGlob(parseGlob(glob), readGlobPath(path));
  const { user, system } = process.cpuUsage(before);
  process.stdout.write(`${title}: ${((user + system) / rounds / 1_000).toFixed(2)} ms\n`);
}
