import { type Kysely, sql } from 'kysely';
import type { Migration } from 'kysely/migration';

/** Finds the subscriptions of an organization's channel, whichever of its workspaces they were made in. */
export const organizationChannels: Migration = {
  async up(db: Kysely<unknown>): Promise<void> {
    await sql`
      create index subscriptions_of_organization on plancast.subscriptions (channel_id)
        where enterprise_id is not null and state <> 'ended'`.execute(db);
  },
};
