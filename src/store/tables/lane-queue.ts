import type pg from 'pg';
import type { HeldClaims, LaneClaim, RestingLane } from '../../core/model/lane-card.ts';
import type { Channel } from '../../core/model/people.ts';
import { earlier } from '../../lib/durations.ts';
import { creating, marking, sweeping, taking } from './lane-statements.ts';
import { replacedTakenMs } from './remotes.ts';
import { laneOf, type TakenLane, type TakenRow, takenOf } from './taken-lane.ts';
import { type MarkedTurn, markValues } from './turn-mark.ts';

/**
 * The table `lanes` as a queue: who may post to a channel right now, and what to post there. Nothing in the database marks a lane as due:
 * only its pending events and announcements decide. Each method is one statement, however many lanes it covers.
 * @param pool connections used for nothing else (`connectLanes`)
 */
export function makeLaneQueue<Message>(pool: pg.Pool) {
  return {
    /** Takes those of the named lanes that have something pending and may post. */
    async take(
      named: readonly Channel[],
      { now, until, by, lost, held, most, eventsEach, bytes }: LaneClaim,
    ): Promise<{ taken: TakenLane<Message>[]; resting: RestingLane[] }> {
      const { rows } = await pool.query<TakenRow<Message>>({
        name: 'take lanes',
        text: taking,
        values: [
          now,
          until,
          most,
          by,
          eventsEach,
          named.map(({ teamId }) => teamId),
          named.map(({ channelId }) => channelId),
          lost,
          earlier(now, replacedTakenMs),
          held?.since ?? null,
          held?.until ?? null,
          Math.floor(bytes / named.length),
        ],
      });
      const taken: TakenLane<Message>[] = [];
      const resting: RestingLane[] = [];
      for (const row of rows) {
        if (row.fence !== null) taken.push(takenOf(row, { at: now, until, eventsEach }));
        else if (row.restsUntil !== null) resting.push({ lane: laneOf(row), ready: row.restsUntil });
      }
      return { taken, resting };
    },

    /** Marks turns; returns those whose claim on the lane was still valid. */
    async mark(turns: readonly MarkedTurn[]): Promise<ReadonlySet<MarkedTurn>> {
      const { rows } = await pool.query<{ n: number }>({
        name: 'mark turns',
        text: marking,
        values: markValues(turns),
      });
      return new Set(rows.flatMap(({ n }) => turns[n] ?? []));
    },

    /**
     * Finds lanes that have something pending and may post now, longest waiting first. `held` extends claims beyond their expiry.
     * @param part covers `most` lanes with something pending, after the lane `after`
     * @returns `next` is the lane after which there may be more; null if there are none
     */
    async sweep(
      now: Date,
      held: HeldClaims | null,
      { after, most }: { readonly after: Channel | null; readonly most: number },
    ): Promise<{ lanes: Channel[]; next: Channel | null }> {
      const { rows } = await pool.query<Channel & { isMissing: boolean; isLast: boolean }>({
        name: 'sweep lanes',
        text: sweeping,
        values: [now, held?.since, held?.until, after?.teamId ?? '', after?.channelId ?? '', most],
      });
      const missing = rows.filter(({ isMissing }) => isMissing);
      if (missing.length > 0) {
        await pool.query(creating, [
          missing.map(({ teamId }) => teamId),
          missing.map(({ channelId }) => channelId),
        ]);
      }
      const last = rows.find(({ isLast }) => isLast);
      return {
        lanes: rows.filter(({ isLast }) => !isLast).map(laneOf),
        next: last === undefined ? null : laneOf(last),
      };
    },
  };
}
