import { ownFaults } from '../../messages/explaining/dead-reasons.ts';
import type { EventOutcome } from '../../store/tables/events.ts';
import type { ClaimedLane, LaneChange } from '../../store/tables/lanes.ts';
import type { Channel } from '../model/people.ts';
import type { DeliveryTables, TransactDelivery } from './delivery-tables.ts';
import type { Turn } from './prepare-turn.ts';

export type MarkTurnDeps = {
  readonly transact: TransactDelivery;
  /** Told of each turn that was marked, for the figures. */
  readonly noted?: ((turn: Turn, state: EventOutcome['state'] | null, at: Date) => void) | undefined;
};

/** What became of a turn; `outcome` null where nothing of it was to be said. */
export type TurnResult = {
  readonly at: Date;
  readonly outcome: EventOutcome | null;
  readonly change: LaneChange;
};

/** Writes down what became of a turn, all at once, and only while the lane is still the claimer's. */
export type MarkTurn = (lane: Channel, claim: ClaimedLane, turn: Turn, result: TurnResult) => Promise<void>;

/** Makes the one place where a turn is marked. It throws `LaneLostError` where the lane was claimed by another. */
export function makeMarkTurn({ transact, noted }: MarkTurnDeps): MarkTurn {
  return async (lane, claim, turn, { at, outcome, change }) => {
    await transact(async (tables) => {
      await tables.lanes.release(lane, claim.fence, change);
      await settle(tables, turn, { at, outcome });
      await tables.items.note(lane, withThreads(turn, outcome), at);
      await tables.subscriptions.noteEvents(turn.notes);
      await tables.subscriptions.end(turn.ended, 'deleted', at);
      await tables.events.dropEnded(turn.ended);
    });
    noted?.(turn, outcome?.state ?? null, at);
  };
}

async function settle(
  { events }: DeliveryTables,
  turn: Turn,
  { at, outcome }: Pick<TurnResult, 'at' | 'outcome'>,
): Promise<void> {
  const unreadable = turn.unreadable.map(({ seq }) => seq);
  await events.settle(unreadable, { state: 'dead', reason: ownFaults.unreadable }, at);
  for (const [reason, seqs] of turn.dropped) await events.settle(seqs, { state: 'filtered', reason }, at);
  if (!outcome) return;
  await events.settle(turn.posted, outcome, at);
  if (outcome.state === 'posted') await events.noteTold(turn.told);
}

/** What is remembered of items, with the message that was posted as the thread of those that had none. */
function withThreads({ items, threadKeys }: Turn, outcome: EventOutcome | null): Turn['items'] {
  if (outcome?.state !== 'posted' || threadKeys.length === 0) return items;
  const begun = new Set(threadKeys);
  return new Map(
    [...items].map(([key, item]) => [
      key,
      item && begun.has(key) ? { ...item, threadTs: outcome.messageTs } : item,
    ]),
  );
}
