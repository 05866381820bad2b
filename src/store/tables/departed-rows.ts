import { batch, column, type Db, inBatches, run, sql } from '../sql.ts';

// Deletes the rows of a workspace that uninstalled the bot.

/**
 * Deletes every row that names a workspace or organization, except its subscriptions and their remote ones: they lead to its events, and let
 * a late notification be answered with 410.
 * @param mayContinue asked before each table, since deleting many events takes minutes
 * @returns whether all of it was done
 */
export async function forget(db: Db, id: string, mayContinue: () => Promise<boolean>): Promise<boolean> {
  await inBatches(db)`
    delete from plancast.events where seq in (
      select seq from plancast.events
      where subscription_id in (select id from plancast.subscriptions where team_id = ${id}) limit ${batch})`;
  // Asks the database, so that a table that is added later is included.
  const tables = await column(db)<string>`
    select table_name from information_schema.columns
    where table_schema = 'plancast' and column_name = 'team_id' order by 1`;
  for (const table of tables) {
    if (['events', 'subscriptions', 'remotes'].includes(table)) continue;
    if (!(await mayContinue())) return false;
    await forgetIn(db, table, id);
  }
  // The installation is removed separately, since a newer one may have taken its place.
  await run(db)`
    delete from plancast.keyv
    where ${id} = any(regexp_split_to_array(key, '[^A-Za-z0-9]+'))
      and not starts_with(key, 'sealed.installations:')`;
  return true;
}

/** Deletes its subscriptions, all of which have ended. */
export const forgetSubscriptions = (db: Db, id: string): Promise<void> => forgetIn(db, 'subscriptions', id);

function forgetIn(db: Db, table: string, id: string): Promise<void> {
  const from = sql.table(`plancast.${table}`);
  return inBatches(
    db,
  )`delete from ${from} where ctid = any(array(select ctid from ${from} where team_id = ${id} limit ${batch}))`;
}
