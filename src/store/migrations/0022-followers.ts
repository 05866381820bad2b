import { type Kysely, sql } from 'kysely';
import type { Migration } from 'kysely/migration';

/** When each follower of an item was last checked, so that all of them get checked. */
export const followers: Migration = {
  async up(db: Kysely<unknown>): Promise<void> {
    await sql`alter table plancast.subscriptions add column looked_at timestamptz`.execute(db);
  },
};
