import { type Kysely, sql } from 'kysely';
import type { Migration } from 'kysely/migration';

/**
 * The lanes become their own queue. Events name the items whose last state a turn has to know, so that one statement can bring both;
 * older releases write none, and their events are looked up apart. A row changes at each turn and stays in its page: half of it is
 * left free.
 */
export const laneQueue: Migration = {
  async up(db: Kysely<unknown>): Promise<void> {
    // From now on a lane has its row before anything waits in it. First, since the tables below are locked once they are
    // changed.
    await sql`
      insert into plancast.lanes (enterprise_id, team_id, channel_id)
      select max(enterprise_id), team_id, channel_id from (
        select enterprise_id, team_id, channel_id from plancast.subscriptions where state <> 'ended'
        union all
        select enterprise_id, team_id, channel_id from plancast.events where state = 'pending'
        union all
        select enterprise_id, team_id, channel_id from plancast.announcements
      ) as used
      group by team_id, channel_id
      on conflict do nothing`.execute(db);
    await sql`alter table plancast.events add column item_keys text[]`.execute(db);
    await sql`alter table plancast.lanes add column claimed_by text`.execute(db);
    await sql`alter table plancast.lanes set (fillfactor = 50)`.execute(db);
  },

  async down(db: Kysely<unknown>): Promise<void> {
    await sql`alter table plancast.lanes reset (fillfactor)`.execute(db);
    await sql`alter table plancast.lanes drop column claimed_by`.execute(db);
    await sql`alter table plancast.events drop column item_keys`.execute(db);
  },
};
