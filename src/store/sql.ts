import { type Kysely, type RawBuilder, sql } from 'kysely';
import type { Channel, Workspace } from '../core/model/people.ts';

export { sql };

/** The pool, or one of its connections within a transaction. */
export type Db = Kysely<unknown>;

/** A tag that runs what is written after it as one statement, with its values passed as parameters. */
export type Statement<Result> = (
  parts: TemplateStringsArray,
  ...values: readonly unknown[]
) => Promise<Result>;

/** Runs the statement that follows. Returns its rows, with the names of columns in camel case. */
export function all(
  db: Db,
): <Row>(parts: TemplateStringsArray, ...values: readonly unknown[]) => Promise<Row[]> {
  return async <Row>(parts: TemplateStringsArray, ...values: readonly unknown[]) =>
    (await sql<Row>(parts, ...values).execute(db)).rows;
}

/** Runs the statement that follows. Returns its first row, with the names of columns in camel case; null if it has none. */
export function first(
  db: Db,
): <Row>(parts: TemplateStringsArray, ...values: readonly unknown[]) => Promise<Row | null> {
  return async <Row>(parts: TemplateStringsArray, ...values: readonly unknown[]) =>
    (await sql<Row>(parts, ...values).execute(db)).rows[0] ?? null;
}

/** Runs the statement that follows. Returns whether it inserted, updated or deleted a row. */
export function wrote(db: Db): Statement<boolean> {
  return async (parts, ...values) => (await countWritten(db)(parts, ...values)) > 0;
}

/** Runs the statement that follows. Returns how many rows it inserted, updated or deleted. */
export function countWritten(db: Db): Statement<number> {
  return async (parts, ...values) => Number((await sql(parts, ...values).execute(db)).numAffectedRows ?? 0n);
}

/** Passes a value as JSON. `pg` would turn an array into a Postgres array. */
export function json(value: unknown): RawBuilder<unknown> {
  return sql`${JSON.stringify(value)}::jsonb`;
}

/** The functions of a table's module, without the database that they take first. */
type OnDb<Module> = {
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

/** Returns a condition for the rows of one channel, in a statement about a single table. */
export function inChannel({ teamId, channelId }: Pick<Channel, 'teamId' | 'channelId'>) {
  return sql<boolean>`team_id = ${teamId} and channel_id = ${channelId}`;
}

/** Returns a condition for the rows of a workspace and of the others of its organization, in a statement about a single table. */
export function inOrganization({ enterpriseId, teamId }: Workspace) {
  // Rows that were stored before the workspace joined an organization do not name it.
  return sql<boolean>`(team_id = ${teamId} or enterprise_id = ${enterpriseId})`;
}
