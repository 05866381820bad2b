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
  ['an adapter knows a type of the store', 'src/http/a.ts', "import type { A } from '../store/tables/a.ts';"],
  ['one adapter calls another', 'src/jobs/a.ts', "import { post } from '../slack/posting/post.ts';"],
  ['the core calls the service', 'src/core/linking/a.ts', "import { a } from '../../service/a.ts';"],
  [
    'the core imports a value among types',
    'src/core/linking/a.ts',
    "import { type A, b } from '../../service/a.ts';",
  ],
  [
    'the core imports a type of an adapter',
    'src/core/linking/a.ts',
    "import type { A } from '../../slack/a.ts';",
  ],
  ['the core imports the database driver', 'src/core/linking/a.ts', "import pg from 'pg';"],
  [
    'a room of the core imports from one above it',
    'src/core/access/a.ts',
    "import { b } from '../delivering/b.ts';",
  ],
  ['the model knows a use case', 'src/core/model/a.ts', "import type { B } from '../linking/b.ts';"],
  ['the model knows messages', 'src/core/model/a.ts', "import type { B } from '../../messages/text/b.ts';"],
  ['a file of the core is in no room', 'src/core/a.ts', "import { b } from './model/b.ts';"],
  ['messages call a use case', 'src/messages/activity/a.ts', "import { b } from '../../core/linking/b.ts';"],
  ['messages know the service', 'src/messages/activity/a.ts', "import type { B } from '../../service/b.ts';"],
  ['the service calls the store', 'src/service/a.ts', "import { b } from '../store/b.ts';"],
  ['the store knows a use case', 'src/store/a.ts', "import type { B } from '../core/linking/b.ts';"],
  ['the store reads settings', 'src/store/a.ts', "import type { Env } from '../env.ts';"],
  [
    'the embedded Postgres knows Plancast',
    'src/embedded-postgres/a.ts',
    "import { b } from '../store/b.ts';",
  ],
  [
    'an adapter imports the composition root',
    'src/slack/a.ts',
    "import { compose } from '../compose/compose.ts';",
  ],
  [
    'the sandbox imports from the bot',
    'sandbox/service/a.ts',
    "import type { B } from '../../src/core/model/b.ts';",
  ],
  ['the bot imports from the sandbox', 'src/compose/a.ts', "import { b } from '../../sandbox/b.ts';"],
  ['the bot imports from a test', 'src/main.ts', "import { b } from '../test/support/b.ts';"],
  ['a dynamic import', 'src/core/linking/a.ts', "const { b } = await import('../../service/b.ts');"],
  ['an import for its side effects', 'src/core/linking/a.ts', "import '../../service/b.ts';"],
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

test.each([
  ['the core calls the store', 'src/core/linking/a.ts', "import * as b from '../../store/b.ts';"],
  [
    'the core knows the service by types in a list',
    'src/core/linking/a.ts',
    "import { type B, type C } from '../../service/b.ts';",
  ],
  ['a room uses one below it', 'src/core/subscribing/a.ts', "import { b } from '../channels/b.ts';"],
  [
    'the store uses a value of the model',
    'src/store/tables/a.ts',
    "import { b } from '../../core/model/b.ts';",
  ],
  [
    'an adapter calls the core and renders',
    'src/slack/a.ts',
    "import { b } from '../core/linking/b.ts';\nimport { c } from '../messages/text/c.ts';",
  ],
  ['a room imports its own files', 'src/store/a.ts', "import { b } from './migrations/b.ts';"],
  [
    'compose joins everything',
    'src/compose/a.ts',
    "import { b } from '../store/b.ts';\nimport { c } from '../slack/c.ts';",
  ],
])('allowed: %s', (_what, path, text) => {
  expect(forbiddenImports([{ path, text }])).toEqual([]);
});
