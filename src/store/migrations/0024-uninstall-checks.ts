import { type Kysely, sql } from 'kysely';
import type { Migration } from 'kysely/migration';

/** Remembers that an installation still existed when Slack was asked about its uninstall. */
export const uninstallChecks: Migration = {
  async up(db: Kysely<unknown>): Promise<void> {
    await sql`alter table plancast.departures add column stood_at timestamptz`.execute(db);
  },
};
