import { type Kysely, type RawBuilder, sql } from 'kysely';
import type { Channel, Workspace } from '../core/model/people.ts';

export { sql };

/** The pool, or one of its connections within a transaction. */
export type Db = Kysely<unknown>;

/** A tag that runs what is written after it as one statement, with its values passed as parameters. */
export type Statement<Result> = (parts: SqlText, ...values: SqlValues) => Promise<Result>;

type SqlText = TemplateStringsArray;
type SqlValues = readonly unknown[];

/** Runs the statement that follows. Returns nothing of it. */
export function run(db: Db): Statement<void> {
  return async (parts, ...values) => void (await sql(parts, ...values).execute(db));
}

/** Runs the statement that follows. Returns its rows, with the names of columns in camel case. */
export function all(db: Db) {
  return async <Row>(parts: SqlText, ...values: SqlValues): Promise<Row[]> =>
    (await sql<Row>(parts, ...values).execute(db)).rows;
}

/** Runs the statement that follows. Returns its first row, with the names of columns in camel case; null if it has none. */
export function first(db: Db) {
  return async <Row>(parts: SqlText, ...values: SqlValues): Promise<Row | null> =>
    (await all(db)<Row>(parts, ...values))[0] ?? null;
}

/** Runs the statement that follows, which selects one column. Returns its values. */
export function column(db: Db) {
  return async <Value>(parts: SqlText, ...values: SqlValues): Promise<Value[]> =>
    (await all(db)<Record<string, Value>>(parts, ...values)).flatMap((row) => Object.values(row));
}

/** Runs the statement that follows, which selects one column. Returns its first value; null if it has none. */
export function cell(db: Db) {
  return async <Value>(parts: SqlText, ...values: SqlValues): Promise<Value | null> =>
    (await column(db)<Value>(parts, ...values))[0] ?? null;
}

/** Runs the statement that follows, which selects one number. Returns it; 0 if it finds no row. */
export function count(db: Db): Statement<number> {
  return async (parts, ...values) => (await cell(db)<number>(parts, ...values)) ?? 0;
}

/** Runs the statement that follows, which selects no column. Returns whether it finds a row. */
export function exists(db: Db): Statement<boolean> {
  return async (parts, ...values) => (await first(db)(parts, ...values)) !== null;
}

/** Runs the statement that follows. Returns whether it inserted, updated or deleted a row. */
export function wrote(db: Db): Statement<boolean> {
  return async (parts, ...values) => (await countWritten(db)(parts, ...values)) > 0;
}

/** Runs the statement that follows. Returns how many rows it inserted, updated or deleted. */
function countWritten(db: Db): Statement<number> {
  return async (parts, ...values) => Number((await sql(parts, ...values).execute(db)).numAffectedRows ?? 0n);
}

/** How many rows a statement changes at most where it can be millions, so that none holds its locks for long. */
export const batch = 5_000;

/** Repeats the statement that follows, which changes no more than `batch` rows, until it changes fewer. Each run is committed on its own. */
export function inBatches(db: Db): Statement<void> {
  return async (parts, ...values) => {
    while ((await countWritten(db)(parts, ...values)) === batch);
  };
}

/** Passes a value as JSON. `pg` would turn an array into a Postgres array. */
export function json(value: unknown): RawBuilder<unknown> {
  return sql`${JSON.stringify(value)}::jsonb`;
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
