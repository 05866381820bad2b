import type { Kysely } from 'kysely';
import type { Database } from '../schema.ts';

/** The address that a database serves, null if it is not known, and whether `npm run restore` has filled the database since. */
export type ServedAddress = { readonly address: string | null; readonly restored: boolean };

/** The table `served_address`, which has one row: only a bot at that address changes anything outside the database. */
export function makeServedAddress({ db }: { readonly db: Kysely<Database> }) {
  const store = async (row: ServedAddress): Promise<void> => {
    await db
      .insertInto('plancast.servedAddress')
      .values(row)
      .onConflict((conflict) => conflict.column('id').doUpdateSet(row))
      .execute();
  };
  /** Returns undefined in a database that no bot has used. */
  const read = (): Promise<ServedAddress | undefined> =>
    db.selectFrom('plancast.servedAddress').select(['address', 'restored']).executeTakeFirst();

  return {
    read,
    takeOver: (address: string) => store({ address, restored: false }),
    /** Records that the database is a copy, on which no bot works before `takeOver`. */
    markRestored: async () => store({ address: (await read())?.address ?? null, restored: true }),
  };
}

/** Returns why a bot at `publicUrl` must stand by, as a clause; null if the database serves that address, or no bot has used it. */
export function whyStandBy(served: ServedAddress | undefined, publicUrl: string): string | null {
  if (served?.restored) return 'the database was restored from a backup';
  if (!served || served.address === publicUrl) return null;
  return `the database serves ${served.address}, and PUBLIC_URL is ${publicUrl}`;
}
