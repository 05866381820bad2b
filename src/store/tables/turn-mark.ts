import type { PostedAs } from '../../core/model/change.ts';
import type { LaneCard } from '../../core/model/lane-card.ts';
import type { Channel } from '../../core/model/people.ts';
import type { KnownItem } from './items.ts';

/** The outcome of a pending event. `pending` with a reason: it is held back. */
type SettledEvent = {
  readonly seq: string;
  readonly state: 'posted' | 'filtered' | 'dead' | 'pending';
  readonly reason: string | null;
  /** How it was rendered, if it is an update. */
  readonly postedAs: PostedAs | null;
  /** When the edit that it waits for is due. */
  readonly editAt?: Date | undefined;
  /** Keeps only its ids: it was not meant for this channel. */
  readonly idsOnly?: boolean | undefined;
};

/** What is stored at the end of a turn. */
export type TurnMark = {
  readonly at: Date;
  /** When the turn posted; null if it did not. */
  readonly lastPostAt: Date | null;
  readonly notBefore: Date | null;
  readonly failures: number;
  readonly setbacks: number;
  readonly card: LaneCard | null;
  /** Until when the lane stays claimed, if another mark of the same turn follows. */
  readonly claimedUntil?: Date | undefined;
  readonly events: readonly SettledEvent[];
  /** The message that shows the posted events. */
  readonly messageTs: string | null;
  /** The new last known states of items, by key; null deletes one. */
  readonly items: ReadonlyMap<string, KnownItem | null>;
  readonly notes: readonly { readonly id: string; readonly at: Date; readonly name: string | null }[];
  /** Subscriptions whose resource was deleted. */
  readonly ended: readonly string[];
  /** Subscriptions for which the message mentions somebody. */
  readonly pinged: readonly string[];
  /** An announcement that is to be deleted. */
  readonly announcementId: string | null;
  /** The D… id of the lane's conversation, which the announcement's post revealed. The turn does nothing else. */
  readonly directId?: string | undefined;
};

/** A turn's mark, and the claim under which it is made. */
export type MarkedTurn = { readonly lane: Channel; readonly fence: string; readonly mark: TurnMark };

/** Returns the values of the statement that marks turns; it returns the index of each turn whose lane was still held. */
export function markValues(turns: readonly MarkedTurn[]): unknown[] {
  const each = <Row>(rowsOf: (mark: TurnMark, n: number) => readonly Row[]): Row[] =>
    turns.flatMap(({ mark }, n) => rowsOf(mark, n));
  const events = each(({ events }, n) => events.map((event) => ({ n, ...event })));
  const gone = each(({ items }, n) => [...items].flatMap(([key, item]) => (item === null ? { n, key } : [])));
  const subscriptions = each(subscriptionRows);
  return [
    JSON.stringify(turns.map(turnRow)),
    [...new Set(subscriptions.map(({ id }) => id))],
    JSON.stringify(
      Object.fromEntries(
        events.map(({ n, seq, state, reason, postedAs, editAt, idsOnly }) => [
          `${n}:${seq}`,
          { st: state, r: reason, told: postedAs, ea: editAt, ...(idsOnly ? { ids: true } : {}) },
        ]),
      ),
    ),
    events.map(({ n }) => n),
    events.map(({ seq }) => seq),
    JSON.stringify(each(({ items }, n) => [...items].flatMap(([key, item]) => itemRow(n, key, item)))),
    gone.map(({ n }) => n),
    gone.map(({ key }) => key),
    JSON.stringify(subscriptions),
  ];
}

function turnRow({ lane, fence, mark }: MarkedTurn, n: number) {
  return {
    n,
    t: lane.teamId,
    c: lane.channelId,
    f: fence,
    at: mark.at,
    lp: mark.lastPostAt,
    nb: mark.notBefore,
    fl: mark.failures,
    sb: mark.setbacks,
    mv: mark.events.length > 0,
    cd: mark.card,
    cu: mark.claimedUntil ?? null,
    ts: mark.messageTs,
    an: mark.announcementId,
  };
}

function itemRow(n: number, k: string, item: KnownItem | null) {
  if (item === null) return [];
  const {
    name: nm,
    path: p,
    threadTs: th,
    messageTs: ms,
    idPath: ip,
    ownerUserId: ow,
    previous: pr = null,
  } = item;
  return [{ n, k, nm, p, th, ms, ip, ow, pr }];
}

function subscriptionRows({ notes, ended, pinged }: TurnMark, n: number) {
  const noted = new Map(notes.map((note) => [note.id, note]));
  return [...new Set([...noted.keys(), ...ended, ...pinged])].map((id) => ({
    n,
    id,
    at: noted.get(id)?.at ?? null,
    nm: noted.get(id)?.name ?? null,
    gone: ended.includes(id),
    pg: pinged.includes(id),
  }));
}
