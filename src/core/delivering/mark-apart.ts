import { isDataError, isTimedOut } from '../../lib/error-code.ts';
import { ownFaults } from '../../messages/explaining/dead-reasons.ts';
import type { TurnMark } from '../../store/tables/turn-mark.ts';

/** The parts of a mark that consist of rows; any row may be the one that cannot be stored. */
type MarkRows = Pick<TurnMark, 'events' | 'items' | 'notes'>;

const noRows: MarkRows = { events: [], items: new Map(), notes: [] };

/** Returns how many of a mark's rows may be what cannot be stored. */
export const rowCount = ({ events, items, notes }: MarkRows): number =>
  events.length + items.size + notes.length;

/**
 * Marks a turn that cannot be stored at once, because it takes the database too long or something in it cannot be stored. Stores its rows
 * in parts, one by one if necessary; the lane stays claimed until the end, so nothing is posted in between. An event that cannot be
 * stored even without `postedAs` becomes a dead letter. Items and notes that cannot be stored are skipped.
 * @param store stores a mark; throws if something in it cannot be stored, or several rows took too long
 * @param claimedUntil until when the lane is claimed after a part that is stored now
 * @returns the `seq`s of the dead letters
 */
export async function markApart(
  mark: TurnMark,
  store: (mark: TurnMark) => Promise<void>,
  claimedUntil: () => Date,
): Promise<readonly string[]> {
  const dead: string[] = [];
  const unfinished = { card: null, keepAttempt: true, ended: [], announcementId: null };
  await storeEach(rowsOf(mark));
  const events = dead.map((seq) => ({
    seq,
    state: 'dead' as const,
    reason: ownFaults.unrecorded,
    postedAs: null,
  }));
  await store({ ...mark, ...noRows, events, card: null });
  return dead;

  async function storeEach(rows: readonly MarkRows[]): Promise<void> {
    if (rows.length === 0) return;
    if (await isStored(together(rows))) return;
    const [first] = rows;
    if (rows.length === 1 && first) return storeBare(first);
    const half = Math.ceil(rows.length / 2);
    await storeEach(rows.slice(0, half));
    await storeEach(rows.slice(half));
  }

  /** Tries the event without `postedAs`, which may be the part that cannot be stored. */
  async function storeBare({ events: [event] }: MarkRows): Promise<void> {
    if (!event || (await isStored({ ...noRows, events: [{ ...event, postedAs: null }] }))) return;
    dead.push(event.seq);
  }

  async function isStored(rows: MarkRows): Promise<boolean> {
    try {
      await store({ ...mark, ...unfinished, ...rows, claimedUntil: claimedUntil() });
      return true;
    } catch (error) {
      if (!isDataError(error) && !isTimedOut(error)) throw error;
      return false;
    }
  }
}

function rowsOf({ events, items, notes }: MarkRows): MarkRows[] {
  return [
    ...events.map((event) => ({ ...noRows, events: [event] })),
    ...[...items].map((item) => ({ ...noRows, items: new Map([item]) })),
    ...notes.map((note) => ({ ...noRows, notes: [note] })),
  ];
}

function together(rows: readonly MarkRows[]): MarkRows {
  return {
    events: rows.flatMap(({ events }) => events),
    items: new Map(rows.flatMap(({ items }) => [...items])),
    notes: rows.flatMap(({ notes }) => notes),
  };
}
