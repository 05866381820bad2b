import { type Db, first, run } from '../sql.ts';

// The table `served_address`, which has one row: only a bot at that address changes anything outside the database.

/** The address that a database serves, null if it is not known, and whether `npm run restore` has filled the database since. */
type ServedAddress = { readonly address: string | null; readonly restored: boolean };

/** Returns null in a database that no bot has used. */
export const read = (db: Db): Promise<ServedAddress | null> =>
  first(db)`select address, restored from plancast.served_address`;

/** Stores the address that the database serves from now on, restored or not. */
export const takeOver = (db: Db, address: string): Promise<void> =>
  run(db)`
    insert into plancast.served_address (address) values (${address})
    on conflict (id) do update set address = excluded.address, restored = false`;

/** Returns why a bot at `publicUrl` must stand by, as a clause; null if the database serves that address, or no bot has used it. */
export function whyStandBy(served: ServedAddress | null, publicUrl: string): string | null {
  if (served?.restored) return 'the database was restored from a backup';
  if (!served || served.address === publicUrl) return null;
  return `the database serves ${served.address}, and PUBLIC_URL is ${publicUrl}`;
}
