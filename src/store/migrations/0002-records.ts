import { type Kysely, sql } from 'kysely';
import type { Migration } from 'kysely/migration';

/**
 * The table of @keyv/postgres, which would otherwise make it by itself when first used: what is sealed in it is checked and
 * re-sealed before that. The key is `text`, since Keyv's own 255 characters are a needless limit.
 */
export const records: Migration = {
  async up(db: Kysely<unknown>): Promise<void> {
    await sql`create table if not exists plancast.keyv (key text primary key, value text)`.execute(db);
  },

  async down(db: Kysely<unknown>): Promise<void> {
    await sql`drop table plancast.keyv`.execute(db);
  },
};
