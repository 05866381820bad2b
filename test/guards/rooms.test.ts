import { expect, test } from 'vitest';
import { arrowsIn, forbiddenImports, roomsInCircles } from './forbidden-imports.ts';
import { sourceFiles } from './source-files.ts';

test('every room imports only what it may', () => {
  const files = sourceFiles(['src', 'sandbox', 'manifest']);

  expect(files.length).toBeGreaterThan(20);
  expect(forbiddenImports(files)).toEqual([]);
});

test('arrows between rooms run one way', () => {
  const arrows = arrowsIn(sourceFiles(['src']));

  expect(arrows).toContain('core/delivering -> core/model');
  expect(roomsInCircles(arrows)).toEqual([]);
});

test('a type name means only one thing in all of src', () => {
  const names = sourceFiles(['src']).flatMap(({ text }) =>
    [
      ...text.matchAll(/^\s*(?:export )?(?:type|interface|(?:abstract )?class) (\w+)(?= =|<| \{| extends)/gm),
    ].map(([, name]) => name),
  );

  expect(names.length).toBeGreaterThan(500);
  expect(names.filter((name, index) => names.indexOf(name) !== index)).toEqual([]);
});

test('every exported function has a docstring, or returns a type that has one', () => {
  const files = sourceFiles(['src', 'sandbox', 'bench', 'manifest', 'test/support']);
  const bare = files.flatMap(({ path, text }) =>
    [...text.matchAll(/(?<!\*\/\n)^export (?:async )?function (\w+)/gm)]
      .filter(({ index }) => {
        const [, type] = /\): (\w+) \{$/m.exec(text.slice(index)) ?? [];
        return !text.match(`\\*/\n(?:export )?type ${type}\\b`);
      })
      .map(([, name]) => `${path}: ${name}`),
  );

  expect(files.length).toBeGreaterThan(500);
  expect(bare).toEqual([]);
});

test('a cycle of three rooms is reported', () => {
  expect(roomsInCircles(['a -> b', 'b -> c', 'c -> a', 'd -> a'])).toEqual(['a', 'b', 'c']);
});

test.each([
  ['an adapter reads the store', 'src/slack/app.ts', "import { a } from '../store/tables/a.ts';"],
  ['the core calls the service', 'src/core/linking/a.ts', "import { a } from '../../service/a.ts';"],
  [
    'the core imports a value among types',
    'src/core/linking/a.ts',
    "import { type A, b } from '../../service/a.ts';",
  ],
  [
    'a room of the core imports from one above it',
    'src/core/access/a.ts',
    "import { b } from '../delivering/b.ts';",
  ],
  ['messages call a use case', 'src/messages/activity/a.ts', "import { b } from '../../core/linking/b.ts';"],
  ['the store reads settings', 'src/store/a.ts', "import type { Env } from '../env.ts';"],
  [
    'the sandbox imports from the bot',
    'sandbox/service/a.ts',
    "import type { B } from '../../src/core/model/b.ts';",
  ],
  ['a dynamic import', 'src/core/linking/a.ts', "const { b } = await import('../../service/b.ts');"],
  ['a re-export', 'src/core/linking/a.ts', "export { b } from '../../service/b.ts';"],
  [
    'an import over several lines',
    'src/core/linking/a.ts',
    "import {\n  type A,\n  b,\n} from '../../service/b.ts';",
  ],
  ['the environment is read outside env.ts', 'src/core/linking/a.ts', 'const a = process.env.A;'],
  ['the environment is imported by name', 'src/core/linking/a.ts', "import { env } from 'node:process';"],
])('forbidden: %s', (_what, path, text) => {
  expect(forbiddenImports([{ path, text }])).toHaveLength(1);
});
