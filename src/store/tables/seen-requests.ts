import { createHash } from 'node:crypto';
import { type Kysely, sql } from 'kysely';
import type { Database } from '../schema.ts';
import { wroteRow } from '../wrote-row.ts';

/**
 * The table `seen_requests`: ids of Slack requests that were already taken, so that a repeated one takes effect only once, the time of each
 * form's last change, and in which forms More options was pressed. Stored only as SHA-256: the id of a command contains what was typed.
 */
export function makeSeenRequests({ db }: { readonly db: Kysely<Database> }) {
  async function take(request: string, now: Date): Promise<boolean> {
    return db
      .insertInto('plancast.seenRequests')
      .values({ id: idOf(request), seenAt: now })
      .onConflict((conflict) => conflict.doNothing())
      .$call(wroteRow);
  }

  return {
    /** Marks a request as seen; returns false if it was seen before. */
    take,

    /**
     * Records when Slack saw the newest change of a form.
     * @param at Slack's time of the change, in seconds
     * @returns false if a newer change arrived first, perhaps at another process
     */
    async noteChange(viewId: string, at: number): Promise<boolean> {
      return db
        .insertInto('plancast.seenRequests')
        .values({ id: idOf(`newest change:${viewId}`), seenAt: sql`to_timestamp(${at})` })
        .onConflict((conflict) =>
          conflict
            .column('id')
            .doUpdateSet((set) => ({ seenAt: set.ref('excluded.seenAt') }))
            .whereRef('plancast.seenRequests.seenAt', '<=', 'excluded.seenAt'),
        )
        .$call(wroteRow);
    },

    /** Records that More options was pressed in a form. */
    async noteMore(viewId: string, now: Date): Promise<void> {
      await take(moreIn(viewId), now);
    },

    /** Returns whether More options was pressed in a form. */
    async hasMore(viewId: string): Promise<boolean> {
      const row = await db
        .selectFrom('plancast.seenRequests')
        .select('id')
        .where('id', '=', idOf(moreIn(viewId)))
        .executeTakeFirst();
      return row !== undefined;
    },

    /** Deletes requests taken before `before`. */
    async forget(before: Date): Promise<void> {
      await db.deleteFrom('plancast.seenRequests').where('seenAt', '<', before).execute();
    },
  };
}

function moreIn(viewId: string): string {
  return `more options:${viewId}`;
}

function idOf(request: string): string {
  return createHash('sha256').update(request).digest('base64url');
}

type ShimSeenRequests = ReturnType<typeof makeSeenRequests>;
/** For core, which is handed the database. */
export const take = (db: Kysely<Database>, ...rest: Parameters<ShimSeenRequests['take']>) =>
  makeSeenRequests({ db }).take(...rest);
/** For core, which is handed the database. */
export const noteChange = (db: Kysely<Database>, ...rest: Parameters<ShimSeenRequests['noteChange']>) =>
  makeSeenRequests({ db }).noteChange(...rest);
/** For core, which is handed the database. */
export const noteMore = (db: Kysely<Database>, ...rest: Parameters<ShimSeenRequests['noteMore']>) =>
  makeSeenRequests({ db }).noteMore(...rest);
/** For core, which is handed the database. */
export const hasMore = (db: Kysely<Database>, ...rest: Parameters<ShimSeenRequests['hasMore']>) =>
  makeSeenRequests({ db }).hasMore(...rest);
/** For core, which is handed the database. */
export const forget = (db: Kysely<Database>, ...rest: Parameters<ShimSeenRequests['forget']>) =>
  makeSeenRequests({ db }).forget(...rest);
