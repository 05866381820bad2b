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
  readonly card: LaneCard | null;
  /** Whether the outcome of a post is still unknown. */
  readonly keepAttempt: boolean;
  /** Whether another mark of the same turn follows, so that the lane is not freed. */
  readonly staysClaimed?: boolean | undefined;
  readonly events: readonly SettledEvent[];
  /** The message that shows the posted events. */
  readonly messageTs: string | null;
  /** The new last known states of items, by key; null deletes one. */
  readonly items: ReadonlyMap<string, KnownItem | null>;
  readonly notes: readonly { readonly id: string; readonly at: Date; readonly name: string | null }[];
  /** Subscriptions whose resource was deleted. */
  readonly ended: readonly string[];
  /** An announcement that is to be deleted. */
  readonly announcementId: string | null;
};

/** A turn's mark, and the claim under which it is made. */
export type MarkedTurn = { readonly lane: Channel; readonly fence: string; readonly mark: TurnMark };

/** Converts a turn to a row for the statement, which returns `n` if its lane was still held. */
export function markRow({ lane, fence, mark }: MarkedTurn, n: number) {
  const gone = [...mark.items].filter(([, item]) => item === null).map(([key]) => key);
  return {
    n,
    t: lane.teamId,
    c: lane.channelId,
    f: fence,
    at: mark.at,
    lp: mark.lastPostAt,
    nb: mark.notBefore,
    fl: mark.failures,
    cd: mark.card,
    ka: mark.keepAttempt,
    sc: mark.staysClaimed ?? false,
    ts: mark.messageTs,
    ev: Object.fromEntries(
      mark.events.map(({ seq, state, reason, postedAs, idsOnly }) => [
        seq,
        { st: state, r: reason, told: postedAs, ...(idsOnly ? { ids: true } : {}) },
      ]),
    ),
    it: [...mark.items].flatMap(([k, item]) =>
      item === null
        ? []
        : [
            {
              k,
              nm: item.name,
              p: item.path,
              th: item.threadTs,
              ip: item.idPath,
              ow: item.ownerUserId,
              pr: item.previous ?? null,
            },
          ],
    ),
    gone: gone.length > 0 ? gone : null,
    sb: subscriptionRows(mark),
    an: mark.announcementId,
  };
}

function subscriptionRows({ notes, ended }: TurnMark) {
  const rows = new Map(notes.map(({ id, at, name }) => [id, { id, at, nm: name, gone: ended.includes(id) }]));
  for (const id of ended) {
    if (!rows.has(id)) rows.set(id, { id, at: null as never, nm: null, gone: true });
  }
  return [...rows.values()];
}
