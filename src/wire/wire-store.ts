import type { Kysely, Transaction } from 'kysely';
import type { Message } from '../messages/message.ts';
import { makeAnnouncements } from '../store/announcements.ts';
import { makeAudit } from '../store/audit.ts';
import type { ConnectedDatabase } from '../store/database.ts';
import { makeEvents } from '../store/events.ts';
import { makeItems } from '../store/items.ts';
import { makeKeyv } from '../store/keyv-records.ts';
import { makeLanes } from '../store/lanes.ts';
import { makeLinkAttempts } from '../store/link-attempts.ts';
import { makeLinks } from '../store/links.ts';
import { makePaces } from '../store/paces.ts';
import { makeRequests } from '../store/requests.ts';
import type { Database } from '../store/schema.ts';
import type { Sealing } from '../store/sealing.ts';
import { makeSecrets } from '../store/secrets.ts';
import { makeSeenRequests } from '../store/seen-requests.ts';
import { makeSettings } from '../store/settings.ts';
import { makeSubscriptions } from '../store/subscriptions.ts';
import { makeTraces } from '../store/traces.ts';
import { type EventLog, holdLines, logging } from './log-subscriptions.ts';

export type StoreRoom = ReturnType<typeof wireStore>;

/** Every table, on the pool; and those that change together, within a transaction. */
export function wireStore({
  database,
  sealing,
  log,
}: {
  database: ConnectedDatabase;
  sealing: Sealing;
  log: EventLog;
}) {
  const { db, pool } = database;
  /** What happened in a transaction is logged once it is committed. */
  const inTransaction = async <T>(
    work: (trx: Transaction<Database>, tables: Tables) => Promise<T>,
  ): Promise<T> => {
    const held = holdLines(log);
    const result = await db.transaction().execute((trx) => work(trx, tablesOn(trx, held)));
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
    links: makeLinks({ db, sealing }),
    attempts: makeLinkAttempts({ db, sealing }),
    seenRequests: makeSeenRequests({ db }),
    audit: makeAudit({ db }),
    settings: makeSettings({ db }),
    requests: makeRequests({ db }),
    traces: makeTraces({ db }),
    secrets: makeSecrets({ db, sealing }),
    keyv: makeKeyv({ pool }),
  };
}

type Tables = ReturnType<typeof tablesOn>;

/** The tables that a turn of a lane changes together, on the pool or within a transaction. */
export function tablesOn(db: Kysely<Database>, log: EventLog = { info: () => undefined }) {
  return {
    announcements: makeAnnouncements<Message>({ db }),
    events: makeEvents({ db }),
    items: makeItems({ db }),
    lanes: makeLanes({ db }),
    paces: makePaces({ db }),
    subscriptions: logging(makeSubscriptions({ db }), log),
  };
}
