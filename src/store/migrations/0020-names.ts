import { type Kysely, sql } from 'kysely';
import type { Migration } from 'kysely/migration';

/**
 * Names that one channel has learned are used in others: those of items by subscriptions of the same person, those of projects and
 * sessions in the whole workspace. Rows of an older release say of no person, and are used in their own channel alone.
 */
export const names: Migration = {
  async up(db: Kysely<unknown>): Promise<void> {
    await sql`alter table plancast.items add column owner_user_id text`.execute(db);
    // What an item was before it was last renamed or moved, and when that happened.
    await sql`alter table plancast.items add column previous jsonb`.execute(db);
    await sql`
      create index items_owner on plancast.items (team_id, owner_user_id, item_key)
        where owner_user_id is not null`.execute(db);
    // Apart from the others, since its rows change seldom: with `changed_at` in it, a row cannot be changed within its page.
    await sql`
      create index items_parents on plancast.items (team_id, item_key, changed_at desc)
        where item_key like 'project:%' or item_key like 'session:%'`.execute(db);
  },

  async down(db: Kysely<unknown>): Promise<void> {
    await sql`drop index plancast.items_parents`.execute(db);
    await sql`drop index plancast.items_owner`.execute(db);
    await sql`alter table plancast.items drop column previous`.execute(db);
    await sql`alter table plancast.items drop column owner_user_id`.execute(db);
  },
};
