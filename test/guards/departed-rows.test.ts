import { expect, test } from 'vitest';
import { freshDatabase } from '../support/postgres.ts';

/** Tables without workspace data, or whose workspace data is deleted by other means. */
const withoutTeam: Readonly<Record<string, string>> = {
  departures: 'its key is the workspace, and the row goes last',
  keyv: 'its keys hold the workspace',
  migrations: 'names of migrations',
  migrations_lock: 'one row',
  probe: 'a time',
  secrets: 'of the bot itself',
  seen_requests: 'hashes alone',
  served_address: 'of the bot itself',
};

test('every table has a column team_id, so that its rows are deleted when their workspace leaves', async () => {
  const database = await freshDatabase('departed rows');
  const { rows } = await database.connect().pool.query<{ name: string }>(
    `select table_name as name from information_schema.tables t
     where table_schema = 'plancast' and not exists (
       select from information_schema.columns c
       where c.table_schema = t.table_schema and c.table_name = t.table_name and c.column_name = 'team_id')
     order by 1`,
  );
  await database.drop();

  expect(rows.map(({ name }) => name)).toEqual(Object.keys(withoutTeam));
});
