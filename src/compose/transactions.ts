import type { InTransaction } from '../core/access/in-transaction.ts';
import { type WriteAudit, writeAudit } from '../core/access/write-audit.ts';
import type { Clock } from '../core/model/clock.ts';
import type { Channel } from '../core/model/people.ts';
import { signalLanes } from '../store/lane-signals.ts';
import { type Db, onDb } from '../store/sql.ts';
import * as deadLetters from '../store/tables/dead-letters.ts';
import type { EventLog } from './log-subscriptions.ts';
import type { StoreRoom } from './store.ts';

export type Transactions = ReturnType<typeof composeTransactions>;

type TransactionDeps = {
  readonly store: Pick<StoreRoom, 'db' | 'inTransaction'>;
  readonly clock: Clock;
  readonly log: EventLog;
};

/** Composes transactions in which a change and its announcement are both stored or neither is, and the signals to lanes. */
export function composeTransactions({ store, clock, log }: TransactionDeps) {
  const auditIn =
    (db: Db, log: EventLog): WriteAudit =>
    (...entry) =>
      writeAudit({ db, clock, log }, ...entry);
  const inTransaction: InTransaction = (work) =>
    store.inTransaction((trx, tables, held) => {
      const enqueue = (lanes: readonly Channel[]) => signalLanes(trx, lanes);
      return work({
        ...tables,
        deadLetters: onDb(trx, deadLetters),
        audit: auditIn(trx, held),
        enqueue,
        announce: async (channel, message, subject) => {
          await tables.announcements.add(channel, message, clock.now(), subject);
          await enqueue([channel]);
        },
      });
    });
  return {
    inTransaction,
    audit: auditIn(store.db, log),
    enqueue: (lane: Channel) => signalLanes(store.db, [lane]),
  };
}
