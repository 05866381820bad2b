import type { Kysely, Transaction } from 'kysely';
import { holdLines } from '../core/in-transaction.ts';
import type { ConnectedDatabase } from '../store/database.ts';
import * as removeData from '../store/remove-data.ts';
import type { Database } from '../store/schema.ts';
import type { Sealing } from '../store/sealing/sealing.ts';
import { onDb } from '../store/sql.ts';
import * as announcements from '../store/tables/announcements.ts';
import * as audit from '../store/tables/audit.ts';
import * as channelMoves from '../store/tables/channel-moves.ts';
import * as channels from '../store/tables/channels.ts';
import * as commandTries from '../store/tables/command-tries.ts';
import * as departedRows from '../store/tables/departed-rows.ts';
import * as departures from '../store/tables/departures.ts';
import * as directMessages from '../store/tables/direct-messages.ts';
import * as events from '../store/tables/events.ts';
import * as exclusions from '../store/tables/exclusions.ts';
import * as items from '../store/tables/items.ts';
import { makeKeyv } from '../store/tables/keyv-records.ts';
import * as lanes from '../store/tables/lanes.ts';
import * as links from '../store/tables/links.ts';
import * as paces from '../store/tables/paces.ts';
import * as requests from '../store/tables/requests.ts';
import { makeSecrets } from '../store/tables/secrets.ts';
import * as seenRequests from '../store/tables/seen-requests.ts';
import * as settings from '../store/tables/settings.ts';
import * as subscriptions from '../store/tables/subscriptions.ts';
import * as traces from '../store/tables/traces.ts';
import { type EventLog, logging } from './log-subscriptions.ts';

export type StoreRoom = ReturnType<typeof composeStore>;

/** Composes every table on the pool, and transactions on those that change together. */
export function composeStore(base: { database: ConnectedDatabase; sealing: Sealing; log: EventLog }) {
  const { database, sealing, log } = base;
  const { db, pool } = database;
  /** What happens in a transaction is logged once it is committed. */
  const inTransaction = async <T>(
    work: (trx: Transaction<Database>, tables: Tables & OtherTables, held: EventLog) => Promise<T>,
  ): Promise<T> => {
    const held = holdLines(log);
    const result = await db
      .transaction()
      .execute((trx) => work(trx, { ...tablesOn(trx, held), ...othersOn(trx) }, held));
    held.release();
    return result;
  };
  return {
    db,
    pool,
    tables: tablesOn(db, log),
    inTransaction,
    transact: <T>(work: (tables: Tables) => Promise<T>): Promise<T> =>
      inTransaction((_trx, tables) => work(tables)),
    ...othersOn(db),
    seenRequests: onDb(db, seenRequests),
    commandTries: onDb(db, commandTries),
    removeData: onDb(db, removeData),
    traces: onDb(db, traces),
    channelMoves: onDb(db, channelMoves),
    departures: onDb(db, departures),
    departedRows: onDb(db, departedRows),
    secrets: makeSecrets({ db, sealing }),
    keyv: makeKeyv({ pool }),
  };
}

type Tables = ReturnType<typeof tablesOn>;
type OtherTables = ReturnType<typeof othersOn>;

/** Returns the tables of single actions, on the pool or within a transaction. */
export function othersOn(db: Kysely<Database>) {
  return {
    links: onDb(db, links) as links.Links,
    audit: onDb(db, audit),
    requests: onDb(db, requests),
    settings: onDb(db, settings),
  };
}

/** Returns the tables that change together, on the pool or within a transaction. */
export function tablesOn(db: Kysely<Database>, log: EventLog = { info: () => undefined }) {
  return {
    announcements: onDb(db, announcements),
    channels: onDb(db, channels),
    directMessages: onDb(db, directMessages),
    events: onDb(db, events),
    exclusions: onDb(db, exclusions),
    items: onDb(db, items),
    lanes: onDb(db, lanes),
    paces: onDb(db, paces),
    subscriptions: logging(onDb(db, subscriptions), log),
  };
}
