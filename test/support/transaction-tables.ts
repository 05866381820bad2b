import type { Kysely } from 'kysely';
import { othersOn, tablesOn } from '../../src/compose/store.ts';
import { type WriteAudit, writeAudit } from '../../src/core/access/write-audit.ts';
import type { Clock } from '../../src/core/model/clock.ts';
import type { Database } from '../../src/store/schema.ts';

/** Returns the tables that take part in a transaction, for tests that compose single rooms. */
export function transactionTables(db: Kysely<Database>, { clock }: { readonly clock: Clock }) {
  return {
    ...tablesOn(db),
    ...othersOn(db),
    audit: ((...entry) =>
      writeAudit({ db, clock, log: { info: () => undefined } }, ...entry)) satisfies WriteAudit,
  };
}
