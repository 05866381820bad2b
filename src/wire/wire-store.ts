import type { Kysely } from 'kysely';
import type { Message } from '../messages/message.ts';
import { makeAnnouncements } from '../store/announcements.ts';
import { makeAudit } from '../store/audit.ts';
import { makeChannels } from '../store/channels.ts';
import { makeCommandTries } from '../store/command-tries.ts';
import type { ConnectedDatabase } from '../store/database.ts';
import { makeDepartedRows } from '../store/departed-rows.ts';
import { makeDepartures } from '../store/departures.ts';
import { makeEvents } from '../store/events.ts';
import { makeItems } from '../store/items.ts';
import { makeKeyv } from '../store/keyv-records.ts';
import { makeLanes } from '../store/lanes.ts';
import { makeLinkAttempts } from '../store/link-attempts.ts';
import { makeLinks } from '../store/links.ts';
import { makeLocks } from '../store/locks.ts';
import { makePaces } from '../store/paces.ts';
import { makeRequests } from '../store/requests.ts';
import type { Database } from '../store/schema.ts';
import type { Sealing } from '../store/sealing.ts';
import { makeSecrets } from '../store/secrets.ts';
import { makeSeenRequests } from '../store/seen-requests.ts';
import { makeSettings } from '../store/settings.ts';
import { makeSubscriptions } from '../store/subscriptions.ts';
import { makeTraces } from '../store/traces.ts';

export type StoreRoom = ReturnType<typeof wireStore>;

/** Every table, on the pool; and those that change together, within a transaction. */
export function wireStore({ database, sealing }: { database: ConnectedDatabase; sealing: Sealing }) {
  const { db, pool } = database;
  return {
    db,
    pool,
    tables: tablesOn(db),
    transact: <T>(work: (tables: Tables) => Promise<T>): Promise<T> =>
      db.transaction().execute((trx) => work(tablesOn(trx))),
    links: makeLinks({ db, sealing }),
    attempts: makeLinkAttempts({ db, sealing }),
    seenRequests: makeSeenRequests({ db }),
    audit: makeAudit({ db }),
    commandTries: makeCommandTries({ db }),
    settings: makeSettings({ db }),
    requests: makeRequests({ db }),
    traces: makeTraces({ db }),
    departures: makeDepartures({ db }),
    departedRows: makeDepartedRows({ db }),
    secrets: makeSecrets({ db, sealing }),
    locks: makeLocks({ db }),
    keyv: makeKeyv({ pool }),
  };
}

type Tables = ReturnType<typeof tablesOn>;

/** The tables that change together, on the pool or within a transaction. */
export function tablesOn(db: Kysely<Database>) {
  return {
    announcements: makeAnnouncements<Message>({ db }),
    channels: makeChannels({ db }),
    events: makeEvents({ db }),
    items: makeItems({ db }),
    lanes: makeLanes({ db }),
    paces: makePaces({ db }),
    subscriptions: makeSubscriptions({ db }),
  };
}
