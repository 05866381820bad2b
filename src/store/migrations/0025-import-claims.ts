import { type Kysely, sql } from 'kysely';
import type { Migration } from 'kysely/migration';

/** Gives the claim of an accepted import a column of its own. Older releases keep theirs in `asked_at`. */
export const importClaims: Migration = {
  async up(db: Kysely<unknown>): Promise<void> {
    await sql`alter table plancast.imports add column claimed_until timestamptz`.execute(db);
  },
};
