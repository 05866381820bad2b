import type { ConnectedDatabase } from '../store/database.ts';
import type { Sealing } from '../store/sealing/sealing.ts';
import { onDb } from '../store/sql.ts';
import * as departedRows from '../store/tables/departed-rows.ts';
import * as departures from '../store/tables/departures.ts';
import { makeKeyv } from '../store/tables/keyv-records.ts';
import * as links from '../store/tables/links.ts';
import { makeSecrets } from '../store/tables/secrets.ts';
import * as subscriptions from '../store/tables/subscriptions.ts';

export type StoreRoom = ReturnType<typeof composeStore>;

/** Composes what is stored by key, and the tables that `upstream` is handed. */
export function composeStore({ database, sealing }: { database: ConnectedDatabase; sealing: Sealing }) {
  const { db, pool } = database;
  return {
    db,
    pool,
    secrets: makeSecrets({ db, sealing }),
    keyv: makeKeyv({ pool }),
    departures: onDb(db, departures),
    departedRows: onDb(db, departedRows),
    links: onDb(db, links) as links.Links,
    subscriptions: onDb(db, subscriptions),
  };
}
