import { createHash } from 'node:crypto';
import { type Kysely, sql } from 'kysely';
import type { Database } from '../schema.ts';

/**
 * The table `seen_requests`: ids of Slack requests that were already taken, so that a repeated one takes effect only once, and the time of
 * each form's last change. Stored only as SHA-256: the id of a command contains what was typed.
 */
export function makeSeenRequests({ db }: { readonly db: Kysely<Database> }) {
  return {
    /** Marks a request as seen; returns false if it was seen before. */
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
     * Records when Slack saw the newest change of a form.
     * @param at Slack's time of the change, in seconds
     * @returns false if a newer change arrived first, perhaps at another process
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

    /** Deletes requests taken before `before`. */
    async forget(before: Date): Promise<void> {
      await db.deleteFrom('plancast.seenRequests').where('seenAt', '<', before).execute();
    },
  };
}

function idOf(request: string): string {
  return createHash('sha256').update(request).digest('base64url');
}
