import { createHash } from 'node:crypto';
import type { Kysely } from 'kysely';
import type { Database } from '../schema.ts';

/** The table `seen_requests`: ids of Slack's requests that were taken, so that a repeated one has one effect. As SHA-256 only: the id
 * of a command holds what was typed. */
export function makeSeenRequests({ db }: { readonly db: Kysely<Database> }) {
  return {
    /** Marks a request as seen; false if it was seen before. */
    async take(request: string, now: Date): Promise<boolean> {
      const id = createHash('sha256').update(request).digest('base64url');
      const row = await db
        .insertInto('plancast.seenRequests')
        .values({ id, seenAt: now })
        .onConflict((conflict) => conflict.doNothing())
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
