import { basename, join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { root, sourceFiles } from '../guards/source-files.ts';
import { freshDatabase, type TestDatabase } from '../support/postgres.ts';
import { inserted, type Recorded, recordingDb, standIn } from '../support/recording-db.ts';

/*
 * Prepares every statement of the store on a migrated database, so that a wrong table, column or type is found without a journey. All
 * exported functions that take a database or pool first are called with one that records statements, and with stand-ins for everything else.
 * Functions may throw over stand-ins: what counts is that each of them, and each `sql` template, led to a statement.
 */

type Run = (...given: unknown[]) => unknown;

/** Files whose statements every start runs, or a library writes, or that have none of their own. */
const apart = ['migrate', 'keyv-records', 'sql'];
const files = sourceFiles(['src/store'])
  .map(({ path, text }) => ({ path, text, name: basename(path, '.ts') }))
  .filter(({ path, text }) => path.startsWith('src/store/tables/') || templatesOf(text).length > 0)
  .filter(({ name }) => !apart.includes(name));
/** Tags: the statement is what their callers write behind them. */
const tags = ['subscription-row.listOf', 'subscription-row.firstOf'];
/** Also a function that makes others. */
const takesDatabase = /^(async )?(function \w+)?\((db|trx|pool|deps|\{.*?\b(db|pool)\b)/s;
const sealing = { seal: async () => '1', open: async () => '1' };
const any = standIn(sealing);
const dependencies = standIn({ counted: undefined, sealing });
type Arguments = Readonly<Record<string, readonly (readonly unknown[])[]>>;
/** Arguments that lead to statements, or parts of them, to which stand-ins alone do not. */
const argumentsOf: Arguments = {
  'announcements.withdraw': [[any]],
  'audit.list': [[any, standIn({ before: null })]],
  'channels.note': [[any, standIn({ holds: false })]],
  'departures.done': [['1', 'tokensRemovedAt', new Date(0)]],
  'lane-queue.makeLaneQueue.mark': [[[standIn({ items: new Map([['1', any]]) })]]],
  'secrets.readOrCreateSecret': [['1', () => '1']],
  'seen-requests.take': [['1', new Date(0)]],
  'seen-requests.takeAgain': [['1', new Date(0), 1]],
  'workspace-subscriptions.channels': ['working', 'paused', 'problem'].map((state) => [
    any,
    standIn({ state }),
  ]),
};

let database: TestDatabase;
let found: Awaited<ReturnType<typeof statementsOf>>;
beforeAll(async () => {
  database = await freshDatabase('statements');
  const modules = await Promise.all(
    files.map(async ({ path, name }) => [name, await import(join(root, path))]),
  );
  found = await statementsOf(Object.fromEntries(modules), argumentsOf);
});
afterAll(() => database.drop());

test('every statement of the store fits the migrated schema', async () => {
  expect(found.statements.size).toBeGreaterThan(200);
  expect(await refused(found.statements)).toEqual([]);
});

test('no function of the store that takes a database is left out', () => {
  expect(found.silent).toEqual([]);
});

test('no part of a statement is left out', () => {
  const reached = new Set([...found.statements.values()].flatMap(({ templates }) => templates));
  const left = files.flatMap(({ path, text }) =>
    templatesOf(text)
      .filter((template) => template !== '' && !reached.has(template))
      .map((template) => `${path}: ${template}`),
  );
  expect(left).toEqual([]);
});

/**
 * Calls the functions of modules. Returns the statements they ran, by function and text, and the functions that ran none, with the last
 * error.
 */
async function statementsOf(modules: Readonly<Record<string, object>>, argumentsOf: Arguments) {
  const statements = new Map<string, Recorded & { readonly name: string }>();
  const silent = new Map<string, string>();
  const heard = new Set<string>();
  let current = '';
  const record = (statement: Recorded): void => {
    heard.add(current);
    silent.delete(current);
    statements.set(`${current} ${statement.text}`, { ...statement, name: current });
  };
  const attempt = async (name: string, run: () => unknown): Promise<unknown> => {
    current = name;
    if (!heard.has(name)) silent.set(name, 'ran nothing');
    try {
      return await run();
    } catch (error) {
      if (!heard.has(name)) silent.set(name, String(error));
      return undefined;
    }
  };
  /** Calls a function, and whatever it makes. */
  const call = async (name: string, run: Run, db?: object): Promise<void> => {
    for (const given of [Array.from({ length: 6 }, () => any), ...(argumentsOf[name] ?? [])]) {
      const made = await attempt(name, () => (db ? run(db, ...given) : run(...given)));
      if (typeof made === 'function') await attempt(name, () => made(...given));
      if (isBuilder(made)) await attempt(name, () => made.execute());
      for (const [method, one] of functionsIn([name, made ?? {}])) {
        // What only makes functions runs no statement itself.
        silent.delete(name);
        await call(method, one);
      }
    }
  };

  for (const [name, run] of Object.entries(modules).flatMap(functionsIn))
    if (takesDatabase.test(String(run)) && !tags.includes(name))
      for (const rows of [[], [any]])
        await call(name, run, recordingDb({ record, rows, others: dependencies }));
  return { statements, silent: [...silent].map(([name, reason]) => `${name}: ${reason}`) };
}

/** Whether a function returned a statement of Kysely that its caller completes. */
function isBuilder(made: unknown): made is { readonly execute: Run } {
  return typeof made === 'object' && made !== null && 'execute' in made;
}

function functionsIn([name, of]: readonly [string, object]): [string, Run][] {
  return Object.entries(of).flatMap(([key, one]) =>
    typeof one === 'function' ? [[`${name}.${key}`, one]] : [],
  );
}

/** Prepares statements on the migrated database; returns those that it refuses, with its reason. */
async function refused(
  statements: ReadonlyMap<string, Recorded & { readonly name: string }>,
): Promise<string[]> {
  const { pool } = database.connect();
  const faults: string[] = [];
  for (const { name, text } of statements.values()) {
    const reason = await pool
      .query(`prepare checked as ${text}; deallocate checked`)
      .then(() => null)
      .catch((error: Error) => error.message);
    if (reason !== null) faults.push(`${name}: ${reason}: ${text}`);
  }
  return faults;
}

/** Returns the `sql` templates of a source text as they are written, with `inserted` for what they insert, and those in what they insert. */
function templatesOf(text: string): string[] {
  const found: string[] = [];
  for (const { index, 0: tag } of text.matchAll(
    /(?<![`\w.])(sql|(run|all|first|column|cell|count|exists|listOf|firstOf|wrote|countWritten)\(\w+\))(<[^`;]+>)?`/g,
  ))
    found.push(templateAt(text, index + tag.length).template);
  return found;
}

/** Reads a template from behind its opening backtick. */
function templateAt(text: string, from: number): { readonly template: string; readonly end: number } {
  let template = '';
  for (let at = from; at < text.length; at++) {
    if (text[at] === '`') return { template, end: at };
    if (text.startsWith(inserted.slice(0, 2), at)) {
      at = endOfInserted(text, at + 2);
      template += inserted;
    } else template += text[at];
  }
  throw new Error('A template does not end.');
}

/** Returns where the brace is that ends what a template inserts. */
function endOfInserted(text: string, from: number): number {
  let depth = 0;
  for (let at = from; at < text.length; at++) {
    if (text[at] === '`') at = templateAt(text, at + 1).end;
    else if (text[at] === '{') depth++;
    else if (text[at] === '}' && depth-- === 0) return at;
  }
  throw new Error('What a template inserts does not end.');
}
