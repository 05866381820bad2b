import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  compileGlobs,
  countWildcards,
  matchesGlob,
  parseGlob,
  readGlobPath,
} from '../../../src/core/model/glob.ts';
import { manyRuns } from '../../support/many-runs.ts';

const matches = (glob: string, path: string) => matchesGlob(parseGlob(glob), readGlobPath(path));

test.each([
  ['Plans/Level 1/**', 'Root/Plans/Level 1/Stairs/A.pdf', true],
  ['Plans/Level 1/**', 'Plans/Level 1/A.pdf', true],
  ['Plans/Level 1/**', 'Plans/Level 1', true],
  ['Plans/Level 1/**', 'Plans/Level 10/A.pdf', false],
  ['Plans/Level 1/**', 'Root/Old/Plans/Level 1/A.pdf', false],
  ['/Plans/**/', '/Root/Plans/A.pdf/', true],
  ['**', 'Root/A.pdf', true],
  ['**/Plans/**', 'Root/Old/Plans/A.pdf', true],
  ['Plans/**/A.pdf', 'Plans/A.pdf', true],
  ['Plans/**/A.pdf', 'Plans/x/y/A.pdf', true],
  ['Plans/**/A.pdf', 'Plans/xA.pdf', false],
  ['Plans/Lev**', 'Root/Plans/Level 1', true],
  ['Plans/Lev**', 'Root/Plans/Level 1/A.pdf', true],
  ['*.pdf', 'Root/A.PDF', true],
  ['*.pdf', 'Root/Plans/A.pdf', true],
  ['*.pdf', 'Root/Plans/A.pdfx', false],
  ['Plans/*', 'Plans', false],
  ['Plans/*', 'Root/Plans/Level 1/A.pdf', true],
  ['Plans/Level 1', 'Root/Plans/Level 1/Stairs/A.pdf', true],
  ['Plans/Level 1', 'Root/Plans/Level 1', true],
  ['Plans/Level 1', 'Root/Plans/Level 10', false],
  ['Plans/Level 1', 'Root/Old/Plans/Level 1', false],
  ['Plans', 'Root/Plans/A.pdf', true],
  ['Plans/', 'Root/Old/Plans/A.pdf', true],
  ['/Plans', 'Root/Plans/A.pdf', true],
  ['/Plans', 'Root/Old/Plans/A.pdf', false],
  ['//Plans//Level 1//', 'Root/Plans/Level 1/A.pdf', true],
  ['Level 1', 'Root/Plans/Level 1/A.pdf', true],
  ['Level 1', 'Root/Plans/Level 10/A.pdf', false],
  ['Level 1/**', 'Root/Plans/Level 1/A.pdf', false],
  ['Root', 'Root/A.pdf', true],
  ['Plans › Level 1', 'Root/Plans/Level 1/A.pdf', true],
  ['Plans > Level 1', 'Root/Plans/Level 1/A.pdf', true],
  ['Plans>Level 1›*.pdf', 'Root/Plans/Level 1/A.pdf', true],
  ['Plans › Level 1', 'Root/Old/Plans/Level 1/A.pdf', false],
  ['R&D <new>', 'Root/R&D <new>/A.pdf', true],
  ['Plans / Level 1', 'Root/Plans/Level 1', false],
  ['Level ?', 'Level 1', true],
  ['Level ?', 'Level 10', false],
  ['Level?1', 'Level/1', false],
  ['?.pdf', '\u{1F3D7}.pdf', true],
  ['{Plans,Sections/A}/*', 'Root/sections/a/B.pdf', true],
  ['{Plans,Sections/A}/*', 'Root/Sections/B.pdf', false],
  ['{Plans,Sections/A}', 'Root/Old/Plans/B.pdf', true],
  ['{Plans,Sections/A}', 'Root/Old/Sections/A/B.pdf', false],
  ['{/Plans,/Sections/}', 'Root/Plans/B.pdf', true],
  ['{/Plans,/Sections/}', 'Root/Old/Plans/B.pdf', false],
  ['{Plans/,x}', 'Root/Old/Plans/B.pdf', true],
  ['{,x}', 'Root/Plans', false],
  ['{,x}/Plans', 'Root/Plans/B.pdf', true],
  ['Plan{,s}/**', 'Plan/A.pdf', true],
  ['{a,b{c,d}}', 'bd', true],
  ['{a,**}/z', 'x/y/z', true],
  ['.*', 'Root/.hidden', true],
  ['*', 'Root/.hidden', true],
  ['straße', 'STRASSE', false],
  ['ΟΔΟΣ*', 'οδος.pdf', true],
  ['École', 'éCOLE', true],
  ['Pläne/**', 'Root/Pla\u0308ne/A.pdf', true],
  ['Pla\u0308ne/?', 'Pläne/a\u0308', true],
])('%s and %s: %s', (glob, path, expected) => {
  expect(matches(glob, path)).toBe(expected);
});

test.each([
  '(a+)+b',
  '[ab]',
  '+(x|y)',
  '!(a)',
  '@(a)',
  'a\\*b',
  '{a}',
  '{a',
  'a}',
  'a,b',
  '^a$',
  '{1..3}',
  'a|b',
])('no other character is special: %s matches itself and nothing else', (glob) => {
  expect(matches(glob.replaceAll('*', ''), glob.replaceAll('*', ''))).toBe(true);
  for (const path of ['a', 'b', 'aab', 'x', '1', '2']) expect(matches(glob, path)).toBe(false);
});

test.each([
  ['Plans/Level 1', 0],
  ['**/*.{pdf,dwg}', 3],
  ['??', 2],
  ['***', 2],
  ['{a,{b,c}}', 2],
  ['{a}{', 0],
])('%s has %i wildcards', (glob, count) => {
  expect(countWildcards(glob)).toBe(count);
});

const piece = fc.constantFrom(
  ...['a', 'A', 'b', '.', '/', '/', '*', '**', '?', '{', '{a,b', ',', '}', '}', '**/', '/**', '>', ' › '],
);
const globs = fc.array(piece, { minLength: 1, maxLength: 9 }).map((pieces) => pieces.join(''));
const names = fc
  .array(fc.constantFrom('a', 'B', '.', ',', '{', '>', ' '), { minLength: 1, maxLength: 3 })
  .map((all) => all.join(''));
const paths = fc.array(names, { minLength: 1, maxLength: 5 }).map((all) => all.join('/'));

test('globs and paths: the result matches a plain implementation of the definition', () => {
  let matched = 0;
  fc.assert(
    fc.property(globs, paths, (glob, path) => {
      const expected = plainlyMatches(glob, path);
      matched += expected ? 1 : 0;
      expect(matches(glob, path)).toBe(expected);
    }),
    { numRuns: manyRuns(10_000) },
  );
  // With few matches the comparison would prove little.
  expect(matched).toBeGreaterThan(manyRuns(500));
});

test('a stored pattern matches all that it matched when it had to name the whole path, and excludes no less', () => {
  let [matched, excluded] = [0, 0];
  fc.assert(
    fc.property(globs, paths, (glob, path) => {
      if (glob.startsWith('!') || !formerlyMatched(glob, path)) return;
      matched += 1;
      expect(matches(glob, path)).toBe(true);
      excluded += 1;
      expect(compileGlobs(['**', `!${glob}`])(readGlobPath(path))).toBe(false);
    }),
    { numRuns: manyRuns(30_000) },
  );
  expect(matched).toBeGreaterThan(manyRuns(500));
  expect(excluded).toBe(matched);
});

test('paths longer than one machine word of bits match like short ones', () => {
  const long = fc.constantFrom('aaaaaaaaaaaaa', 'bbbbbbbbb', 'a', 'b');
  const longNames = fc.array(long, { minLength: 1, maxLength: 3 }).map((pieces) => pieces.join(''));
  const longPaths = fc.array(longNames, { minLength: 2, maxLength: 6 }).map((all) => all.join('/'));
  const longGlobs = fc
    .array(fc.oneof(long, fc.constantFrom('*', '*', '**/', '?', '/', '/')), { minLength: 1, maxLength: 7 })
    .map((pieces) => pieces.join(''));
  let matched = 0;
  fc.assert(
    fc.property(longGlobs, longPaths, (glob, path) => {
      const expected = plainlyMatches(glob, path);
      matched += expected && path.length > 32 ? 1 : 0;
      expect(matches(glob, path)).toBe(expected);
    }),
    { numRuns: manyRuns(3_000) },
  );
  expect(matched).toBeGreaterThan(manyRuns(20));
  // A name that ends where a word of bits ends carries nothing over into the next name.
  expect(matches('a*/b', `${'a'.repeat(20)}/${'c'.repeat(20)}b`)).toBe(false);
  expect(matches('x/a*b', `x/${'a'.repeat(20)}/${'c'.repeat(20)}b`)).toBe(false);
});

test('letters match in either case, and characters of scripts without case match themselves', () => {
  expect(matches('ΟΔΟΣ', 'οδος')).toBe(true);
  expect(matches('5 k', '5 \u212a')).toBe(true);
  expect(matches('图?', '图纸')).toBe(true);
  expect(matches('图', '纸')).toBe(false);
});

test('globs that once stalled every process are answered', () => {
  expect(matches('*a*a*a*a*a*a*a*a*b', 'a'.repeat(4_000))).toBe(false);
  expect(matches(`${'**/'.repeat(300)}b`, 'a/'.repeat(2_000))).toBe(false);
  expect(matches('{a,b}'.repeat(200), 'ab'.repeat(100))).toBe(true);
  expect(matches(`${'{a,'.repeat(300)}b${'}'.repeat(300)}`, 'b')).toBe(true);
  expect(matches('*'.repeat(1_000), 'a'.repeat(4_000))).toBe(true);
});

test('a pattern after ! wins over every other in any order, and alone leaves everything else', () => {
  const passes = (globs: readonly string[], path: string) => compileGlobs(globs)(readGlobPath(path));
  for (const globs of [
    ['Plans', '!Plans/Old'],
    ['!Plans/Old', 'Plans'],
    ['!Plans › Old', 'Plans', 'Plans/Old/**'],
  ]) {
    expect(passes(globs, 'Root/Plans/A.pdf')).toBe(true);
    expect(passes(globs, 'Root/Plans/Old/A.pdf')).toBe(false);
    expect(passes(globs, 'Root/Details/A.pdf')).toBe(false);
  }
  expect(passes(['!Old'], 'Root/Plans/A.pdf')).toBe(true);
  expect(passes(['!Old'], 'Root/Plans/Old/A.pdf')).toBe(false);
  expect(passes([], 'Root/Plans/A.pdf')).toBe(true);
});

test('a file named with 4,000 accents costs its event no more than another long name', () => {
  const accents = '\u0345\u0301\u0316\u0334'.repeat(1_000);
  const costOf = (path: string) => {
    const before = process.cpuUsage();
    for (let round = 0; round < 20; round += 1) matches('*.pdf', path);
    const { user, system } = process.cpuUsage(before);
    return (user + system) / 20_000;
  };
  costOf(accents);
  // Milliseconds of processor time. Normalizing all of them takes 7 at least.
  expect(costOf(`x${accents}.pdf`)).toBeLessThan(3);
  expect(matches('x*.pdf', `x${accents}.pdf`)).toBe(true);
  expect(matches(`x${accents}.pdf`, `x${accents}.pdf`)).toBe(true);
});

/** Reads `›` and `>` as slashes or as they are, expands the alternatives, then matches folder by folder. */
function plainlyMatches(glob: string, path: string): boolean {
  const withSlashes = glob
    .split(/[›>]/)
    .map((name) => name.trim())
    .join('/');
  return (/[›>]/.test(glob) ? [glob, withSlashes] : [glob])
    .flatMap((reading) => writtenOut(starred(reading)))
    .some((one) => covers(one, path.split('/')));
}

function covers(glob: string, path: readonly string[]): boolean {
  const parts = glob.split('/').filter((part) => part !== '');
  if (parts.length === 0) return false;
  const isAnchored = glob.replace(/\/+$/, '').includes('/');
  const beginnings = isAnchored ? path.slice(0, 2) : path;
  return beginnings.some((_, begin) =>
    path.some((__, end) => end >= begin && namesMatch(parts, path.slice(begin, end + 1))),
  );
}

/** The rule before folders covered what is in them: a glob matches the whole path, with or without its first folder. */
function formerlyMatched(glob: string, path: string): boolean {
  const readings = [path, ...(path.includes('/') ? [path.slice(path.indexOf('/') + 1)] : [])];
  return writtenOut(starred(glob.replace(/^\/+|\/+$/g, ''))).some((one) =>
    readings.some((reading) => namesMatch(one.split('/'), reading.split('/'))),
  );
}

function starred(glob: string): string {
  return glob.replace(/\*+/g, (run) => (run.length === 2 ? '‡' : '†'));
}

/** Expands the innermost braces first; braces without alternatives are replaced by other characters until the end. */
function writtenOut(glob: string): string[] {
  const braces = /\{([^{}]*)\}/.exec(glob);
  if (!braces) return [glob.replaceAll('«', '{').replaceAll('»', '}')];
  const [found, inner = ''] = braces;
  const alternatives = inner.includes(',') ? inner.split(',') : [`«${inner}»`];
  return alternatives.flatMap((one) =>
    writtenOut(glob.slice(0, braces.index) + one + glob.slice(braces.index + found.length)),
  );
}

function namesMatch(globs: readonly string[], path: readonly string[]): boolean {
  const [glob, ...globsLeft] = globs;
  if (glob === undefined) return path.length === 0;
  if (glob === '‡')
    return path.some((_, at) => namesMatch(globsLeft, path.slice(at))) || namesMatch(globsLeft, []);
  const [name, ...pathLeft] = path;
  return name !== undefined && nameMatches(glob, name) && namesMatch(globsLeft, pathLeft);
}

function nameMatches(glob: string, name: string): boolean {
  const [first] = glob;
  if (first === undefined) return name === '';
  if (first === '†' || first === '‡') {
    return nameMatches(glob.slice(1), name) || (name !== '' && nameMatches(glob, name.slice(1)));
  }
  const fits = name !== '' && (first === '?' || first.toLowerCase() === name[0]?.toLowerCase());
  return fits && nameMatches(glob.slice(1), name.slice(1));
}
