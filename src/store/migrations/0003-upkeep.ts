import { type Kysely, sql } from 'kysely';
import type { Migration } from 'kysely/migration';

/** For replaying dead letters and deleting old events. */
export const upkeep: Migration = {
  async up(db: Kysely<unknown>): Promise<void> {
    await sql`alter table plancast.events add column replayed_at timestamptz`.execute(db);
    // Holds only rows that still have their details, so that an hourly check costs nothing when there is nothing to delete.
    await sql`
      create index events_details on plancast.events (coalesce(posted_at, received_at))
        where state in ('posted', 'filtered') and notification is not null`.execute(db);
    await sql`
      create index subscriptions_ended on plancast.subscriptions (ended_at) where state = 'ended'`.execute(
      db,
    );
    await sql`create index audit_age on plancast.audit (at)`.execute(db);
  },
};
