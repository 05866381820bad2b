import type { Kysely } from 'kysely';
import { tablesOn } from '../../src/compose/store.ts';
import { makeWriteAudit } from '../../src/core/access/write-audit.ts';
import type { Clock } from '../../src/core/model/clock.ts';
import type { Database } from '../../src/store/schema.ts';
import { makeAudit } from '../../src/store/tables/audit.ts';
import { makeDeadLetters } from '../../src/store/tables/dead-letters.ts';
import { makeLinkAttempts } from '../../src/store/tables/link-attempts.ts';
import { makeLinks } from '../../src/store/tables/links.ts';
import { makeRequests } from '../../src/store/tables/requests.ts';
import type { TokenSealing } from '../../src/store/tables/sealed-tokens.ts';
import { makeSettings } from '../../src/store/tables/settings.ts';

/** Returns the tables that take part in a transaction, for tests that compose single rooms. */
export function transactionTables(
  db: Kysely<Database>,
  { clock, sealing }: { readonly clock: Clock; readonly sealing: TokenSealing },
) {
  return {
    ...tablesOn(db),
    deadLetters: makeDeadLetters({ db }),
    links: makeLinks({ db, sealing }),
    attempts: makeLinkAttempts({ db, sealing }),
    settings: makeSettings({ db }),
    requests: makeRequests({ db }),
    audit: makeWriteAudit({ clock, audited: makeAudit({ db }), written: () => undefined }),
  };
}
