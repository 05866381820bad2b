import type { ConnectedDatabase } from '../store/database.ts';
import type { Sealing } from '../store/sealing/sealing.ts';
import { makeSecrets } from '../store/tables/secrets.ts';

export type StoreRoom = ReturnType<typeof composeStore>;

/** Composes what is stored. */
export function composeStore({ database, sealing }: { database: ConnectedDatabase; sealing: Sealing }) {
  const { db, pool } = database;
  return { db, pool, secrets: makeSecrets({ db, sealing }) };
}
