import { createHash } from 'node:crypto';
import { type Kysely, sql } from 'kysely';
import type { Database } from '../schema.ts';

/** The table `seen_requests`: ids of Slack's requests that were taken, so that a repeated one has one effect, and
 * when each form was changed last. As SHA-256 only: the id of a command holds what was typed. */
export function makeSeenRequests({ db }: { readonly db: Kysely<Database> }) {
  return {
    /** Marks a request as seen; false if it was seen before. */
    async take(request: string, now: Date): Promise<boolean> {
      const row = await db
        .insertInto('plancast.seenRequests')
        .values({ id: idOf(request), seenAt: now })
        .onConflict((conflict) => conflict.doNothing())
        .returning('id')
        .executeTakeFirst();
      return row !== undefined;
    },

    /**
     * Notes when Slack saw the newest change of a form.
     * @param at Slack's time of the change, in seconds
     * @returns false if a newer one came first, perhaps to another process
     */
    async noteChange(viewId: string, at: number): Promise<boolean> {
      const row = await db
        .insertInto('plancast.seenRequests')
        .values({ id: idOf(`newest change:${viewId}`), seenAt: sql`to_timestamp(${at})` })
        .onConflict((conflict) =>
          conflict
            .column('id')
            .doUpdateSet((set) => ({ seenAt: set.ref('excluded.seenAt') }))
            .whereRef('plancast.seenRequests.seenAt', '<=', 'excluded.seenAt'),
        )
        .returning('id')
        .executeTakeFirst();
      return row !== undefined;
    },

    /** Forgets those taken before `before`. */
    async forget(before: Date): Promise<void> {
      await db.deleteFrom('plancast.seenRequests').where('seenAt', '<', before).execute();
    },
  };
}

function idOf(request: string): string {
  return createHash('sha256').update(request).digest('base64url');
}
