import { type Kysely, sql } from 'kysely';
import type { Migration } from 'kysely/migration';

/** Folders with their contents, names that people type, and direct messages in which people follow something for themselves. */
export const typing: Migration = {
  async up(db: Kysely<unknown>): Promise<void> {
    await sql`alter table plancast.items add column id_path text`.execute(db);
    await sql`alter table plancast.subscriptions add column typed_name text`.execute(db);
    await sql`
      create table plancast.direct_messages (
        team_id text not null,
        user_id text not null,
        -- Slack's D… id of the conversation between the bot and the person, from the answer to a post there.
        channel_id text not null,
        primary key (team_id, user_id)
      )`.execute(db);
  },
};
