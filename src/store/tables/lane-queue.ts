import type pg from 'pg';
import type { HeldClaims, LaneClaim, RestingLane } from '../../core/model/lane-card.ts';
import type { Channel } from '../../core/model/people.ts';
import { earlier } from '../../lib/durations.ts';
import { creating, marking, sweeping, taking } from './lane-statements.ts';
import { replacedTakenMs } from './remotes.ts';
import { type LaneRow, laneOf, type TakenLane, type TakenRow, takenOf } from './taken-lane.ts';
import { type MarkedTurn, markValues } from './turn-mark.ts';

type LaneQueueDeps = {
  /** Connections used for nothing else (`connectLanes`). */
  readonly pool: pg.Pool;
  /** Minimum time between two posts to a channel, in milliseconds. */
  readonly betweenPostsMs: number;
};

/**
 * The table `lanes` as a queue: who may post to a channel right now, and what to post there. Nothing in the database marks a lane as due:
 * only its pending events and announcements decide. Each method is one statement, however many lanes it covers.
 */
export function makeLaneQueue<Message>({ pool, betweenPostsMs }: LaneQueueDeps) {
  const pace = `interval '${betweenPostsMs} ms'`;
  const statements = { take: taking(pace), sweep: sweeping(pace) };
  return {
    /** Takes those of the named lanes that have something pending and may post. */
    async take(
      named: readonly Channel[],
      { now, until, by, lost, held, most, eventsEach, bytes }: LaneClaim,
    ): Promise<{ taken: TakenLane<Message>[]; resting: RestingLane[] }> {
      const { rows } = await pool.query<TakenRow<Message>>({
        name: 'take lanes',
        text: statements.take,
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
        else if (row.rests_until !== null) resting.push({ lane: laneOf(row), ready: row.rests_until });
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
      const { rows } = await pool.query<LaneRow & { missing: boolean; is_last: boolean }>({
        name: 'sweep lanes',
        text: statements.sweep,
        values: [
          now,
          held?.since ?? null,
          held?.until ?? null,
          after?.teamId ?? '',
          after?.channelId ?? '',
          most,
        ],
      });
      const missing = rows.filter((row) => row.missing);
      if (missing.length > 0) {
        await pool.query(creating, [missing.map((row) => row.team_id), missing.map((row) => row.channel_id)]);
      }
      const last = rows.find((row) => row.is_last);
      return {
        lanes: rows.filter((row) => !row.is_last).map(laneOf),
        next: last === undefined ? null : laneOf(last),
      };
    },
  };
}
