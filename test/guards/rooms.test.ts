import { expect, test } from 'vitest';
import { forbiddenImports } from './forbidden-imports.ts';
import { sourceFiles } from './source-files.ts';

test('every room imports only what it may', () => {
  const files = sourceFiles(['src', 'sandbox', 'manifest']);

  expect(files.length).toBeGreaterThan(20);
  expect(forbiddenImports(files)).toEqual([]);
});

test.each([
  ['a door reads the store', 'src/slack/app.ts', "import { findLink } from '../store/links.ts';"],
  ['a door knows a type of the store', 'src/http/pages.ts', "import type { Link } from '../store/links.ts';"],
  ['one door calls another', 'src/jobs/deliver.ts', "import { post } from '../slack/post.ts';"],
  [
    'the core calls the store',
    'src/core/subscribing/subscribe.ts',
    "import { findLink } from '../store/links.ts';",
  ],
  ['the core has a value among types', 'src/core/a.ts', "import { type A, b } from '../service/a.ts';"],
  ['the core reaches for a door', 'src/core/a.ts', "import type { A } from '../slack/a.ts';"],
  ['the core reaches for the database itself', 'src/core/a.ts', "import pg from 'pg';"],
  ['messages call the core', 'src/messages/a.ts', "import { b } from '../core/b.ts';"],
  ['messages know the service', 'src/messages/a.ts', "import type { B } from '../service/b.ts';"],
  ['the service calls the store', 'src/service/a.ts', "import { b } from '../store/b.ts';"],
  ['the store calls the core', 'src/store/a.ts', "import { b } from '../core/b.ts';"],
  ['the store reads settings', 'src/store/a.ts', "import type { Env } from '../env.ts';"],
  ['a door puts things together itself', 'src/slack/a.ts', "import { wire } from '../wire.ts';"],
  ['the sandbox looks into the bot', 'sandbox/service/a.ts', "import type { B } from '../../src/core/b.ts';"],
  ['the bot uses the sandbox', 'src/compose/compose.ts', "import { b } from '../sandbox/b.ts';"],
  ['the bot uses a test', 'src/main.ts', "import { b } from '../test/support/b.ts';"],
  ['an import is made while running', 'src/core/a.ts', "const { b } = await import('../store/b.ts');"],
  ['an import is there for its effect', 'src/core/a.ts', "import '../store/b.ts';"],
  ['something is handed on', 'src/core/a.ts', "export { b } from '../store/b.ts';"],
  ['a list spreads over lines', 'src/core/a.ts', "import {\n  type A,\n  b,\n} from '../store/b.ts';"],
  ['the environment is read past the reader', 'src/core/a.ts', 'const a = process.env.A;'],
  ['the environment is imported by name', 'src/core/a.ts', "import { env } from 'node:process';"],
])('is noticed: %s', (_what, path, text) => {
  expect(forbiddenImports([{ path, text }])).toHaveLength(1);
});

test.each([
  ['the core sees the store by type', 'src/core/a.ts', "import type { B } from '../store/b.ts';"],
  [
    'the core sees the service by types in a list',
    'src/core/a.ts',
    "import { type B, type C } from '../service/b.ts';",
  ],
  ['the store knows a type of the core', 'src/store/a.ts', "import type { B } from '../core/b.ts';"],
  [
    'a door asks the core and speaks',
    'src/slack/a.ts',
    "import { b } from '../core/b.ts';\nimport { c } from '../messages/c.ts';",
  ],
  ['a room is at home', 'src/store/a.ts', "import { b } from './migrations/b.ts';"],
  [
    'wire hands everything over',
    'src/compose/compose.ts',
    "import { b } from './store/b.ts';\nimport { c } from './slack/c.ts';",
  ],
])('is taken: %s', (_what, path, text) => {
  expect(forbiddenImports([{ path, text }])).toEqual([]);
});
