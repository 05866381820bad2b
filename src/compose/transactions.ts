import type { InTransaction } from '../core/access/in-transaction.ts';
import { type WriteAudit, writeAudit } from '../core/access/write-audit.ts';
import { announce } from '../core/announce.ts';
import type { Clock } from '../core/model/clock.ts';
import type { Channel } from '../core/model/people.ts';
import { signalLanes } from '../store/lane-signals.ts';
import type { Db } from '../store/sql.ts';
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
      return work({
        ...tables,
        audit: auditIn(trx, held),
        enqueue: (lanes) => signalLanes(trx, lanes),
        announce: (...announced) => announce({ db: trx, clock }, ...announced),
      });
    });
  return {
    inTransaction,
    audit: auditIn(store.db, log),
    enqueue: (lane: Channel) => signalLanes(store.db, [lane]),
  };
}
