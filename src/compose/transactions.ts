import type { InTransaction } from '../core/access/in-transaction.ts';
import type { Clock } from '../core/model/clock.ts';
import type { Channel } from '../core/model/people.ts';
import { signalLanes } from '../store/lane-signals.ts';
import { makeDeadLetters } from '../store/tables/dead-letters.ts';
import type { StoreRoom } from './store.ts';

export type Transactions = ReturnType<typeof composeTransactions>;

type TransactionDeps = {
  readonly store: Pick<StoreRoom, 'db' | 'inTransaction'>;
  readonly clock: Clock;
};

/** Composes transactions in which a change and its announcement are both stored or neither is, and the signals to lanes. */
export function composeTransactions({ store, clock }: TransactionDeps) {
  const inTransaction: InTransaction = (work) =>
    store.inTransaction((trx, tables) => {
      const enqueue = (lanes: readonly Channel[]) => signalLanes(trx, lanes);
      return work({
        ...tables,
        deadLetters: makeDeadLetters({ db: trx }),
        enqueue,
        announce: async (channel, message, subject) => {
          await tables.announcements.add(channel, message, clock.now(), subject);
          await enqueue([channel]);
        },
      });
    });
  return {
    inTransaction,
    enqueue: (lane: Channel) => signalLanes(store.db, [lane]),
  };
}
