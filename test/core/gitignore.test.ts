import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { compileGlobs, readGlobPath } from '../../src/core/model/glob.ts';

/** In lower case, since git compares case; those that end in a slash are folders. */
const paths = [
  'plans/',
  'plans/level 1/',
  'plans/level 1/a-101.pdf',
  'plans/level 1/a-102.dwg',
  'plans/level 1/stairs/',
  'plans/level 1/stairs/s-01.pdf',
  'plans/level 1/stairs/old/s-00.pdf',
  'plans/level 10/',
  'plans/level 10/a-1001.pdf',
  'plans/level 2/a-201.pdf',
  'plans/plans/p.pdf',
  'plans/old/level 1/a-101.pdf',
  'plans/readme',
  'plans/.hidden',
  'plans/.hidden files/x.txt',
  'details/',
  'details/d-01 stair.pdf',
  'details/level 1/d-11.pdf',
  'details/a.pdf/inside.txt',
  'details/x/y/z/deep.pdf',
  'archive/',
  'archive/plans/level 1/a-101.pdf',
  'archive/2024/plans/p.pdf',
  'archive/2025/notes.txt',
  'level 1/',
  'level 1/top.pdf',
  'level 1.pdf',
  'plans.pdf',
  'plan/a.pdf',
  'a/',
  'a/b/',
  'a/b/c/',
  'a/b/c/d.txt',
  'a/x/b/file.txt',
  'a/x/y/b/file.txt',
  'ab/file.txt',
  'axb.txt',
  'r&d + more/a (1).pdf',
  "dana's plans/it's.pdf",
  'pläne/größe.pdf',
];

const patterns = [
  ...['plans', 'plans/', '/plans', '/plans/', 'plans/**', 'plans/*', 'plans/*/', '**/plans', '**/plans/**'],
  ...['plans/level 1', 'plans/level 1/', '/plans/level 1', '/plans/level 1/', 'plans/level 1/**'],
  ...[
    'plans/level 1/*',
    'plans/level ?',
    'plans/level*',
    'plans/lev**',
    'plans/**/a-101.pdf',
    'plans/**/old',
  ],
  ...['level 1', 'level 1/', '/level 1', 'level 1/**', '**/level 1', '**/level 1/*.pdf', 'level ?', 'level*'],
  ...[
    '*.pdf',
    '/*.pdf',
    '*/*.pdf',
    '**/*.pdf',
    'plans/*.pdf',
    'plans/**/*.pdf',
    '*.PDF'.toLowerCase(),
    'a-10?.*',
  ],
  ...[
    '*',
    '**',
    '/*',
    '/**',
    '*/',
    '?',
    '.*',
    '*.*',
    'a',
    'a/b',
    'a/**/b',
    'a/*/b',
    '**/b',
    'a/**/c/**',
    'b',
  ],
  ...['level 1/*', 'plans/**/level ?', '**/*.txt', 'archive/**/*.pdf', '*/*/a-10?.pdf'],
  ...['a**b*', '*1*/*.pdf', 'archive/*/plans', 'archive/**/level 1', 'missing', 'plans/missing', 'readme/**'],
  ...[
    'plans/level 1/stairs/s-01.pdf',
    'r&d + more',
    "dana's plans",
    'a (1).pdf',
    'pläne',
    'größe.pdf',
    '*.txt',
  ],
];

const root = 'harbour tower';

test('the same files and folders as git check-ignore, in a real folder', () => {
  const folder = mkdtempSync(join(tmpdir(), 'plancast-gitignore-'));
  try {
    makeTrees(folder);
    const compared = patterns.flatMap((pattern) => {
      const ignored = ignoredBy(folder, pattern);
      const passes = compileGlobs([pattern]);
      return paths
        .filter((path) => !isOurOwn(pattern, path))
        .map((path) => ({
          pair: `${pattern} and ${path}`,
          // A path is matched with and without its root.
          git: ignored.has(trimmed(path)) || ignored.has(`${root}/${trimmed(path)}`),
          ours: passes(readGlobPath(`${root}/${path}`)),
        }));
    });

    expect(compared.filter(({ git, ours }) => git !== ours)).toEqual([]);
    expect(patterns.filter((pattern) => !pattern.endsWith('/')).length).toBeGreaterThanOrEqual(60);
    expect(paths).toHaveLength(40);
    // With few pairs, or few that match, the comparison would prove little.
    expect(compared.length).toBeGreaterThan(2_000);
    expect(compared.filter(({ git }) => git).length).toBeGreaterThan(500);
  } finally {
    rmSync(folder, { recursive: true });
  }
});

/** Makes a repository with all paths, without a root and in one. */
function makeTrees(folder: string): void {
  execFileSync('git', ['init', '--quiet', folder]);
  for (const path of [...paths, ...paths.map((inRoot) => `${root}/${inRoot}`)]) {
    mkdirSync(join(folder, path.endsWith('/') ? path : dirname(path)), { recursive: true });
    if (!path.endsWith('/')) writeFileSync(join(folder, path), '');
  }
}

/** Returns which paths git ignores by one pattern alone. */
function ignoredBy(folder: string, pattern: string): ReadonlySet<string> {
  writeFileSync(join(folder, '.gitignore'), `${pattern}\n`);
  const all = [...paths, ...paths.map((path) => `${root}/${path}`)].map(trimmed);
  const { stdout, status } = spawnSync('git', ['-C', folder, 'check-ignore', '--no-index', '-z', '--stdin'], {
    input: all.join('\0'),
    encoding: 'utf8',
    // The settings of this machine's git, such as a global list of ignored files, are not compared.
    env: { GIT_CONFIG_GLOBAL: '/dev/null', GIT_CONFIG_SYSTEM: '/dev/null' },
  });
  // 1: git ignores none of them.
  if (status !== 0 && status !== 1) throw new Error(`git check-ignore ended with ${status}`);
  return new Set(stdout.split('\0'));
}

function trimmed(path: string): string {
  return path.replace(/\/$/, '');
}

/** Where the rule differs: git matches no folder itself by `/**`, and only folders by a pattern that ends in a slash. */
function isOurOwn(pattern: string, path: string): boolean {
  return pattern.endsWith('/') || (pattern.endsWith('/**') && path.endsWith('/'));
}
