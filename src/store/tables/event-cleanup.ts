import { type Kysely, sql } from 'kysely';
import type { Database } from '../schema.ts';

/** Removes what is old from the table `events`, in batches. */
export function makeEventCleanup(db: Kysely<Database>) {
  return {
    /**
     * Deletes the details (names, paths, email addresses) of up to `limit` events posted or filtered before `before`. Returns how many.
     */
    async forgetDetails(before: Date, limit: number): Promise<number> {
      const result = await sql`
        update plancast.events set notification = null, item_keys = null, told = null where seq in (
          select seq from plancast.events
          where state in ('posted', 'filtered') and notification is not null
            and coalesce(posted_at, received_at) < ${before}
          limit ${limit})`.execute(db);
      return Number(result.numAffectedRows ?? 0n);
    },

    /**
     * Checks the first `limit` events after the number `after`, and removes those that arrived before `before`; pending ones only if they
     * also arrived before `waitingBefore`. Numbers follow arrival, so the oldest events are read without looking at the rest of the table.
     * @returns the last number checked; null if no later event can be old
     */
    async removeOld(range: {
      readonly before: Date;
      readonly waitingBefore: Date;
      readonly after: string;
      readonly limit: number;
    }): Promise<string | null> {
      const { before, waitingBefore, after, limit } = range;
      const { rows } = await sql<{ last: string; more: boolean }>`
        with oldest as materialized (
          select seq, received_at, state from plancast.events where seq > ${after} order by seq limit ${limit}
        ), removed as (
          delete from plancast.events where seq in (
            select seq from oldest
            where received_at < ${before} and (state <> 'pending' or received_at < ${waitingBefore}))
        )
        select max(seq) as last, count(*) = ${limit} and min(received_at) < ${before} as more from oldest
      `.execute(db);
      const [row] = rows;
      return row?.more ? row.last : null;
    },
  };
}
