import type { Kysely } from 'kysely';
import { tablesOn } from '../../src/compose/store.ts';
import { makeWriteAudit } from '../../src/core/access/write-audit.ts';
import type { Clock } from '../../src/core/model/clock.ts';
import type { Database } from '../../src/store/schema.ts';
import { makeAudit } from '../../src/store/tables/audit.ts';
import { makeDeadLetters } from '../../src/store/tables/dead-letters.ts';
import { makeRequests } from '../../src/store/tables/requests.ts';
import { makeSettings } from '../../src/store/tables/settings.ts';

/** Returns the tables that take part in a transaction, for tests that compose single rooms. */
export function transactionTables(db: Kysely<Database>, clock: Clock) {
  return {
    ...tablesOn(db),
    deadLetters: makeDeadLetters({ db }),
    settings: makeSettings({ db }),
    requests: makeRequests({ db }),
    audit: makeWriteAudit({ clock, audited: makeAudit({ db }), written: () => undefined }),
  };
}
