import {
  Kysely,
  type KyselyPlugin,
  PostgresAdapter,
  PostgresIntrospector,
  PostgresQueryCompiler,
  type QueryResult,
  sql,
} from 'kysely';
import { camelCase } from '../../src/store/database.ts';

/** In a template, what it inserts. */
export const inserted = '$' + '{}';

/** A statement of a function, and the `sql` templates it was made of, as they are written, with `inserted` for what they insert. */
export type Recorded = { readonly text: string; readonly templates: readonly string[] };

type Recording = {
  readonly record: (statement: Recorded) => void;
  /** The rows that every statement answers. */
  readonly rows: readonly object[];
  /** Stands in for whatever else is read of it. */
  readonly others: object;
};

/**
 * Makes what the store's functions take first: a database, a pool, or an object with both. It compiles each statement, records it and runs
 * nothing.
 */
export function recordingDb({ record, rows, others }: Recording): object {
  let templates: string[] = [];
  /** A function that repeats a statement until it finds nothing would never end. */
  let left = 100;
  const answer = (text: string): QueryResult<object> => {
    if (left-- === 0) throw new Error('This function runs too many statements.');
    record({ text, templates });
    templates = [];
    return { rows: [...rows], numAffectedRows: BigInt(rows.length) };
  };
  const nothing = async () => undefined;
  const connection = {
    executeQuery: async <Row>({ sql: text }: { readonly sql: string }) => answer(text) as QueryResult<Row>,
    streamQuery: () => {
      throw new Error('Nothing is streamed.');
    },
  };
  /** Turns camel case into snake case in a statement, but leaves rows as they are. */
  const plugin: KyselyPlugin = {
    transformQuery: (query) => {
      templates.push(...templatesIn(query.node));
      return camelCase.transformQuery(query);
    },
    transformResult: async ({ result }) => result,
  };
  const kysely = new Kysely<object>({
    dialect: {
      createAdapter: () => new PostgresAdapter(),
      createIntrospector: (db) => new PostgresIntrospector(db),
      createQueryCompiler: () => new PostgresQueryCompiler(),
      createDriver: () => ({
        init: nothing,
        acquireConnection: async () => connection,
        beginTransaction: nothing,
        commitTransaction: nothing,
        rollbackTransaction: nothing,
        releaseConnection: nothing,
        destroy: nothing,
      }),
    },
    plugins: [plugin],
  });
  const query = async (statement: string | { readonly text: string }) =>
    answer(typeof statement === 'string' ? statement : statement.text);
  const db: object = new Proxy(kysely, {
    get: (_target, name) => {
      if (name === 'db' || name === 'pool') return db;
      if (name === 'query') return query;
      const member: unknown = Reflect.get(kysely, name, kysely);
      if (typeof member === 'function') return member.bind(kysely);
      return name in kysely || typeof name === 'symbol' ? member : Reflect.get(others, name);
    },
  });
  return db;
}

/** Returns the templates in a part of a statement, and in the parts that they insert. */
function templatesIn(node: unknown): string[] {
  if (typeof node !== 'object' || node === null || !('kind' in node) || node.kind === 'ValueNode') return [];
  const fragments = 'sqlFragments' in node ? (node.sqlFragments as string[] & { raw?: string[] }) : null;
  const parts = Object.values(node).flat().flatMap(templatesIn);
  return fragments?.raw ? [fragments.raw.join(inserted), ...parts] : parts;
}

/** What a stand-in can be asked as a list, a text or a time; more only if a function of the store needs it. */
const methods = {
  list: [
    'entries',
    'every',
    'filter',
    'find',
    'flatMap',
    'forEach',
    'includes',
    'join',
    'map',
    'some',
    'toSorted',
  ],
  text: ['replace', 'replaceAll', 'slice', 'split', 'startsWith', 'toLowerCase', 'toString', 'trim'],
  time: ['getTime', 'toISOString'],
};
/** Properties that would make a stand-in something to await, or a part of a statement. */
const never = new Set(['constructor', 'expressionType', 'then', 'toOperationNode']);

/** Properties whose value chooses the statement: what they are unless said otherwise. */
const usual = { fact: 'shared', kind: 'project', state: 'all' };

/**
 * Stands in for a row or an argument of any type: every property is this stand-in too, except those in `fixed`. As a list, it has one
 * element; as a text, it is "1"; as a time, the epoch; as a statement, it selects nothing.
 */
export function standIn(fixed: Readonly<Record<string, unknown>> = {}): object {
  const like: { readonly list: object[]; readonly text: string; readonly time: Date } = {
    list: [],
    text: '1',
    time: new Date(0),
  };
  const is: Record<PropertyKey, unknown> = {
    [Symbol.toPrimitive]: () => like.text,
    [Symbol.iterator]: () => like.list.values(),
    length: 1,
    toJSON: () => null,
    execute: (db: Kysely<unknown>) => sql`select`.execute(db),
    ...usual,
    ...fixed,
  };
  for (const kind of ['list', 'text', 'time'] as const)
    for (const name of methods[kind]) is[name] = Reflect.get(Object(like[kind]), name).bind(like[kind]);
  const one: object = new Proxy([], {
    has: () => true,
    // As a row with one column.
    ownKeys: () => ['length', 'column'],
    getOwnPropertyDescriptor: (target, name) =>
      name === 'column'
        ? { value: one, enumerable: true, configurable: true }
        : Reflect.getOwnPropertyDescriptor(target, name),
    get: (_target, name) =>
      typeof name === 'symbol' || Object.hasOwn(is, name) || never.has(name) ? is[name] : one,
  });
  like.list.push(one);
  return one;
}
