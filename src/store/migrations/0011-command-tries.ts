import { type Kysely, sql } from 'kysely';
import type { Migration } from 'kysely/migration';

/** When each person last sent a command or pressed a button, so that all processes count the same. */
export const commandTries: Migration = {
  async up(db: Kysely<unknown>): Promise<void> {
    await sql`
      create table plancast.command_tries (
        team_id text not null,
        user_id text not null,
        tried_at timestamptz[] not null,
        last_at timestamptz not null,
        primary key (team_id, user_id)
      )`.execute(db);
    await sql`create index command_tries_age on plancast.command_tries (last_at)`.execute(db);
  },
};
