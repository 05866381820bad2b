import type { ConnectedDatabase } from '../store/database.ts';
import type { Sealing } from '../store/sealing/sealing.ts';
import { makeKeyv } from '../store/tables/keyv-records.ts';
import { makeSecrets } from '../store/tables/secrets.ts';

export type StoreRoom = ReturnType<typeof composeStore>;

/** Composes what is stored by key. */
export function composeStore({ database, sealing }: { database: ConnectedDatabase; sealing: Sealing }) {
  const { db, pool } = database;
  return { db, pool, secrets: makeSecrets({ db, sealing }), keyv: makeKeyv({ pool }) };
}
