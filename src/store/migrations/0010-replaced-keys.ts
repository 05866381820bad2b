import { type Kysely, sql } from 'kysely';
import type { Migration } from 'kysely/migration';

/** The Key of a remote subscription that is being replaced, and when the service removed it. */
export const replacedKeys: Migration = {
  async up(db: Kysely<unknown>): Promise<void> {
    await sql`
      alter table plancast.subscriptions
        add column previous_sealed_key text,
        add column previous_removed_at timestamptz`.execute(db);
  },
};
