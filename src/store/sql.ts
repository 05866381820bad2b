import { type Kysely, type RawBuilder, sql } from 'kysely';
import type { Database } from './schema.ts';

export { sql };

/** The pool, or one of its connections within a transaction. */
export type Db = Kysely<Database>;

/** Runs a statement. Returns its rows, with the names of columns in camel case. */
export async function all<Row>(db: Db, statement: RawBuilder<Row>): Promise<Row[]> {
  return (await statement.execute(db)).rows;
}

/** Runs a statement. Returns its first row, with the names of columns in camel case; null if it has none. */
export async function first<Row>(db: Db, statement: RawBuilder<Row>): Promise<Row | null> {
  return (await all(db, statement))[0] ?? null;
}

/** Runs a statement. Returns whether it inserted, updated or deleted a row. */
export async function wrote(db: Db, statement: RawBuilder<unknown>): Promise<boolean> {
  return (await countWritten(db, statement)) > 0;
}

/** Runs a statement. Returns how many rows it inserted, updated or deleted. */
export async function countWritten(db: Db, statement: RawBuilder<unknown>): Promise<number> {
  return Number((await statement.execute(db)).numAffectedRows ?? 0n);
}

/** Passes a value as JSON. `pg` would turn an array into a Postgres array. */
export function json(value: unknown): RawBuilder<unknown> {
  return sql`${JSON.stringify(value)}::jsonb`;
}

/** The functions of a table's module, without the database that they take first. */
export type OnDb<Module> = {
  readonly [Name in keyof Module as Module[Name] extends (db: Db, ...rest: never[]) => unknown
    ? Name
    : never]: Module[Name] extends (db: Db, ...rest: infer Rest) => infer Result
    ? (...rest: Rest) => Result
    : never;
};

/** Binds the functions of a table's module to the pool or to a transaction, for rooms that are still handed their tables. */
export function onDb<Module extends object>(db: Db, module: Module): OnDb<Module> {
  const bound = Object.entries(module).flatMap(([name, run]) =>
    typeof run === 'function' ? [[name, (...rest: unknown[]) => run(db, ...rest)]] : [],
  );
  return Object.fromEntries(bound) as OnDb<Module>;
}
